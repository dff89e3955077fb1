import { backoffMs } from "../../prompt/bounds.ts";
import { withinLimit } from "./agent-process.ts";
import type { OpenPeerResult, Peer } from "./peer.ts";

/** A pool of processes, one for each place; several conversations may use one at a time, and an idle one is ended. */
type ProcessPool = {
  /** Runs work with the process of a place, which is started if it is not running. */
  readonly use: <Result>(
    place: string,
    start: (signal: AbortSignal) => Promise<OpenPeerResult>,
    signal: AbortSignal,
    work: (peer: Peer) => Promise<Result>,
  ) => Promise<PoolResult<Result>>;
  /** Records that a turn succeeded there: earlier failures no longer count. */
  readonly worked: (place: string) => void;
  /** Ends the process of a place, also while it is in use. */
  readonly end: (place: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** The result of work, or why it could not begin. */
export type PoolResult<Result> =
  | { readonly kind: "worked"; readonly result: Result }
  | { readonly kind: "failed"; readonly why: string; readonly tail: string; readonly lasting?: true }
  | { readonly kind: "full" }
  | { readonly kind: "aborted" };

type ProcessPoolOptions = {
  readonly max?: number;
  readonly idleMs?: number;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
};

type Place = {
  peer?: Peer;
  starting?: Promise<OpenPeerResult>;
  /** Number of current users. */
  users: number;
  idleSince: number;
  idle?: AbortController;
  /** Number of failures in a row, and the time of the last. */
  failures: number;
  failedAt: number;
};

export function createProcessPool(options: ProcessPoolOptions): ProcessPool {
  const { max = 50, idleMs = 10 * 60_000, now, random, sleep } = options;
  const places = new Map<string, Place>();
  const ends = new Set<Promise<unknown>>();
  const closing = new AbortController();

  const end = (peer: Peer): Promise<unknown> => {
    const ending = peer.end().finally(() => ends.delete(ending));
    ends.add(ending);
    return ending;
  };
  const isUp = ({ peer, starting }: Place) => starting !== undefined || (peer !== undefined && !peer.isOver());

  /** Makes room for one more process: the one that was idle for the longest time is ended. */
  const makeRoom = (): boolean => {
    const up = [...places.values()].filter(isUp);
    if (up.length < max) return true;
    const oldest = up
      .filter(({ users, starting }) => users === 0 && starting === undefined)
      .sort((one, other) => one.idleSince - other.idleSince)[0];
    if (oldest?.peer === undefined) return false;
    void end(oldest.peer);
    return true;
  };

  /** Waits longer after each failure in a row; the first costs nothing. */
  const waitFor = async (place: Place, signal: AbortSignal): Promise<void> => {
    if (place.failures < 2) return;
    const wait = place.failedAt + backoffMs(place.failures - 2, random) - now();
    if (wait > 0) await sleep(wait, signal).catch(() => {});
  };

  const start = async (
    place: Place,
    open: (signal: AbortSignal) => Promise<OpenPeerResult>,
    signal: AbortSignal,
  ): Promise<OpenPeerResult> => {
    await waitFor(place, signal);
    const opened = await open(signal);
    if (opened.failure) {
      if (!opened.failure.aborted) fail(place);
      return opened;
    }
    const { peer } = opened;
    place.peer = peer;
    void peer.ended.then(({ kind }) => {
      if (kind !== "ended") fail(place);
    });
    if (closing.signal.aborted) await end(peer);
    return opened;
  };
  const fail = (place: Place) => {
    place.failures++;
    place.failedAt = now();
  };

  const release = (place: Place) => {
    place.users--;
    if (place.users > 0) return;
    const { peer } = place;
    const idle = new AbortController();
    place.idle = idle;
    place.idleSince = now();
    if (peer === undefined || peer.isOver()) return;
    sleep(idleMs, idle.signal).then(
      () => {
        if (!idle.signal.aborted) void end(peer);
      },
      () => {},
    );
  };

  /** Forgets places that are idle and have no recent failure. */
  const forget = () => {
    for (const [key, place] of places)
      if (place.users === 0 && !isUp(place) && (place.failures === 0 || now() - place.failedAt > idleMs))
        places.delete(key);
  };

  const peerAt = async (
    place: Place,
    open: (signal: AbortSignal) => Promise<OpenPeerResult>,
    signal: AbortSignal,
  ): Promise<Peer | Exclude<PoolResult<never>, { kind: "worked" }>> => {
    for (;;) {
      if (signal.aborted) return { kind: "aborted" };
      if (place.peer !== undefined && !place.peer.isOver()) return place.peer;
      if (place.starting === undefined) {
        if (!makeRoom()) return { kind: "full" };
        place.starting = start(place, open, signal).finally(() => {
          delete place.starting;
        });
      }
      const waited = await withinLimit(place.starting, { signal });
      if (waited.kind === "failed") throw waited.error;
      // Starts it again for those who still wait, where the caller that started it gave up.
      const failure = waited.kind === "done" ? waited.value.failure : undefined;
      if (failure && !failure.aborted) return { kind: "failed", ...failure };
    }
  };

  return {
    use: async (key, open, caller, work) => {
      const signal = AbortSignal.any([caller, closing.signal]);
      forget();
      const place: Place = places.get(key) ?? { users: 0, idleSince: now(), failures: 0, failedAt: 0 };
      places.set(key, place);
      place.idle?.abort();
      place.users++;
      try {
        const peer = await peerAt(place, open, signal);
        return "kind" in peer ? peer : { kind: "worked", result: await work(peer) };
      } finally {
        release(place);
      }
    },
    worked: (key) => {
      const place = places.get(key);
      if (place) place.failures = 0;
    },
    end: async (key) => {
      const place = places.get(key);
      await place?.starting?.catch(() => {});
      if (place?.peer) await end(place.peer);
    },
    close: async () => {
      closing.abort();
      const all = [...places.values()];
      for (const { idle } of all) idle?.abort();
      await Promise.all(all.map(async ({ starting }) => await starting?.catch(() => {})));
      await Promise.all([...all.flatMap(({ peer }) => (peer ? [peer.end()] : [])), ...ends]);
    },
  };
}
