import { badToken, type Caller } from "../../operations/caller.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";

/** That someone was let in, for as long as what they asked for takes. */
export type Access = {
  /** Aborted when they are shut out. Its reason is the Problem that says why. */
  readonly ended: AbortSignal;
  /** Which turn they are told of: when it is erased, they hear no more of it. */
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
  /** Told of everyone who is shut out while something of theirs is open. */
  readonly onEnd?: (caller: Caller, because: Problem) => void;
};

/** So often it is asked: often enough that a second is kept where the store takes its time. */
const everyMs = 250;
/** A store that cannot say for so long whether a token holds is taken for a no. */
export const accessTimeoutMs = 10_000;

/** Where more than this lies between two looks, it was this process that was not there, and not the store. */
const mostMs = 1_000;

type Entry = {
  readonly caller: Caller;
  readonly controller: AbortController;
  turn: string | undefined;
  /** When it was last known that they may: as the question was put, not as the answer came. At first, when it is looked. */
  confirmedAt: number | undefined;
};

/**
 * Whoever is let in is let in once, and what they asked for may go on for hours. So it is asked again and again whether
 * they still may: one question for all that is open in this process, and none while nothing is. It is put to the store,
 * so it does not matter which process took the token back.
 */
export function createAccessWatch(options: AccessWatchOptions): AccessWatch {
  const { store, now, stopwatch, every = usualEvery, onEnd } = options;
  const open = new Set<Entry>();
  let stop: (() => void) | undefined;
  let askedAt: number | undefined;
  let lookedAt: number | undefined;
  let waited = 0;
  /** The time the store has had: a machine that stood still, or was too busy for us, is not held against it. */
  const timeGiven = () => {
    const at = stopwatch();
    waited += Math.min(at - (lookedAt ?? at), mostMs);
    lookedAt = at;
    return waited;
  };

  const end = (entry: Entry, because: Problem) => {
    if (!open.delete(entry)) return;
    onEnd?.(entry.caller, because);
    entry.controller.abort(because);
  };
  const ask = async (at: number) => {
    const asked = [...open].map((entry) => ({ entry, token: tokenOf(entry.caller), turn: entry.turn }));
    const [holding, erased] = await Promise.all([
      store.tokens.findValid(distinct(asked.map(({ token }) => token))),
      store.turns.findErased(distinct(asked.map(({ turn }) => turn))),
    ]);
    for (const { entry, token, turn } of asked) {
      if (token !== undefined && !holding.has(token)) end(entry, badToken());
      else if (turn !== undefined && erased.has(turn)) end(entry, erasedTurnProblem(turn));
      else entry.confirmedAt = at;
    }
  };
  const look = () => {
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
    // A question that is never answered is put again one day; till then the store has enough to do.
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
      stop ??= every(everyMs, look);
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

/** A JSON Web Token is nobody's row: whoever signed it said when it ends. Nor is the signature of a message. */
function tokenOf({ id, by }: Caller): string | undefined {
  return by === "token" || by === "cookie" || by === "chat-cookie" ? id : undefined;
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

/** Does something again and again, and gives back what stops it. It keeps no process from ending. */
export type Every = (milliseconds: number, work: () => void) => () => void;

export const usualEvery: Every = (milliseconds, work) => {
  const timer = setInterval(work, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
};
