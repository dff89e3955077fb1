import { badToken, type Caller } from "../../operations/caller.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";

/** Permission of an open request. */
export type Access = {
  /** Aborted when the caller is shut out, with the Problem that says why. */
  readonly ended: AbortSignal;
  /** Names the turn the caller follows: when it is erased, they are shut out of it. */
  readonly follow: (turn: string) => void;
  readonly close: () => void;
};

export type AccessWatch = { readonly open: (caller: Caller) => Access };

type AccessWatchOptions = {
  readonly store: {
    readonly tokens: Pick<Store["tokens"], "findValid">;
    readonly turns: Pick<Store["turns"], "findErased">;
  };
  readonly now: () => number;
  readonly stopwatch: () => number;
  readonly every?: Every;
  /** Called for each caller who is shut out while a request of theirs is open. */
  readonly onEnd?: (caller: Caller, because: Problem) => void;
};

/** Interval of the checks in milliseconds: short enough to end requests within a second, even with a slow store. */
const checkIntervalMs = 250;
/** Maximum time without an answer from the store, in milliseconds; then the permission ends. */
export const accessTimeoutMs = 10_000;

/** Maximum time between two checks that counts, in milliseconds: a longer pause was this process's own, and not the store's. */
const maxPauseMs = 1_000;

type Entry = {
  readonly caller: Caller;
  readonly controller: AbortController;
  turn: string | undefined;
  /**
   * Time up to which the permission is confirmed: when the store was asked, not when it answered. At first, the time of the first
   * check.
   */
  confirmedAt: number | undefined;
};

/**
 * Creates the watch that repeats permission checks for open requests, since an answer may go on for hours after its caller was
 * let in. One query covers all open requests of this process, and none is made while nothing is open. It asks the store, so that
 * it does not matter which process revoked the token.
 */
export function createAccessWatch(options: AccessWatchOptions): AccessWatch {
  const { store, now, stopwatch, every = usualEvery, onEnd } = options;
  const open = new Set<Entry>();
  let stop: (() => void) | undefined;
  let askedAt: number | undefined;
  let lookedAt: number | undefined;
  let waited = 0;
  /** Returns the time the store has had. Pauses of this process, from a stopped or busy machine, do not count. */
  const timeGiven = () => {
    const at = stopwatch();
    waited += Math.min(at - (lookedAt ?? at), maxPauseMs);
    lookedAt = at;
    return waited;
  };

  const end = (entry: Entry, because: Problem) => {
    if (!open.delete(entry)) return;
    onEnd?.(entry.caller, because);
    entry.controller.abort(because);
  };
  const ask = async (at: number) => {
    const entries = [...open].map((entry) => ({ entry, token: tokenOf(entry.caller), turn: entry.turn }));
    const [holding, erased] = await Promise.all([
      store.tokens.findValid(distinct(entries.map(({ token }) => token))),
      store.turns.findErased(distinct(entries.map(({ turn }) => turn))),
    ]);
    for (const { entry, token, turn } of entries) {
      if (token !== undefined && !holding.has(token)) end(entry, badToken());
      else if (turn !== undefined && erased.has(turn)) end(entry, erasedTurnProblem(turn));
      else entry.confirmedAt = at;
    }
  };
  const check = () => {
    const at = timeGiven();
    for (const entry of open) {
      entry.confirmedAt ??= at;
      if ((entry.caller.until ?? Number.POSITIVE_INFINITY) <= now()) end(entry, badToken());
      else if (at - entry.confirmedAt > accessTimeoutMs) end(entry, uncheckedProblem());
    }
    if (open.size === 0) {
      stop?.();
      stop = undefined;
      return;
    }
    // A query that gets no answer is repeated after the timeout; until then the store has enough to do.
    if (askedAt !== undefined && at - askedAt <= accessTimeoutMs) return;
    askedAt = at;
    const answered = () => {
      if (askedAt === at) askedAt = undefined;
    };
    ask(at).then(answered, answered);
  };

  return {
    open: (caller) => {
      const controller = new AbortController();
      const entry: Entry = { caller, controller, turn: undefined, confirmedAt: undefined };
      open.add(entry);
      stop ??= every(checkIntervalMs, check);
      return {
        ended: controller.signal,
        follow: (turn) => {
          entry.turn = turn;
        },
        close: () => open.delete(entry),
      };
    },
  };
}

/** Token to ask the store about. JSON Web Tokens and signatures are not stored: they say themselves when they end. */
function tokenOf({ id, by, token = id }: Caller): string | undefined {
  return by === "token" || by === "cookie" || by === "chat-cookie" ? token : undefined;
}

function distinct(ids: readonly (string | undefined)[]): string[] {
  return [...new Set(ids)].filter((id) => id !== undefined);
}

function erasedTurnProblem(turn: string): Problem {
  return new Problem("erased", `The turn “${turn}” was erased while it ran.`, "There is nothing more to send.");
}

function uncheckedProblem(): Problem {
  return new Problem(
    "token-unchecked",
    `The token could not be checked: the store has not answered for ${accessTimeoutMs / 1000} seconds.`,
    "Try again when the store can be reached.",
  );
}

/** Repeats work at an interval, and returns a function that stops it. It does not keep the process alive. */
export type Every = (milliseconds: number, work: () => void) => () => void;

export const usualEvery: Every = (milliseconds, work) => {
  const timer = setInterval(work, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
};
