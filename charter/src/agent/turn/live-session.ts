import type { Scope } from "../../amend/amendment.ts";
import { type Baseline, baselineOf, turnsBeside } from "../../delivery/baseline.ts";
import { historyOf, type PastTurn, type TurnMessages } from "../../delivery/history.ts";
import type { Message } from "../../delivery/model.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import type { SectionText } from "../../prompt/receipt.ts";
import type { Store } from "../../store/store.ts";
import type { Session, SessionReason, SessionTurn } from "../../store/turns/session.ts";
import type { Turn } from "../../store/turns/turns.ts";
import { type ForeignText, recordedTexts } from "./asking/ask-reason.ts";
import { type AskedSession, findSession, peekSession, type SessionSettings } from "./session/find-session.ts";
import { withoutMarks } from "./session/receiver-change.ts";
import { processSessions, type SessionCache } from "./session/session-cache.ts";

/** A session as this process knows it. The store has the same; this spares reading a whole history every turn. */
export type LiveSession = {
  readonly id: string;
  readonly scope: Scope;
  /** The model it was last sent to: where that is another than the agent's, its prefix is built anew. */
  receiver: string;
  /** The model whose place that one takes; null: it is the agent's first. */
  standsInFor: string | null;
  /** The model its messages are made for. */
  readFor: string;
  /** Why it was opened although there was one before it. */
  readonly because: SessionReason | null;
  baseline: Baseline | null;
  /** The baseline as the store has it. */
  storedBaseline: Baseline | null;
  stretches: readonly TurnMessages[];
  /** All foreign text that came into it. */
  texts: readonly ForeignText[];
  /** The newest turn of it that this process has seen; null when it has to look again. */
  newestTurn: string | null;
  /** The first that another process had not finished when this one looked: what it says is still to come. */
  readonly unfinished: string | null;
  /** How many messages the last request ended with, the prefix it had (null: another process made it), and when it was made. */
  sentMessages: number;
  prefix: readonly SectionText[] | null;
  lastRequestAt: number | null;
};

/** Whose new session is opened, and for which channel. */
export type NewSessionInput = { readonly user?: string; readonly channel?: string };

export type LiveSessions = {
  /** Opens a new one, as a turn that asks for it does. */
  readonly open: (scope: Scope, channel: string | undefined) => Promise<Session>;
  /**
   * Finds or opens the session a turn belongs to (on its channel, unless one is named), and has it alone until it is
   * released: turns of one session follow each other. For “none” there is no session yet: it is opened with the turn.
   */
  readonly hold: (scope: Scope, asked: AskedSession) => Promise<HeldSession>;
  /** The session a turn would go on in; undefined where it would open a new one. Nothing is opened. */
  readonly find: (
    scope: Scope,
    asked: { readonly session?: string | undefined; readonly channel?: string | undefined },
  ) => Promise<Session | undefined>;
  /** That session with all that was said in it, as the next turn would find it. Nothing is recovered or kept. */
  readonly peek: (scope: Scope, found: Session | undefined, choose: ChooseReceiver) => Promise<LiveSession>;
};

/** Says which model goes on with a session, by which it was sent to last. */
type ChooseReceiver = (sent: SentSession) => Promise<Receiver>;

/** Whom a session was last sent to, and in whose place. */
export type SentSession = { readonly receiver: string; readonly standsInFor?: string | null };

/** A session that one turn has to itself. */
export type HeldSession = {
  readonly id: string | undefined;
  /** Once the turn is open: the session with all that was said before it, by this process and by others. */
  readonly enter: (turn: Turn, choose?: ChooseReceiver) => Promise<LiveSession>;
  /** The turn is over: the next one may have it. */
  readonly release: () => void;
};

type LiveSessionsOptions = {
  readonly store: Store;
  readonly receiver: Receiver;
  readonly settings: SessionSettings;
  readonly clock: () => Date;
  /** Marks turns whose process is gone, and gives them. */
  readonly recover: () => Promise<readonly unknown[]>;
  readonly cache?: SessionCache;
};

export function createLiveSessions(options: LiveSessionsOptions): LiveSessions {
  const { store, receiver, cache = processSessions } = options;
  const live = cache.section<LiveSession>();
  const lock = createLocks();
  return {
    open: (scope, channel) => findSession(options, scope, { session: "new", channel }),
    hold: async (scope, asked) => {
      if (asked.session === "none")
        return { id: undefined, enter: async (turn) => newSession(turn, receiver), release: () => {} };
      const unlock = await lock(`${scope.agent}\0${scope.user ?? ""}`);
      const found = findSession(options, scope, asked).then(({ id }) => ({ id, locked: lock(id) }));
      const { id, locked } = await found.finally(unlock);
      const release = await locked;
      let current: LiveSession | undefined;
      return {
        id,
        enter: async ({ id: turn }, choose) => {
          const known = live.get(id);
          const next = known && (await isNext(store, known, turn)) ? known : undefined;
          const by = choose ? await choose(next ?? (await store.sessions.get(id))) : receiver;
          current = next?.readFor === by.name ? next : await loadSession(options, by, { id, turn });
          if (current === known) current.newestTurn = turn;
          return current;
        },
        release: () => {
          // By now it has what was said in this turn.
          if (current) live.set(id, current);
          release();
        },
      };
    },
    find: (scope, asked) => peekSession(options, scope, asked),
    peek: async (scope, found, choose) => {
      if (!found) return newSession({ id: noTurn, scope, session: noTurn }, await choose({ receiver: receiver.name }));
      const known = live.get(found.id);
      const next = known && (await isNewest(store, known)) ? known : undefined;
      const by = await choose(next ?? found);
      // A copy: whoever looks goes on from it, and the session itself stays as it is.
      if (next?.readFor === by.name) return { ...next };
      return loadSession({ ...options, recover: async () => [] }, by, { id: found.id, turn: noTurn });
    },
  };
}

/** Of whoever looks at a session without taking a turn in it. No turn has this id. */
const noTurn = "";

/** Nobody took a turn since the one this process saw last. */
async function isNewest(store: Store, { id, newestTurn: newest }: LiveSession): Promise<boolean> {
  return newest !== null && (await store.sessions.since(id, newest)).length === 0;
}

/** One in which nothing was said before this turn. */
function newSession(
  { id: turn, scope, session }: Pick<Turn, "id" | "scope" | "session">,
  { name: receiver }: Receiver,
): LiveSession {
  const nothing = {
    baseline: null,
    storedBaseline: null,
    stretches: [],
    texts: [],
    unfinished: null,
    lastRequestAt: null,
  };
  const by = { receiver, standsInFor: null, readFor: receiver };
  const about = { id: session as string, scope, ...by, because: null, newestTurn: turn };
  return { ...nothing, ...about, sentMessages: 0, prefix: null };
}

/** Nobody else took a turn since. */
async function isNext(store: Store, { id, newestTurn: newest }: LiveSession, turn: string): Promise<boolean> {
  if (newest === null) return false;
  const since = await store.sessions.since(id, newest);
  return since.length === 1 && since[0] === turn;
}

async function loadSession(
  { store, recover }: LiveSessionsOptions,
  receiver: Receiver,
  { id, turn }: { readonly id: string; readonly turn: string },
): Promise<LiveSession> {
  const session = await store.sessions.get(id);
  const stored = baselineOf(session.baseline);
  const isOwn = session.receiver === receiver.name;
  const baseline = isOwn || stored === null ? stored : withoutMarks(stored);
  const before = async () => {
    const all = await store.sessions.history(id, turnsBeside(baseline?.summary));
    const at = all.findIndex((one) => one.id === turn);
    return at === -1 ? { turns: all, own: [] } : { turns: all.slice(0, at), own: all.slice(at, at + 1) };
  };
  let { turns, own } = await before();
  // Whoever runs one may have died since this process began: then what it called is told as well.
  if (turns.some(({ state }) => state === "running") && (await recover()).length > 0) ({ turns, own } = await before());
  // What was asked before and is asked again now is said once.
  const told = historyOf([...turns, ...own] as readonly PastTurn[], baseline, receiver);
  const stretches = own.length > 0 ? told.slice(0, -1) : told;
  const messages = messagesOf(stretches);
  const sent = messages.findLastIndex(({ role }) => role === "assistant");
  // What another model was sent is not in this one's cache.
  const askedAt =
    baseline === null || !isOwn ? null : await lastAskedAt(store, session, { turns, before: baseline.summary?.until });
  // One that another process has not finished yet is not told here; the next turn looks again.
  const unfinished = turns.find(({ state }) => state === "running")?.id ?? null;
  const newest = unfinished === null ? turn : null;
  const about = {
    id,
    scope: session.scope,
    receiver: session.receiver,
    standsInFor: session.standsInFor ?? null,
    readFor: receiver.name,
    because: session.because,
    baseline,
    storedBaseline: stored,
    stretches,
    texts: recordedTexts(stretches),
    newestTurn: newest,
    unfinished,
    lastRequestAt: askedAt,
  };
  return { ...about, sentMessages: isOwn ? Math.max(0, sent) : 0, prefix: null };
}

/** What a schedule said in a session is no request: the one before it kept the cache warm. */
async function lastAskedAt(
  store: Store,
  { lastAt }: Session,
  { turns, before }: { readonly turns: readonly SessionTurn[]; readonly before: string | undefined },
): Promise<number | null> {
  if (!turns.at(-1)?.told) return Date.parse(lastAt);
  const own = turns.findLast(({ told }) => !told)?.id ?? before;
  if (own === undefined) return null;
  const { startedAt, endedAt } = await store.turns.get(own);
  return Date.parse(endedAt ?? startedAt);
}

export function messagesOf(stretches: readonly TurnMessages[]): Message[] {
  return stretches.flatMap(({ messages }) => messages);
}

/** What has one key is had by one after the other, in the order they asked; each gives it back. */
function createLocks(): (key: string) => Promise<() => void> {
  const last = new Map<string, Promise<void>>();
  return async (key) => {
    const before = last.get(key);
    const { promise: mine, resolve } = Promise.withResolvers<void>();
    last.set(key, mine);
    await before;
    return () => {
      resolve();
      if (last.get(key) === mine) last.delete(key);
    };
  };
}
