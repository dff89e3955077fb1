import type { Scope } from "../../amend/amendment.ts";
import { type Baseline, baselineOf } from "../../delivery/baseline.ts";
import { historyOf, type PastTurn, type TurnMessages } from "../../delivery/history.ts";
import type { Message } from "../../delivery/model.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { createBoundedMap } from "../../prompt/bounded-map.ts";
import { Problem } from "../../prompt/problem.ts";
import type { SectionText } from "../../prompt/receipt.ts";
import type { Store } from "../../store/store.ts";
import type { Session } from "../../store/turns/sessions.ts";
import type { Turn } from "../../store/turns/turns.ts";

/** A session as this process knows it. The store has the same; this spares reading a whole history every turn. */
export type LiveSession = {
  readonly id: string;
  readonly scope: Scope;
  baseline: Baseline | null;
  /** The baseline as the store has it. */
  storedBaseline: Baseline | null;
  stretches: readonly TurnMessages[];
  /** The newest turn of it that this process has seen; null when it has to look again. */
  newestTurn: string | null;
  /** The first that another process had not finished when this one looked: what it says is still to come. */
  readonly unfinished: string | null;
  /** How many messages the last request ended with, the prefix it had (null: another process made it), and when it was made. */
  sentMessages: number;
  prefix: readonly SectionText[] | null;
  lastRequestAt: number | null;
};

export type LiveSessions = {
  /**
   * Finds or opens the session a turn belongs to (on its channel, unless one is named), and works in it alone: turns of one session follow each other. Once the
   * turn is open, `enter` gives the session with all that was said before it, by this process and by others. For “none”
   * there is no session yet: it is opened with the turn.
   */
  readonly within: <Result>(
    scope: Scope,
    asked: { readonly session?: string | undefined; readonly channel?: string | undefined },
    work: (id: string | undefined, enter: (turn: Turn) => Promise<LiveSession>) => Promise<Result>,
  ) => Promise<Result>;
};

const maxSessions = 1000;

/** `recover` marks turns whose process is gone, and gives them. */
export function createLiveSessions(
  store: Store,
  receiver: Receiver,
  recover: () => Promise<readonly unknown[]>,
): LiveSessions {
  const enter = (id: string, turn: string) => loadSession({ store, receiver, recover }, id, turn);
  const live = createBoundedMap<string, LiveSession>(maxSessions);
  const alone = createQueues();
  const find = async (scope: Scope, wanted: string | undefined, channel: string | undefined): Promise<Session> => {
    if (wanted === undefined) {
      const latest = await store.sessions.latest(scope, receiver.name, channel);
      if (latest) return latest;
    } else if (wanted !== "new") {
      const session = await store.sessions.get(wanted);
      checkSession(session, scope, receiver);
      return session;
    }
    return store.sessions.open({ scope, receiver: receiver.name, channel });
  };
  return {
    within: async (scope, { session: wanted, channel }, work) => {
      if (wanted === "none") return work(undefined, async (turn) => newSession(turn));
      const session = await alone(`${scope.agent}\0${scope.user ?? ""}`, () => find(scope, wanted, channel));
      return alone(session.id, async () => {
        const { id } = session;
        return work(id, async ({ id: turn }) => {
          const known = live.get(id);
          const current = known && (await isNext(store, known, turn)) ? known : await enter(id, turn);
          if (current === known) current.newestTurn = turn;
          live.set(id, current);
          return current;
        });
      });
    },
  };
}

/** One in which nothing was said before this turn. */
function newSession({ id: turn, scope, session }: Turn): LiveSession {
  const nothing = { baseline: null, storedBaseline: null, stretches: [], unfinished: null, lastRequestAt: null };
  return { ...nothing, id: session as string, scope, newestTurn: turn, sentMessages: 0, prefix: null };
}

/** Nobody else took a turn since. */
async function isNext(store: Store, { id, newestTurn: newest }: LiveSession, turn: string): Promise<boolean> {
  if (newest === null) return false;
  const since = await store.sessions.since(id, newest);
  return since.length === 1 && since[0] === turn;
}

type LoadSessionOptions = {
  readonly store: Store;
  readonly receiver: Receiver;
  readonly recover: () => Promise<readonly unknown[]>;
};

async function loadSession(
  { store, receiver, recover }: LoadSessionOptions,
  id: string,
  turn: string,
): Promise<LiveSession> {
  const session = await store.sessions.get(id);
  const baseline = baselineOf(session.baseline);
  const { until, step } = baseline?.summary ?? {};
  const before = async () => {
    const all = await store.sessions.history(id, step === undefined ? { after: until } : { from: until });
    const own = all.findIndex((one) => one.id === turn);
    return own === -1 ? all : all.slice(0, own);
  };
  let turns = await before();
  // Whoever runs one may have died since this process began: then what it called is told as well.
  if (turns.some(({ state }) => state === "running") && (await recover()).length > 0) turns = await before();
  const stretches = historyOf(turns as readonly PastTurn[], baseline, receiver);
  const messages = messagesOf(stretches);
  const sent = messages.findLastIndex(({ role }) => role === "assistant");
  const askedAt = baseline === null ? null : Date.parse(session.lastAt);
  // One that another process has not finished yet is not told here; the next turn looks again.
  const unfinished = turns.find(({ state }) => state === "running")?.id ?? null;
  const newest = unfinished === null ? turn : null;
  const about = {
    id,
    scope: session.scope,
    baseline,
    storedBaseline: baseline,
    stretches,
    newestTurn: newest,
    unfinished,
    lastRequestAt: askedAt,
  };
  return { ...about, sentMessages: Math.max(0, sent), prefix: null };
}

export function messagesOf(stretches: readonly TurnMessages[]): Message[] {
  return stretches.flatMap(({ messages }) => messages);
}

function checkSession({ id, scope, receiver, endedAt }: Session, asked: Scope, { name }: Receiver): void {
  if (scope.agent !== asked.agent || scope.user !== asked.user)
    throw new Problem("unknown-session", `There is no session “${id}” here.`, "Check the id, the agent and the user.");
  if (endedAt !== null) throw new Problem("session-ended", `The session “${id}” ended ${endedAt}.`, "Start a new one.");
  if (receiver !== name)
    throw new Problem(
      "session-receiver",
      `The session “${id}” is with ${receiver}, and this turn is for ${name}.`,
      "Start a new session: another model has another cache.",
    );
}

/** Work under one key is done one after the other. */
function createQueues() {
  const last = new Map<string, Promise<unknown>>();
  return async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const before = last.get(key);
    const mine = before === undefined ? work() : before.then(work, work);
    const outcome = mine.then(
      () => {},
      () => {},
    );
    last.set(key, outcome);
    try {
      return await mine;
    } finally {
      if (last.get(key) === outcome) last.delete(key);
    }
  };
}
