import type { Scope } from "../../amend/amendment.ts";
import { isRecord, isText } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { SentSpan } from "../../prompt/prompt.ts";
import type { Receipt, ReceiptText } from "../../prompt/receipt.ts";
import type { ForeignText, StepResult } from "../../prompt/step-result.ts";
import { lockAgentAlone } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database, Reach } from "../home/database.ts";
import { insertInto, ownRows, type Page, reachFilter, recordOf, setting } from "../home/query.ts";
import { type Query, raw, sql } from "../home/sql.ts";
import { type RecordOf, type RowOf, scopeOf } from "../home/table.ts";
import type { Texts } from "../texts/text.ts";
import { attachmentsOf } from "./attachments.ts";
import type { TurnFilter, TurnSort } from "./list-turns.ts";
import type { StepRow } from "./steps.ts";
import { type Announcement, announcementOf, sessions, type Turn, type TurnRow, unknownTurn } from "./turn.ts";

/** A conversation: a series of turns that share a cached prefix. Read `baseline` with `baselineOf` in `charter/delivery`. */
export type Session = FoundSession & { readonly baseline: unknown };

/** A session without its baseline, which is long: most callers that find one know it already. */
export type FoundSession = RecordOf<typeof sessions>;

/** Reason why a session was opened although there was one before it. */
export type SessionReason = NonNullable<Session["because"]>;

/**
 * Filter for sessions of one agent, user or channel; `open`: only those that can go on. The other conditions of a turn filter
 * hold of at least one of its turns; the cost limits hold of all its turns together.
 */
export type SessionFilter = Omit<TurnFilter, "session"> & { readonly open?: boolean | undefined };

/** Options for a list of sessions: the filter, the page and the order, by default the most recently used first. */
export type ListSessionsOptions = Page & SessionFilter & { readonly sort?: Exclude<TurnSort, "duration"> | undefined };

export type SessionRow = RowOf<typeof sessions>;

type InsertedSession = Pick<Session, "id" | "scope" | "receiver" | "channel" | "endedAt"> & {
  readonly because?: SessionReason | null | undefined;
  readonly beginsAfter?: string | undefined;
  readonly job?: boolean | undefined;
  readonly baseline?: unknown;
  readonly at: string;
};

export async function insertSession(
  db: Database,
  { at, baseline = null, ...session }: InsertedSession,
): Promise<Session> {
  const inserted = insertInto(sessions, { ...session, baseline, startedAt: at, lastAt: at });
  // Calls of a program name their own session, which ends with each of them.
  const again = sql`on conflict (id) do update set last_at = excluded.last_at`;
  return {
    ...recordOf(sessions, (await db.one<SessionRow>(sql`${inserted} ${again} returning *`)) as SessionRow),
    baseline,
  };
}

const shown = raw(
  sessions.all
    .filter(({ isHidden }) => !isHidden)
    .map(({ column }) => column)
    .join(", "),
);

/** Finds the newest open session of a scope, in the caller's transaction: of no user, the operator's own, never a job's. */
export async function latestSession(
  db: Database,
  scope: Scope,
  channel?: string | null,
): Promise<FoundSession | undefined> {
  const ofChannel = channel === null ? raw("channel is null") : sql`(channel = ${channel ?? ""} or channel is null)`;
  // Sorted as a value, not by an index: one that has every session in its order would be written by every turn.
  const row =
    await db.one<SessionRow>(sql`select ${shown} from sessions where ${ownRows(scope)} and ended_at is null and job is null
    and ${channel === undefined ? raw("1 = 1") : ofChannel} order by coalesce(last_at, '') desc, id desc limit 1`);
  return row && recordOf(sessions, row);
}

/** Changes that a step or the end of a turn makes to its session: the time of its last use, its baseline and its receiver. */
export type SessionTouch = {
  readonly touch: true;
  readonly baseline?: unknown;
  /** Model that it is sent to, if another than before. */
  readonly receiver?: string | undefined;
  /** Model whose place the receiver takes; null: the receiver is the agent's first. */
  readonly standsInFor?: string | null | undefined;
};

/**
 * Updates a session, in the caller's transaction. A turn may name a session of another scope, or one that is not in this store:
 * then nothing happens.
 */
export function touchSession(
  db: Database,
  { id, scope }: { readonly id: string; readonly scope: Scope },
  at: string,
  { baseline, receiver, standsInFor }: SessionTouch,
  sent?: SentTexts,
): void {
  // A baseline is not put into an ended session, because that session may have been erased.
  const kept = sql`case when ended_at is null then ${jsonOf(withoutTexts(baseline, sent))} else baseline end`;
  const set = {
    last_at: at,
    baseline: baseline === undefined ? undefined : kept,
    receiver,
    stands_in_for: standsInFor,
  };
  db.send(sql`update sessions set ${setting(set)} where id = ${id} and ${ownRows(scope)}`);
}

/** The texts of the request that a baseline is stored with, and the digest of its receipt, which names them. */
type SentTexts = { readonly receipt: string; readonly texts: readonly ReceiptText[] };

/** A text of a baseline: a section of its prefix or, with “told”, a message that told of a change. */
type BaselineText = {
  readonly text: string;
  readonly name?: string;
  readonly section?: string;
  readonly told?: object;
};

/** The same as the receipt has it: its digest there, and the number of characters that follow it in that text. */
type LeftText = { readonly left: string; readonly gap: number; readonly section?: string };

type BaselineTexts = Readonly<Record<"words" | "updates", readonly (BaselineText | LeftText)[]>>;

/** Minimum number of characters of a text that is left to the receipt: for less, reading that again would cost more. */
const minLeftChars = 200;

function hasTexts(baseline: unknown): baseline is BaselineTexts {
  const { words, updates } = Object(baseline) as Partial<BaselineTexts>;
  return Array.isArray(words) && Array.isArray(updates);
}

/** Leaves long texts of a baseline to the receipt of its request, which has them as well: most turns write a new baseline. */
function withoutTexts(baseline: unknown, sent: SentTexts | undefined): unknown {
  if (!sent || !hasTexts(baseline)) return baseline;
  const named = Map.groupBy(sent.texts, ({ section }) => section);
  const left = (one: BaselineText | LeftText) => {
    const { text, name, section = name, told, ...about } = one as BaselineText;
    if (!isText(text) || text.length < minLeftChars || told === null) return one;
    const isThere = (other: ReceiptText) => (told ? other.text === text : other.text.startsWith(text));
    const there = named.get(section as string)?.find(isThere);
    if (!there) return one;
    // All else of a section, and of what was told, is in the receipt as well.
    return { ...(told ? { ...about, section } : {}), left: there.digest, gap: there.text.length - text.length };
  };
  const { words, updates } = baseline;
  return { ...baseline, words: words.map(left), updates: updates.map(left), receipt: sent.receipt };
}

/** Reads a baseline with the texts it left to a receipt. Where one is on record no longer, the session opens anew. */
async function wholeBaseline(db: Database, texts: Texts, { user_id: owner, baseline }: SessionRow): Promise<unknown> {
  const parsed: unknown = JSON.parse(baseline);
  const { receipt, ...stored } = Object(parsed) as { readonly receipt?: unknown };
  if (!isText(receipt) || !hasTexts(stored)) return parsed;
  const lefts = [...stored.words, ...stored.updates].flatMap((one) => ("left" in one ? one.left : []));
  const { slots } = JSON.parse((await texts.get(db, owner, receipt)) ?? '{"slots":[]}') as Pick<Receipt, "slots">;
  const sections = new Map(slots.flatMap((one) => one.sections.map((section) => [section.digest, section])));
  const [theirs, common] = [await texts.getAll(db, owner, lefts), await texts.getAll(db, "", lefts)];
  const whole = (one: BaselineText | LeftText) => {
    if (!("left" in one)) return one;
    const { left, gap, ...about } = one;
    const [text, section] = [theirs.get(left) ?? common.get(left), sections.get(left)];
    if (text === undefined || !section) return undefined;
    const { name, digest: _, whose: __, predicted: ___, spans, ...facts } = section;
    const last = spans.at(-1) as SentSpan;
    const own = { ...facts, spans: [...spans.slice(0, -1), { ...last, length: last.length - gap }] };
    return { ...about, text: text.slice(0, text.length - gap), ...(about.section ? { told: own } : { name, ...own }) };
  };
  const [words, updates] = [stored.words.map(whole), stored.updates.map(whole)];
  const isWhole = ![...words, ...updates].includes(undefined);
  return { ...stored, ...(isWhole ? { words, updates } : { words: [], updates: [] }) };
}

const written = new WeakMap<object, string>();

/** Writes a baseline as JSON. The items of its lists are mostly those of before, and are not written anew. */
function jsonOf(baseline: unknown): string {
  if (!isRecord(baseline)) return JSON.stringify(baseline ?? null);
  const item = (one: unknown) => {
    if (!isRecord(one)) return JSON.stringify(one);
    const known = written.get(one) ?? JSON.stringify(one);
    written.set(one, known);
    return known;
  };
  const fields = Object.entries(baseline).flatMap(([name, value]) => {
    const text = Array.isArray(value) ? `[${value.map(item).join(",")}]` : JSON.stringify(value);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${fields.join(",")}}`;
}

export function unknownSession(id: string): Problem {
  return new Problem("unknown-session", `There is no session “${id}”.`, "Check the id.");
}

/** Finds a session without its baseline. */
export async function findSession(db: Database, id: string, reach: Reach): Promise<FoundSession> {
  const row = await db.one<SessionRow>(sql`select ${shown} from sessions where id = ${id}${reachFilter(reach)}`);
  if (row) return recordOf(sessions, row);
  throw unknownSession(id);
}

export async function wholeSession(db: Database, texts: Texts, id: string, reach: Reach): Promise<Session> {
  const row = await db.one<SessionRow>(sql`select * from sessions where id = ${id}${reachFilter(reach)}`);
  if (row) return { ...recordOf(sessions, row), baseline: await wholeBaseline(db, texts, row) };
  throw unknownSession(id);
}

/**
 * A turn in a session's history: its input, its reply, and the result of each step. Pass it to `historyOf`. Erased text is not in
 * it.
 */
export type SessionTurn = Pick<Turn, "id" | "input" | "attachments" | "reply" | "state" | "tainted"> & {
  /** The texts of others that a tainted turn brought, where that is on record. */
  readonly foreign?: readonly ForeignText[];
  readonly steps: readonly { readonly step: number; readonly result: StepResult | null }[];
  /** Set on a schedule's turn whose reply was sent into this chat: it is no turn of this session. */
  readonly told?: Announcement;
  /** Set on a turn of the session that this one continues: it is no turn of this session. */
  readonly before?: true;
};

/** The newest turn of a session: shows whether others took turns meanwhile. */
export type NewestTurn = Pick<Turn, "id" | "state">;

type SessionTurnsQuery = {
  readonly session: string;
  readonly after?: string | undefined;
  readonly from?: string | undefined;
  readonly reach: Reach;
};

/**
 * Position of a turn in a history, by the time it was opened, or announced here. An announcement comes after every turn that was
 * open by then, because those were sent without it.
 */
type Place = Pick<TurnRow, "id"> & { readonly at: string; readonly told: number };

/** Returns the condition for the turns of a session. It says that the name is short, where it is, so that the index is used. */
function ofSession(session: string, reach: Reach): Query {
  const indexed = session.length <= 200 ? raw(" and length(session) <= 200") : raw("");
  return sql`session = ${session}${indexed}${reachFilter(reach)}`;
}

function toldIn(session: string, reach: Reach): Query {
  return sql`told_in = ${session}${reachFilter(reach)}`;
}

/** Returns the condition for own turns after a place; `itself` includes the turn at that place. */
const ownAfter = ({ at, told, id }: Place, itself: boolean): Query =>
  told ? sql` and started_at > ${at}` : sql` and (started_at, id) ${raw(itself ? ">=" : ">")} (${at}, ${id})`;

const toldAfter = ({ at, told, id }: Place): Query =>
  told ? sql` and (told_at, id) > (${at}, ${id})` : sql` and told_at >= ${at}`;

function placeOf(db: Database, turn: string, session: string, reach: Reach): Promise<Place | undefined> {
  return db.one<Place>(sql`select id, started_at as at, 0 as told from turns
      where id = ${turn} and ${ofSession(session, reach)}
    union all select id, told_at as at, 1 as told from turns where id = ${turn} and ${toldIn(session, reach)}`);
}

/** Returns the turns of a session, and before them those of the session that it continues. */
export async function turnsOfSession(db: Database, query: SessionTurnsQuery): Promise<SessionTurn[]> {
  const { session, after, from = after, reach } = query;
  const place = from === undefined ? undefined : await placeOf(db, from, session, reach);
  const begins = place ? undefined : await beginningOf(db, session, reach);
  if (from !== undefined && !place && !begins) throw unknownTurn(from);
  const own = await ownTurns(db, query, place);
  if (!begins) return own;
  const earlier = await turnsOfSession(db, { ...query, session: begins.session });
  const last = earlier.findIndex(({ id }) => id === begins.turn);
  return [...earlier.slice(0, last + 1).map((turn) => ({ ...turn, before: true as const })), ...own];
}

function beginningOf(db: Database, session: string, reach: Reach) {
  return db.one<{ turn: string; session: string }>(sql`select id as turn, session from turns
    where id = (select begins_after from sessions where id = ${session}) and session is not null${reachFilter(reach)}`);
}

/**
 * Reads the turns that were opened or announced in a session, in the order of those times: ids may be chosen by the caller, and
 * do not tell the order.
 */
async function ownTurns(
  db: Database,
  { session, after, from = after, reach }: SessionTurnsQuery,
  place: Place | undefined,
): Promise<SessionTurn[]> {
  const itself = from !== undefined && after === undefined;
  const own = sql`${ofSession(session, reach)}${place ? ownAfter(place, itself) : raw("")}`;
  const others = sql`${toldIn(session, reach)}${place ? toldAfter(place) : raw("")}`;
  const rows = await db.all<TurnRow & Place>(sql`
    select id, input, reply, state, tainted, foreign_texts, started_at as at, 0 as told, null as told_as, attachments
      from turns where ${own}
    union all select id, '' as input, reply, state, tainted, null as foreign_texts, told_at as at, 1 as told, told_as, null as attachments
      from turns where ${others}
    order by at, told, id`);
  if (rows.length === 0) return [];
  const steps = new Map<string, SessionTurn["steps"][number][]>(rows.map(({ id }) => [id, []]));
  for (const { turn, step, result } of await db.all<Pick<StepRow, "turn" | "step" | "result">>(
    sql`select turn, step, result from steps where turn in (select id from turns where ${own})${reachFilter(reach)}
      order by turn, step`,
  ))
    steps.get(turn)?.push({ step, result: result === null ? null : JSON.parse(result) });
  return rows.map(({ id, input, reply, state, tainted, foreign_texts: texts, told, told_as, attachments }) => {
    const brought = attachments === null ? {} : { attachments: attachmentsOf(attachments) };
    const foreign = texts === null ? {} : { foreign: JSON.parse(texts) as readonly ForeignText[] };
    const turn = {
      id,
      input,
      ...brought,
      reply,
      state,
      tainted: tainted === 1,
      ...foreign,
      steps: steps.get(id) ?? [],
    };
    return told ? { ...turn, told: announcementOf(told_as) ?? erasedAnnouncement } : turn;
  });
}

/** Placeholder for an announcement that was erased. */
const erasedAnnouncement: Announcement = { schedule: "", at: "" };

/**
 * Returns the ids of the turns that were opened or announced after one, oldest first. Returns none if that turn is not there or
 * the session has ended, since it may have been erased: a caller with a copy of the history reads it again.
 */
export async function turnsSince(db: Database, session: string, turn: string, reach: Reach): Promise<string[]> {
  const opened = ofSession(session, reach);
  const from = sql`(select started_at, id from turns where id = ${turn}
    and exists (select 1 from sessions where id = ${session} and ended_at is null))`;
  const rows = await db.all<Place>(sql`select id, started_at as at, 0 as told from turns
      where ${opened} and (started_at, id) > ${from}
    union all select id, told_at as at, 1 as told from turns where ${toldIn(session, reach)}
      and told_at >= (select started_at from ${from} as since)
    order by at, told, id`);
  return rows.map(({ id }) => id);
}

/**
 * Returns the same facts as columns, for a turn that is about to open: when the last known turn began (null: it is not there, or
 * the session has ended), and whether others were opened or announced since.
 */
export function sinceColumns(session: string, turn: string): Query {
  const from = sql`select started_at, id from turns where id = ${turn}`;
  return sql`(select started_at from turns where id = ${turn}
      and exists (select 1 from sessions where id = ${session} and ended_at is null)) as after_at,
    (case when exists (select 1 from turns where session = ${session} and length(session) <= 200
        and (started_at, id) > (${from}))
      or exists (select 1 from turns where told_in = ${session}
        and told_at >= (select started_at from turns where id = ${turn})) then 1 else 0 end) as moved`;
}

export async function newestTurn(db: Database, session: string, reach: Reach): Promise<NewestTurn | undefined> {
  const row = await db.one<NewestTurn>(sql`select id, state from turns where ${ofSession(session, reach)}
    order by started_at desc, id desc limit 1`);
  return row && { id: row.id, state: row.state };
}

/**
 * Notes that a reply will be announced, in the transaction that queues it: once any of it is sent, it counts as said in that
 * chat.
 */
export async function planAnnouncement(db: Database, turn: string, { schedule, at }: Announcement): Promise<void> {
  await db.run(sql`update turns set told_as = ${JSON.stringify({ schedule, at })}
    where id = ${turn} and state = 'answered' and told_in is null`);
}

/** Choice of the conversation that continues where a message was sent. */
export type SentInto = {
  /** Shows that all channels of the user share one session. */
  readonly across?: boolean | undefined;
  /** Time limit: a session that was last used before does not continue. */
  readonly idleSince?: string | undefined;
};

type SentPiece = SentInto & { readonly turn: string; readonly channel: string };

/**
 * Puts a turn's reply into the conversation of the channel that a piece of it was sent over, in the transaction that records the
 * sending. Only the first piece does so. The reply goes into the session that continues there, or a new one, after every turn
 * that began before, so that what those were sent does not change.
 */
export async function announceSent(
  db: Database,
  { now, newId }: Pick<StoreDeps, "now" | "newId">,
  { turn, channel, across = false, idleSince = "" }: SentPiece,
): Promise<void> {
  const unsaid = sql`id = ${turn} and told_as is not null and told_in is null and state = 'answered'`;
  const row = await db.one<TurnRow>(sql`select * from turns where ${unsaid}`);
  if (!row) return;
  // Turns wait until this commits: none may open in the session without knowing of the reply.
  await lockAgentAlone(db, row.agent);
  const place = across ? null : channel;
  const scope = scopeOf(row);
  const latest = await latestSession(db, scope, place);
  const session = latest && latest.lastAt >= idleSince ? latest.id : undefined;
  const last = session && (await lastBegun(db, session));
  const time = now();
  const at = last && last > time ? last : time;
  const into = session ?? newId();
  if (session === undefined) {
    const own = await db.one<{ receiver: string }>(sql`select receiver from sessions where id = ${row.session}`);
    const receiver = own?.receiver ?? "";
    const because = latest ? "idle" : null;
    await insertSession(db, { id: into, scope, receiver, channel: place, because, at, endedAt: null });
  }
  const announced = await db.run(sql`update turns set told_in = ${into}, told_at = ${at} where ${unsaid}`);
  if (announced > 0) await db.run(sql`update sessions set last_at = ${at} where id = ${into} and last_at < ${at}`);
}

/** Returns the start of the newest turn of a session, which another machine's clock may have put into the future. */
async function lastBegun(db: Database, session: string): Promise<string | undefined> {
  const row = await db.one<Pick<TurnRow, "started_at">>(sql`select started_at from turns where session = ${session}
    and length(session) <= 200 order by started_at desc limit 1`);
  return row?.started_at;
}
