import type { Scope } from "../../amend/amendment.ts";
import { type Baseline, baselineOf, isOwn, isUpdate, turnsBeside, type Update } from "../../delivery/baseline.ts";
import { carry } from "../../delivery/cost.ts";
import { historyOf, type PastTurn, type TurnMessages } from "../../delivery/history.ts";
import { markOf } from "../../delivery/mark.ts";
import type { Message, ToolOffer } from "../../delivery/model.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { isRecord } from "../../prompt/argument.ts";
import { oneLine } from "../../prompt/character.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Notice } from "../../prompt/reading.ts";
import type { SectionText } from "../../prompt/receipt.ts";
import type { ForeignText } from "../../prompt/step-result.ts";
import { pictureClaimed } from "../../store/event.ts";
import type { Store } from "../../store/store.ts";
import { sha256 } from "../../store/texts/packing.ts";
import type { FoundSession, Session, SessionReason, SessionTurn } from "../../store/turns/session.ts";
import type { OpenedTurn, Turn } from "../../store/turns/turns.ts";
import { openTexts, recordedTexts } from "./ask-reason.ts";

/** A session as this process knows it. The store has the same; this spares reading a whole history every turn. */
export type LiveSession = {
  readonly id: string;
  readonly scope: Scope;
  /** The model it was last sent to: where the agent's is another, the prefix is built anew. */
  receiver: string;
  /** The model in whose place that one answers; null: it is the agent's first. */
  standsInFor: string | null;
  /** The model its messages are made for. */
  readFor: string;
  /** The reason it was opened although an earlier session existed. */
  readonly because: SessionReason | null;
  baseline: Baseline | null;
  /** The tools that its last request offered; null: another process made it. */
  offers: readonly ToolOffer[] | null;
  /** The baseline as the store has it. */
  storedBaseline: Baseline | null;
  stretches: readonly TurnMessages[];
  /** The foreign texts that came into it, with those that are the user's own by now. */
  texts: readonly ForeignText[];
  /** The newest turn of it that this process has seen; null when it has to read the store again. */
  newestTurn: string | null;
  /** The first turn that another process had not finished when this one read the session: its words are still to come. */
  readonly unfinished: string | null;
  /** The number of messages in the last request, the prefix it had (null: another process made it), and the time it was made. */
  sentMessages: number;
  prefix: readonly SectionText[] | null;
  lastRequestAt: number | null;
};

/** The user and the channel of a new session; `null`: a job's, or at the operator's door the operator's own. */
export type NewSessionInput = { readonly user: string | null; readonly channel?: string };

export type LiveSessions = {
  /** Opens a new session, as a turn that asks for one does. */
  readonly open: (scope: Scope, channel: string | undefined) => Promise<FoundSession>;
  /**
   * Finds or opens the session of a turn (on its channel, unless one is named), and holds it until it is released: turns of one
   * session follow each other. For “none”, and a job that names none, there is no session yet: it is opened with the turn.
   */
  readonly hold: (scope: Scope, asked: AskedSession) => Promise<HeldSession>;
  /** Returns the session a turn would go on in; undefined where it would open a new one. Nothing is opened. */
  readonly find: (
    scope: Scope,
    asked: { readonly session?: string | undefined; readonly channel?: string | undefined },
  ) => Promise<FoundSession | undefined>;
  /** Returns that session with its history, as the next turn would find it. Nothing is recovered or kept. */
  readonly peek: (scope: Scope, found: FoundSession | undefined, choose: ChooseReceiver) => Promise<LiveSession>;
};

/** Chooses the model that goes on with a session, by the one it was sent to last. */
type ChooseReceiver = (sent: SentSession) => Promise<Receiver>;

/** The model a session was last sent to, and the one in whose place it answers. */
export type SentSession = { readonly receiver: string; readonly standsInFor?: string | null };

/** A session that one turn has to itself. */
export type HeldSession = {
  readonly id: string | undefined;
  /** Returns the newest turn of it that this process has seen, for the next turn to follow. */
  readonly newestTurn: () => string | undefined;
  /** Returns, once the turn is open, the session with its earlier history, by this process and by others. */
  readonly enter: (turn: OpenedTurn, choose?: ChooseReceiver) => Promise<LiveSession>;
  /** Releases the session for the next turn. */
  readonly release: () => void;
};

type LiveSessionsOptions = {
  readonly store: Store;
  readonly receiver: Receiver;
  readonly settings: SessionSettings;
  /** Says that turns without a user are the operator's own, not jobs. */
  readonly operator: boolean;
  readonly clock: () => Date;
  /** Marks turns whose process has died, and returns them. */
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
      if (asked.session === "none" || (asked.session === undefined && isJob(options, scope)))
        return {
          id: undefined,
          newestTurn: () => undefined,
          enter: async (turn) => newSession(turn, receiver),
          release: () => {},
        };
      const unlock = await lock(`${scope.agent}\0${scope.user ?? ""}`);
      const opening = findSession(options, scope, asked).then(({ id }) => ({ id, locked: lock(id) }));
      const { id, locked } = await opening.finally(unlock);
      const release = await locked;
      let current: LiveSession | undefined;
      return {
        id,
        newestTurn: () => live.get(id)?.newestTurn ?? undefined,
        enter: async ({ id: turn, isNext = false }, choose) => {
          const known = live.get(id);
          const next = isNext ? known : undefined;
          const chosen = choose ? await choose(next ?? (await store.sessions.find(id))) : receiver;
          current = next?.readFor === chosen.name ? next : await loadSession(options, chosen, { id, turn });
          if (current === known) current.newestTurn = turn;
          return current;
        },
        release: () => {
          // The session has this turn's messages by now.
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
      const chosen = await choose(next ?? found);
      // A preview changes only its copy, so the session itself stays as it is.
      if (next?.readFor === chosen.name) return { ...next };
      return loadSession({ ...options, recover: async () => [] }, chosen, { id: found.id, turn: noTurn });
    },
  };
}

/** A turn id for previews of a session. No turn has it. */
const noTurn = "";

/** Tells whether nobody took a turn since the newest one this process knows. */
async function isNewest(store: Store, { id, newestTurn: newest }: LiveSession): Promise<boolean> {
  return newest !== null && (await store.sessions.since(id, newest)).length === 0;
}

/** Makes a session without earlier messages. */
function newSession(
  { id: turn, scope, session }: Pick<Turn, "id" | "scope" | "session">,
  { name: receiver }: Receiver,
): LiveSession {
  const nothing = {
    baseline: null,
    offers: null,
    storedBaseline: null,
    stretches: [],
    texts: [],
    unfinished: null,
    lastRequestAt: null,
  };
  const receivers = { receiver, standsInFor: null, readFor: receiver };
  const about = { id: session as string, scope, ...receivers, because: null, newestTurn: turn };
  return { ...nothing, ...about, sentMessages: 0, prefix: null };
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
  // A turn's process may have died since this one began: then the calls it made are part of the history, too.
  if (turns.some(({ state }) => state === "running") && (await recover()).length > 0) ({ turns, own } = await before());
  // The history includes this turn at first, so that an unanswered input which it asks again is sent once.
  const history = historyOf([...turns, ...own] as readonly PastTurn[], baseline, receiver);
  const stretches = own.length > 0 ? history.slice(0, -1) : history;
  const messages = messagesOf(stretches);
  const sent = messages.findLastIndex(({ role }) => role === "assistant");
  // The cache of this model holds nothing that another model was sent.
  const askedAt =
    baseline === null || !isOwn ? null : await lastAskedAt(store, session, { turns, before: baseline.summary?.until });
  // An unfinished turn of another process is left out here; the next turn reads again.
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
    offers: null,
    storedBaseline: stored,
    stretches,
    texts: recordedTexts(baseline?.summary, turns),
    newestTurn: newest,
    unfinished,
    lastRequestAt: askedAt,
  };
  return { ...about, sentMessages: isOwn ? Math.max(0, sent) : 0, prefix: null };
}

/** Reads the foreign texts of a session, as its next turn would find them. */
export async function foreignTextsOf(
  { sessions, events }: OwnPicturesStore,
  session: string,
): Promise<readonly ForeignText[]> {
  const summary = baselineOf((await sessions.get(session)).baseline)?.summary;
  return withOwnPictures({ events }, recordedTexts(summary, await sessions.history(session, turnsBeside(summary))));
}

type OwnPicturesStore = Pick<Store, "sessions" | "events">;

/** Marks the pictures that the user said are their own, whenever, and at whichever door. Without pictures nothing is read. */
export async function withOwnPictures(
  { events }: Pick<Store, "events">,
  texts: readonly ForeignText[],
): Promise<readonly ForeignText[]> {
  const sentIn = new Set(openTexts(texts).flatMap((text) => text.sentIn ?? []));
  if (sentIn.size === 0) return texts;
  const claims = (await events.ofTurns([...sentIn])).filter(({ kind }) => kind === pictureClaimed);
  const keys = new Set(claims.map(({ detail }) => (detail as PictureClaim).key));
  return texts.map((text) => (keys.has(text.key) ? { ...text, own: true as const } : text));
}

/** The detail of the event by which a picture is the user's own. `turn`: the turn that was asked about when they said so. */
type PictureClaim = Pick<ForeignText, "key" | "says"> & { readonly by: string; readonly turn: string };

/** Records that pictures are the user's own, each with the turn it came with. */
export async function claimPictures(
  { events }: Pick<Store, "events">,
  texts: readonly ForeignText[],
  { scope, ...about }: { readonly scope: Scope } & Pick<PictureClaim, "by" | "turn">,
): Promise<void> {
  for (const { key, says, sentIn } of openTexts(texts)) {
    const detail: PictureClaim = { key, says, ...about };
    await events.record({ scope, kind: pictureClaimed, turn: sentIn as string, detail });
  }
}

/** Returns the time of the last request. A message sent by a schedule is none: the request before it kept the cache warm. */
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

const joinedMessages = new WeakMap<readonly TurnMessages[], readonly Message[]>();

/** Joins the messages of turns into one list; the same turns give the same list. */
export function messagesOf(stretches: readonly TurnMessages[]): readonly Message[] {
  const known = joinedMessages.get(stretches);
  if (known) return known;
  const all: Message[] = [];
  for (const { messages } of stretches) for (const message of messages) all.push(message);
  joinedMessages.set(stretches, all);
  return all;
}

/** Makes a lock for each key: holders follow each other in the order they asked, and each releases it. */
function createLocks(): (key: string) => Promise<() => void> {
  const last = new Map<string, Promise<void>>();
  return async (key) => {
    const before = last.get(key);
    const { promise: released, resolve } = Promise.withResolvers<void>();
    last.set(key, released);
    await before;
    return () => {
      resolve();
      if (last.get(key) === released) last.delete(key);
    };
  };
}

type FindSessionOptions = {
  readonly store: Store;
  readonly receiver: Receiver;
  readonly settings: SessionSettings;
  readonly operator: boolean;
  readonly clock: () => Date;
};

/** Tells whether a turn is a job: it has no user, and its door is not the operator's. */
export function isJob({ operator }: { readonly operator: boolean }, { user }: Scope): boolean {
  return user === undefined && !operator;
}

/** The session that a turn asks for: an id or “new”, the turn that a new one continues from, and the channel. */
type AskedSession = {
  readonly session?: string | undefined;
  readonly beginsAfter?: string | undefined;
  readonly channel?: string | undefined;
};

/**
 * Finds the session of a turn: the named one; a new one, where that is asked for or the newest was idle for too long; or the
 * newest of its channel. A session that is not continued stays open, for whoever comes back to it by its id.
 */
async function findSession(options: FindSessionOptions, scope: Scope, asked: AskedSession): Promise<FoundSession> {
  const { store, receiver, settings } = options;
  const { session, because } = await openSession(options, scope, asked);
  const channel = settings.across ? null : asked.channel;
  const { beginsAfter } = asked;
  if (session) return session;
  const about = { scope, receiver: receiver.name, channel, because, beginsAfter, job: isJob(options, scope) };
  const { baseline: _, ...opened } = await store.sessions.open(about);
  return opened;
}

/** Finds the session for a preview: nothing is opened. Undefined: the turn would open a new one. */
async function peekSession(
  options: FindSessionOptions,
  scope: Scope,
  asked: AskedSession,
): Promise<FoundSession | undefined> {
  return (await openSession(options, scope, asked)).session;
}

type OpenSession =
  | { readonly session: FoundSession; readonly because?: undefined }
  | { readonly session?: undefined; readonly because: FoundSession["because"] };

/** Returns the session to continue, or why a new one is needed. */
async function openSession(
  options: FindSessionOptions,
  scope: Scope,
  { session: wanted, channel }: AskedSession,
): Promise<OpenSession> {
  const { store, settings, clock } = options;
  const job = isJob(options, scope);
  if (wanted !== undefined && wanted !== "new") {
    const session = await store.sessions.find(wanted);
    checkSession(session, scope, job);
    return { session };
  }
  if (job) return { because: null };
  const latest = await store.sessions.latest(scope, settings.across ? null : channel);
  const idle = latest !== undefined && isIdle(latest, settings, clock());
  if (latest && wanted === undefined && !idle) return { session: latest };
  return { because: latest ? (wanted === "new" ? "new" : "idle") : null };
}

/** Tells whether its last request is too long ago for it to be continued by default. */
export function isIdle({ lastAt }: Pick<FoundSession, "lastAt">, { idleHours }: SessionSettings, now: Date): boolean {
  return idleHours !== undefined && now.getTime() - Date.parse(lastAt) > idleHours * 3_600_000;
}

type CheckedSession = Pick<FoundSession, "id" | "scope" | "endedAt" | "job">;

/** Refuses the session of another; `isJobs`: a job asks for it, and gets none of the operator's own. */
export function checkSession({ id, scope, endedAt, job = false }: CheckedSession, asked: Scope, isJobs: boolean): void {
  if (scope.agent !== asked.agent || scope.user !== asked.user || job !== isJobs)
    throw new Problem("unknown-session", `There is no session “${id}” here.`, "Check the id, the agent and the user.");
  if (endedAt !== null) throw new Problem("session-ended", `The session “${id}” ended ${endedAt}.`, "Start a new one.");
}

/** The rules by which an agent's turns are put into sessions, where nobody names one. */
export type SessionSettings = {
  /** Maximum age of the last request, in hours, for a session to go on; after that the next turn opens a new one. */
  readonly idleHours?: number | undefined;
  /** Uses one session for all of a user's channels. Each turn says which one it came by. */
  readonly across?: boolean | undefined;
};

/** Reads the settings, and names what is wrong with them. `of`: whose they are, for the message. */
export function sessionSettingsOf(given: unknown, of: string, code = "bad-argument"): SessionSettings {
  const wrong = (what: string, hint: string) => new Problem(code, `${of}: ${what}.`, hint);
  if (given === undefined || given === null) return {};
  if (!isRecord(given)) throw wrong("“sessions” is no object", example);
  const { idleHours, across, ...others } = given;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrong(`“sessions” has no “${unknown}”`, example);
  if (!isGiven(idleHours)) return { across: flagOf(across) };
  if (typeof idleHours !== "number" || !(idleHours > 0) || !Number.isFinite(idleHours))
    throw wrong(
      `“sessions.idleHours” is ${JSON.stringify(idleHours)}`,
      "Give a number of hours above 0, or leave it out.",
    );
  return { idleHours, across: flagOf(across) };

  function flagOf(value: unknown): boolean | undefined {
    if (!isGiven(value)) return undefined;
    if (typeof value === "boolean") return value;
    throw wrong(`“sessions.across” is ${JSON.stringify(value)}`, "Give true or false.");
  }
}

const example = "Give { idleHours: 12, across: true }, or one of the two.";

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Returns why the prefix of a session is built anew with its next turn; undefined where it goes on with its own. */
export function rebuildReasonOf(
  { receiver, baseline }: { readonly receiver: string; readonly baseline: Baseline | null },
  now: string,
): string | undefined {
  if (baseline === null) return undefined;
  if (receiver !== now) return "the model changed";
  return baseline.summary && baseline.version === 2 && !baseline.since ? "the history was compacted" : undefined;
}

/**
 * Removes the mark from a session's updates. A model that knows no system voice among messages needed it; the next one may know
 * one, and otherwise they get the mark again.
 */
export function withoutMarks(baseline: Baseline): Baseline {
  const mark = `${markOf(baseline.secret, sha256)} `;
  const plain = (one: Update): Update => {
    if (!isOwn(one) || !one.text.startsWith(mark)) return one;
    const { told } = one;
    const [first, ...spans] = told?.spans ?? [];
    const rest = first && first.length > mark.length ? [{ ...first, length: first.length - mark.length }] : [];
    const text = one.text.slice(mark.length);
    return { ...one, text, told: told && { ...told, spans: [...rest, ...spans], tokens: null } };
  };
  return { ...baseline, updates: baseline.updates.map(plain) };
}

/** The fields of a session that take memory. */
type SizedSession = { readonly baseline: Baseline | null; readonly stretches: readonly TurnMessages[] };

/** The live sessions a process keeps, up to a number and a size in bytes. The one that was used longest ago goes first. */
type SessionCache = {
  /** Returns the sessions of one agent, by their ids. */
  readonly section: <Session extends SizedSession>() => {
    readonly get: (id: string) => Session | undefined;
    /** Stores a session, and measures it anew. */
    readonly set: (id: string, session: Session) => void;
  };
  readonly bytes: () => number;
  readonly count: () => number;
};

type Kept = { readonly session: SizedSession; readonly bytes: number };

export function createSessionCache(limits: { readonly sessions: number; readonly bytes: number }): SessionCache {
  const kept = new Map<string, Kept>();
  let [bytes, sections] = [0, 0];
  const drop = (key: string) => {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  };
  return {
    bytes: () => bytes,
    count: () => kept.size,
    section: <Session extends SizedSession>() => {
      const own = `${sections++} `;
      return {
        get: (id) => kept.get(own + id)?.session as Session | undefined,
        set: (id, session) => {
          drop(own + id);
          const one = { session, bytes: bytesOf(session) };
          kept.set(own + id, one);
          bytes += one.bytes;
          while (bytes > limits.bytes || kept.size > limits.sessions) drop(kept.keys().next().value as string);
        },
      };
    },
  };
}

/** Cache of all agents of a process. */
export const processSessions = createSessionCache({ sessions: 1000, bytes: 64 * 1024 * 1024 });

/** Approximate size of an object beside its texts, in bytes. */
const objectBytes = 200;

/** Estimates a session's size: its texts, two bytes a character, and the objects that hold them. */
function bytesOf({ stretches, baseline }: SizedSession): number {
  const bytes = messageBytes(messagesOf(stretches)).at(-1) as number;
  return bytes + objectBytes * stretches.length + (baseline ? baselineBytes(baseline) : 0);
}

const messageBytes = carry(0, (before, message) => {
  const { length } = isUpdate(message) ? message.text : JSON.stringify(message);
  return before + objectBytes + 2 * length;
});

function baselineBytes({ words, updates, summary }: Baseline): number {
  const parts = [...words, ...updates.flatMap((one) => one.words ?? [])];
  const spans = [...parts, ...updates.flatMap(({ told }) => told ?? [])].reduce(
    (sum, one) => sum + one.spans.length,
    0,
  );
  const chars = [...parts, ...updates].reduce((sum, { text }) => sum + text.length, summary?.text.length ?? 0);
  return objectBytes * (parts.length + updates.length + spans) + 2 * chars;
}

/** Lines that say by which channel a message came, where one session has them all. */
const channelLine = /^[ \t]*\(by [^()\r\n]*\)[ \t]*$/gim;

/**
 * Puts the line that names the channel before the user's message. Only the first line counts: one of the same form in the message
 * is put in quotes.
 */
export function saidBy(channel: string | undefined, input: string): string {
  if (channel === undefined || channel === "") return input;
  return `(by ${oneLine(channel).replace(/[()]/g, "")})\n${input.replace(channelLine, (found) => `“${found.trim()}”`)}`;
}

/**
 * Makes the notice, in the first turn of a session, that an earlier session exists. Without a baseline no request was made in it
 * yet: all its messages were sent by schedules.
 */
export function sessionNotice({ because, stretches, baseline }: LiveSession): Notice | undefined {
  if (because === null || (baseline !== null && messagesOf(stretches).some((one) => !isUpdate(one)))) return undefined;
  return { code: "session-new", message: because === "idle" ? idleWords : newWords };
}

const newWords = "This is a new session: what was said before is not in it.";
const idleWords = "The session before was idle for too long. This is a new one: what was said before is not in it.";
