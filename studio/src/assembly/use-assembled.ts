import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { type FeedEvent, onEvent, useConnection } from "../api/event-feed.ts";
import { ApiProblem, getJson } from "../api/request.ts";
import type { Assembled, Range, Wanted } from "./assembled.ts";
import { type Answers, type Asked, type Packed, type Question, rowsIn, type Told } from "./columns.ts";

/** `problem`: what cannot give way and does not fit, or what the server said; `data` is then the last that could be made. */
export type Assembling = {
  readonly data: Assembled | undefined;
  readonly problem: Error | undefined;
  readonly busy: boolean;
  readonly again: () => void;
};

type Wish = { readonly wanted: Wanted; readonly generation: number };
type State = Omit<Assembling, "again"> & { readonly agent: string; readonly user?: string | undefined };

/**
 * A prompt as it would be: gathered by the server, assembled in a worker here, anew whenever something happens. The
 * newest wish is the one that is answered; where nothing is wanted, nothing is made.
 */
export function useAssembled(wanted: Wanted | undefined): Assembling {
  const { agent, user, channel, at, edition, tokens }: Wanted = wanted ?? { agent: "" };
  const generation = useGeneration(agent);
  const [tries, setTries] = useState(0);
  const [state, setState] = useState<State>({ agent, data: undefined, problem: undefined, busy: true });
  const newest = useRef<Newest<Wish>>(undefined);
  useEffect(() => {
    newest.current = createNewest(assembleOrWhole, ({ wish, last, ...outcome }) =>
      setState((before) => {
        const { agent, user } = wish.wanted;
        const kept = before.agent === agent && before.user === user ? before.data : undefined;
        const { data, problem, whole }: Partial<Made> = "answer" in outcome ? outcome.answer : outcome;
        return { agent, user, busy: !last, problem, data: data ?? kept ?? whole };
      }),
    );
    return () => newest.current?.close();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever tries again wants the same once more.
  useEffect(() => {
    if (agent === "") return;
    setState((before) => (before.busy ? before : { ...before, busy: true }));
    newest.current?.want({ wanted: { agent, user, channel, at, edition, tokens }, generation });
  }, [agent, user, channel, at, edition, tokens, generation, tries]);
  const again = useCallback(() => setTries((before) => before + 1), []);
  const current = state.agent === agent && state.user === user;
  return current ? { ...state, again } : { data: undefined, problem: undefined, busy: true, again };
}

type Made = {
  readonly data?: Assembled;
  readonly problem?: Error;
  /** The prompt without the limit it does not fit: what is looked at where nothing was made before. */
  readonly whole?: Assembled;
};

async function assembleOrWhole(wish: Wish): Promise<Made> {
  try {
    return { data: await assembled(wish) };
  } catch (problem) {
    const { tokens, ...boundless } = wish.wanted;
    if (tokens === undefined) throw problem;
    return { problem: problem as Error, whole: await assembled({ ...wish, wanted: boundless }) };
  }
}

async function assembled(wish: Wish): Promise<Assembled> {
  return unpacked(await askWorker({ kind: "assemble", ...wish }));
}

function unpacked({ sections, cuts, omitted, ...others }: Packed): Assembled {
  return { ...others, sections: rowsIn(sections), cuts: rowsIn(cuts), omitted: rowsIn(omitted) };
}

/** Between which limits there is something to see; undefined until it is known, and where no limit fits. */
export function useRange(wanted: Wanted | undefined): Range | undefined {
  const { agent, user, channel, at, edition }: Wanted = wanted ?? { agent: "" };
  const generation = useGeneration(agent);
  const [known, setKnown] = useState<{ agent: string; user: string | undefined; range: Range | undefined }>();
  useEffect(() => {
    if (agent === "") return undefined;
    let left = false;
    askWorker({ kind: "range", wanted: { agent, user, channel, at, edition }, generation }).then(
      (range) => left || setKnown({ agent, user, range }),
      () => left || setKnown(undefined),
    );
    return () => {
      left = true;
    };
  }, [agent, user, channel, at, edition, generation]);
  return known?.agent === agent && known.user === user ? known.range : undefined;
}

type Waiting = { readonly resolve: (answer: never) => void; readonly reject: (problem: Error) => void };

const waiting = new Map<number, Waiting>();
let worker: Worker | undefined;
let newest = 0;

/** Asks the page's one worker; it is started when something is first asked. */
function askWorker<Kind extends Question["kind"]>(question: Extract<Question, { kind: Kind }>): Promise<Answers[Kind]> {
  worker ??= start();
  const id = ++newest;
  const asked: Asked = { id, question };
  worker.postMessage(asked);
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

function start(): Worker {
  const started = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  started.addEventListener("message", ({ data }: MessageEvent<Told>) => {
    const one = waiting.get(data.id);
    waiting.delete(data.id);
    if ("answer" in data) one?.resolve(data.answer as never);
    else one?.reject(new ApiProblem(data.status, data.error));
    // A worker cannot send anyone to the sign-in page: whoever asks here can.
    if ("status" in data && data.status === 401) getJson("/me").catch(() => {});
  });
  started.addEventListener("error", () => {
    started.terminate();
    worker = undefined;
    const error = {
      code: "not-assembled",
      message: "The prompt cannot be assembled here.",
      hint: "Reload the page.",
    };
    for (const { reject } of waiting.values()) reject(new ApiProblem(500, error));
    waiting.clear();
  });
  return started;
}

/** How often an agent's words may have changed since the page was opened: what was gathered before is gathered anew. */
const generations = new Map<string, number>();
const watchers = new Set<() => void>();
const soon = new Map<string, ReturnType<typeof setTimeout>>();

/** Many events at once are one reason to look again. */
const pauseMs = 200;

function pass(agent: string): void {
  if (soon.has(agent)) return;
  soon.set(
    agent,
    setTimeout(() => {
      soon.delete(agent);
      generations.set(agent, (generations.get(agent) ?? 0) + 1);
      for (const watcher of watchers) watcher();
    }, pauseMs),
  );
}

/** Nothing stands otherwise because a turn has begun. */
const changesNothing: ReadonlySet<string> = new Set(["turn-started", "turn-late"]);

const heard = ({ kind, scope }: FeedEvent) => {
  if (!changesNothing.has(kind)) pass(scope.agent);
};

function watch(watcher: () => void): () => void {
  onEvent(heard);
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

function useGeneration(agent: string): number {
  const connection = useConnection();
  const before = useRef(connection);
  useEffect(() => {
    if (before.current === "away" && connection === "live") pass(agent);
    before.current = connection;
  }, [connection, agent]);
  return useSyncExternalStore(watch, () => generations.get(agent) ?? 0);
}

/** Asks for one thing at a time. While it waits only the newest wish is kept: those in between are never asked for. */
export type Newest<Wish> = { readonly want: (wish: Wish) => void; readonly close: () => void };

export function createNewest<Wish, Answer>(
  ask: (wish: Wish) => Promise<Answer>,
  /** `last`: nothing newer is wanted by now. */
  told: (outcome: { readonly wish: Wish; readonly last: boolean } & Outcome<Answer>) => void,
): Newest<Wish> {
  let next: { readonly wish: Wish } | undefined;
  let working = false;
  let closed = false;
  const work = async () => {
    working = true;
    while (next && !closed) {
      const { wish } = next;
      next = undefined;
      const outcome = await ask(wish).then(
        (answer): Outcome<Answer> => ({ answer }),
        (problem: Error): Outcome<Answer> => ({ problem }),
      );
      if (!closed) told({ wish, last: next === undefined, ...outcome });
    }
    working = false;
  };
  return {
    want(wish) {
      next = { wish };
      if (!working) void work();
    },
    close() {
      closed = true;
    },
  };
}

export type Outcome<Answer> = { readonly answer: Answer } | { readonly problem: Error };
