import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Attachment } from "../../prompt/step-result.ts";
import type { Database, Reach } from "../home/database.ts";
import { lockAgainstErasure, ownRows, reachFilter, recordOf } from "../home/query.ts";
import { joinQueries, type Query, raw, sql } from "../home/sql.ts";
import {
  code,
  count,
  counted,
  id,
  json,
  name,
  oneOf,
  type RecordOf,
  type RowOf,
  table,
  text,
  time,
  truth,
} from "../home/table.ts";
import { endOfLease } from "../work.ts";
import { usage } from "./steps.ts";

/** One message and its final answer, as it was recorded. */
export type Turn = RecordOf<typeof turns> & {
  /** It is a schedule's, and its reply was said in a conversation: in which session, when, and by which schedule. */
  readonly told?: { readonly session: string; readonly at: string; readonly schedule: string };
};

export type TurnRow = RowOf<typeof turns>;

export function turnOf(row: TurnRow): Turn {
  const { told_in: session, told_at, told_as } = row;
  const turn = recordOf(turns, row);
  if (session === null) return turn;
  return { ...turn, told: { session, at: told_at ?? "", schedule: announcementOf(told_as)?.schedule ?? "" } };
}

export function announcementOf(kept: string | null): Announcement | undefined {
  return kept === null ? undefined : (JSON.parse(kept) as Announcement);
}

export function unknownTurn(id: string): Problem {
  return new Problem("unknown-turn", `There is no turn “${id}”.`, "See them with `charter turns`.");
}

export function findTurn(db: Database, id: string, reach: Reach = "everything"): Promise<Turn> {
  return turnWhere(db, id, reachFilter(reach));
}

/** A turn of this very scope, not one it may also see. */
export function ownTurn(db: Database, id: string, scope: Scope): Promise<Turn> {
  return turnWhere(db, id, sql` and ${ownRows(scope)}`);
}

async function turnWhere(db: Database, id: string, more: Query): Promise<Turn> {
  const row = await db.one<TurnRow>(sql`select * from turns where id = ${id}${more}`);
  if (row) return turnOf(row);
  throw unknownTurn(id);
}

/** First of all in a transaction that writes what a turn says: of one that was erased meanwhile nothing more is kept. */
export async function checkNotErased(db: Database, turn: string | null | undefined): Promise<void> {
  if (turn === null || turn === undefined) return;
  await lockAgainstErasure(db);
  const row = await db.one<Pick<TurnRow, "state">>(sql`select state from turns where id = ${turn}`);
  if (row?.state === "erased") checkTurnRunning(turn, row.state);
}

/** Nobody goes on with what is over for everyone else. Asked when no one can be erasing any more. */
export function checkTurnRunning(turn: string, state: Turn["state"]): void {
  if (state === "erased")
    throw new Problem("erased", `The turn “${turn}” was erased while it ran.`, "Nothing more of it is kept.");
  if (state === "interrupted")
    throw new Problem(
      "turn-interrupted",
      `The turn “${turn}” was taken for interrupted: nothing was heard of it for longer than its lease.`,
      "Stop working on it; give long turns a longer lease (`leaseSeconds`).",
    );
}

/** So many seconds a turn that someone runs may be silent, unless they say otherwise. */
const usualSeconds = 300;

/** How long a turn may be silent before others take it for interrupted; `null`: for as long as it likes. */
export function leaseOf({ runner, leaseSeconds }: { runner?: string; leaseSeconds?: number }): number | null {
  const seconds = leaseSeconds ?? (runner === undefined ? null : usualSeconds);
  if (seconds === null || (Number.isSafeInteger(seconds) && seconds > 0 && seconds <= maxLeaseSeconds)) return seconds;
  throw new Problem(
    "bad-lease",
    `A turn cannot be leased for ${seconds} seconds.`,
    "Give a whole number of seconds, up to a year.",
  );
}

/** A year: what is silent for longer is not coming back. */
export const maxLeaseSeconds = 31_536_000;

export function leaseEnd(at: string, seconds: number | null): string | null {
  return seconds === null ? null : endOfLease(at, seconds * 1000);
}

/** Says that a turn is alive, while it runs; that foreign words are in it, which sticks; and what else is to be set. */
export async function renewTurn(
  db: Database,
  { id, lease, tainted }: { readonly id: string; readonly lease: number | null; readonly tainted: boolean },
  at: string,
  more: readonly Query[] = [],
): Promise<void> {
  const sets = [
    ...(lease === null ? [] : [sql`leased_until = case when state = 'running' then ${leaseEnd(at, lease)} end`]),
    ...(tainted ? [raw("tainted = 1")] : []),
    ...more,
  ];
  if (sets.length > 0) await db.run(sql`update turns set ${joinQueries(sets, ", ")} where id = ${id}`);
}

/**
 * What a schedule sent into a chat, in the history of that chat: by which schedule, and the time as its user read it
 * then. What was sent is the reply of its turn.
 */
export type Announcement = { readonly schedule: string; readonly at: string };

/** Why a turn failed: the code and message of a Problem. */
export type TurnReason = { readonly code: string; readonly message: string };

/** An index takes no text that is very long; whoever looks for such a one goes without. */
const short = (column: string) => `where length(${column}) <= 200`;
const told = { none: "turns, sessions and events, beyond what other rows tell of them" };

/** Which events turns are listed by, as the index says it: a query that uses it says the same. */
export const toldOfTurns = `kind in ('amended', 'amendment-refused', 'amendment-held', 'tool-held')
    and turn is not null and length(turn) <= 200`;

/** Which states turns are listed by with an index, as the index says it: a query that uses it says the same. */
export const isUnusual = "state in ('failed', 'interrupted', 'erased')";

export const sessions = table(
  "sessions",
  {
    of: "user",
    key: ["id"],
    indexes: {
      // The newest of a scope.
      sessions_scope: "(agent, user_id, last_at)",
      // Lists of sessions: those of one turn only are in none.
      sessions_listed: "(agent, last_at, id) where (ended_at is null or ended_at <> started_at)",
    },
    proof: told,
  },
  {
    id: id(),
    /** The model it was last sent to. */
    receiver: name(),
    baseline: json().hidden(),
    startedAt: time(),
    lastAt: time(),
    endedAt: time().nullable(),
    /** The channel its turns come from; null: any. */
    channel: name().nullable(),
    /** Why it was opened although there was one before it: “new” was asked for, or that one was “idle” for too long. */
    because: oneOf("new", "idle").nullable(),
    /** The model that would have been asked instead, while another of the agent's takes its place. */
    standsInFor: name().optional(),
    /** The turn of another session of its user that it goes on from: what was said up to there is the beginning of its history. */
    beginsAfter: id().optional(),
  },
);

export const turns = table(
  "turns",
  {
    of: "user",
    key: ["id"],
    // Every turn writes these, so each is there for a query that is asked often or of many rows, and named with it. What a
    // turn is when it ended is in none while it runs.
    indexes: {
      // The history of a session, and its newest turn.
      turns_session: `(session, started_at, id) ${short("session")}`,
      // Turns that were abandoned, and the words of those that run.
      turns_running: "(agent, id) where state = 'running'",
      // What an automaton's last turns cost.
      turns_ended: "(agent, ended_at) where ended_at is not null",
      // What schedules said in a session.
      turns_told: "(told_in, told_at, id) where told_in is not null",
      // Attachments that are still named.
      turns_attachments: "(agent, user_id) where attachments is not null",
      // Lists of turns: all of an agent, and those of each filter. Most are answered: those are found among all.
      turns_started: "(agent, started_at, id)",
      turns_user: "(agent, user_id, started_at, id)",
      turns_state: `(agent, state, started_at, id) where ${isUnusual}`,
      turns_channel: `(agent, channel, started_at, id) ${short("channel")}`,
      turns_model: `(agent, model, started_at, id) ${short("model")}`,
      turns_tools: "(agent, started_at, id) where tools = 1",
      turns_missed: "(agent, started_at, id) where missed = 1",
      // Lists by cost and by duration: what has none stands last, in the order of turns_started.
      turns_cost: "(agent, micros, started_at, id) where micros is not null",
      turns_duration: "(agent, duration_ms, started_at, id) where duration_ms is not null",
    },
    proof: told,
    erase: { blank: { set: { state: "'erased'" }, unless: "state = 'erased'" }, through: "id" },
  },
  {
    id: id(),
    session: id()
      .nullable()
      .refers("sessions", "turns were taken in it", { anyName: true, unless: "state = 'erased'" }),
    channel: name().nullable(),
    input: text(),
    /** The pictures and files that came with it, in their order; none otherwise. Their bytes are in `store.attachments`. */
    attachments: json<readonly Attachment[]>().optional(),
    reply: text().nullable(),
    /** `interrupted`: its process died. It stays so. */
    state: oneOf("running", "answered", "failed", "interrupted", "erased"),
    tainted: truth(),
    startedAt: time(),
    endedAt: time().nullable(),
    /** The process that runs it (“host:pid”). */
    runner: name().nullable().passing(),
    leaseSeconds: count().nullable().passing().hidden(),
    /** It counts as running until then; `null` if no time was given, and when it is over. */
    leasedUntil: time().nullable().passing(),
    /** What it cost so far, in millionths of a dollar; null while nothing was paid, or where the model has no price. */
    micros: count().nullable(),
    /** What is said of its reply that is sent into another conversation; that conversation, and when it got there. */
    toldAs: json<Announcement>().nullable().hidden(),
    toldIn: id().nullable().hidden(),
    toldAt: time().nullable().hidden(),
    /** What whoever asked for the turn gave with it, where the agent keeps that. */
    context: json().nullable().hidden(),
    ...usage,
    /** The model that was asked last; and why it failed. */
    model: name().nullable().hidden(),
    because: json<TurnReason>().nullable().hidden(),
    durationMs: count().nullable().hidden(),
    /** Whether a tool was called, and whether a request missed the provider's cache. */
    tools: truth().usual(0).hidden(),
    missed: truth().usual(0).hidden(),
  },
);

/** Which words turns have, each once, as they are compared. */
export const turnWords = table(
  "turn_words",
  {
    of: "user",
    key: ["number"],
    proof: "cache",
    erase: { through: "turn" },
    isLeftOut: true,
    exported: false,
    besides: {
      sqlite: [
        // Which turns have a word, and nothing of where.
        "create virtual table turns_search using fts5(words, content='', contentless_delete=1, tokenize='ascii', detail='none')",
        "create trigger turn_words_removed after delete on turn_words begin delete from turns_search where rowid = old.number; end",
      ],
      postgres: [
        "alter table turn_words add column words tsvector not null",
        "alter table turn_words alter column words set statistics 0",
        // Words go into it at once: what waits to be put in is gone through by every search, and makes the server avoid it.
        "create index turns_search on turn_words using gin (words) with (fastupdate = off)",
        // Row-level security lets no search run before it: a user's goes through their rows.
        "create index turn_words_scope on turn_words (agent, user_id)",
      ],
    },
  },
  { number: counted(), turn: id().unique() },
);

export const events = table(
  "events",
  {
    of: "user",
    key: ["id"],
    indexes: {
      // Lists of events.
      events_scope: "(agent, user_id, id)",
      // What happened in a turn. Whoever records an event may name it as long as they like.
      events_turn: `(turn, id) ${short("turn")}`,
      // Turns by what happened in them.
      events_in_turns: `(agent, kind, turn) where ${toldOfTurns}`,
    },
    proof: told,
    erase: { blank: { unless: "detail = '{}'" } },
  },
  {
    id: counted(),
    at: time(),
    kind: code(),
    turn: id().nullable(),
    detail: json<Readonly<Record<string, unknown>>>(),
  },
);
