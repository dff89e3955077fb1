import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Attachment, ForeignText } from "../../prompt/step-result.ts";
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

/** A message and its final answer, as they were recorded. */
export type Turn = RecordOf<typeof turns> & {
  /** Present on a schedule's turn whose reply was sent into a conversation: that session, the time, and the schedule. */
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

/** Finds a turn of exactly this scope, not every turn that the scope may see. */
export function ownTurn(db: Database, id: string, scope: Scope): Promise<Turn> {
  return turnWhere(db, id, sql` and ${ownRows(scope)}`);
}

async function turnWhere(db: Database, id: string, more: Query): Promise<Turn> {
  const row = await db.one<TurnRow>(sql`select * from turns where id = ${id}${more}`);
  if (row) return turnOf(row);
  throw unknownTurn(id);
}

/**
 * Takes the lock against erasure, and refuses a turn that was erased. A transaction that writes a turn's text calls it first:
 * nothing more is stored of an erased turn. Returns what `findTurnUser` does.
 */
export async function checkNotErased(db: Database, turn: string | null | undefined): Promise<string | undefined> {
  if (turn === null || turn === undefined) return undefined;
  await lockAgainstErasure(db);
  const row = await findTurnUser(db, turn);
  if (row?.state === "erased") checkTurnRunning(turn, row.state);
  return row?.user_id;
}

/** Finds whose turn it is; "": nobody's, `undefined`: it is not in the store. */
export function findTurnUser(db: Database, turn: string) {
  return db.one<Pick<TurnRow, "state" | "user_id">>(sql`select state, user_id from turns where id = ${turn}`);
}

/**
 * Refuses to go on with a turn that was erased, or marked as interrupted by others. The caller holds the lock against erasure.
 */
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

/** Default lease of a turn that has a runner. */
const defaultLeaseSeconds = 300;

/** Returns how long a turn may be silent before others count it as interrupted; null means without limit. */
export function leaseOf({ runner, leaseSeconds }: { runner?: string; leaseSeconds?: number }): number | null {
  const seconds = leaseSeconds ?? (runner === undefined ? null : defaultLeaseSeconds);
  if (seconds === null || (Number.isSafeInteger(seconds) && seconds > 0 && seconds <= maxLeaseSeconds)) return seconds;
  throw new Problem(
    "bad-lease",
    `A turn cannot be leased for ${seconds} seconds.`,
    "Give a whole number of seconds, up to a year.",
  );
}

/** Maximum lease, one year: a turn that is silent for longer is not coming back. */
export const maxLeaseSeconds = 31_536_000;

export function leaseEnd(at: string, seconds: number | null): string | null {
  return seconds === null ? null : endOfLease(at, seconds * 1000);
}

/**
 * Renews the lease of a running turn, marks it as tainted where foreign text is in it (the mark is never removed), and sets
 * `more`. A lease that is nearly whole is left as it is: a row that need not be written is a page of the log less.
 */
export function renewTurn(
  db: Database,
  { id, lease, until = null, ...marks }: LeasedTurn,
  at: string,
  more: readonly Query[] = [],
): void {
  const end = leaseEnd(at, lease);
  const isFresh = lease !== null && until !== null && until >= (leaseEnd(at, lease * freshShare) as string);
  const sets = [
    ...(end === null || isFresh ? [] : [sql`leased_until = case when state = 'running' then ${end} end`]),
    ...taintColumns(marks),
    ...more,
  ];
  if (sets.length > 0) db.send(sql`update turns set ${joinQueries(sets, ", ")} where id = ${id}`);
}

/**
 * Facts that the caller knows about a turn: its scope, which is looked up otherwise, whether it contains untrusted text, and the
 * untrusted texts that it brought into its session itself. A tainted turn that does not say these counts as one text.
 */
export type TurnHints = {
  readonly scope?: Scope;
  readonly tainted?: boolean | undefined;
  readonly foreign?: readonly ForeignText[] | undefined;
};

/** Returns the columns that mark a turn as tainted, with the texts of others that it brought, where these are known. */
export function taintColumns({ tainted, foreign }: TurnHints): Query[] {
  if (!tainted) return [];
  return [raw("tainted = 1"), ...(foreign ? [sql`foreign_texts = ${JSON.stringify(foreign)}`] : [])];
}

/** `until`: the end of the lease as it is, if that was read. */
type LeasedTurn = Pick<TurnHints, "tainted" | "foreign"> & {
  readonly id: string;
  readonly lease: number | null;
  readonly until?: string | null;
};

/** Share of a lease that still counts as whole. */
const freshShare = 0.95;

/**
 * A schedule's reply in the history of the chat it was sent into: the schedule, and the time as the user read it then. The text
 * is the reply of the schedule's turn.
 */
export type Announcement = { readonly schedule: string; readonly at: string };

/** The code and message of the Problem that made a turn fail. */
export type TurnReason = { readonly code: string; readonly message: string };

/**
 * Condition of an index on a short text: PostgreSQL cannot index a very long one, and a query for such a text does without the
 * index.
 */
const short = (column: string) => `where length(${column}) <= 200`;
const told = { none: "turns, sessions and events, beyond what other rows tell of them" };

/** Kinds of events that turns are listed by. An index has this condition, so a query has to repeat it to use the index. */
export const toldOfTurns = `kind in ('amended', 'amendment-refused', 'amendment-held', 'tool-held')
    and turn is not null and length(turn) <= 200`;

/** Condition of turns whose words are not in the index, as their index has it. */
export const isUnworded = "worded = 0";

/** Condition of running turns. None of them has its words in the index, so that they are found in this small index. */
export const isRunning = `state = 'running' and ${isUnworded}`;

/** States that an index lists turns by. A query has to repeat this condition to use the index. */
export const isUnusual = "state in ('failed', 'interrupted', 'erased')";

export const sessions = table(
  "sessions",
  {
    of: "user",
    key: ["id"],
    indexes: {
      // Finds the newest session of a scope that goes on.
      sessions_open: "(agent, user_id) where ended_at is null",
      // Lists sessions; a session of a single turn is in no list.
      sessions_listed: "(agent, last_at, id) where (ended_at is null or ended_at <> started_at)",
      // Counts the sessions of a single turn.
      sessions_single: "(agent, user_id) where ended_at = started_at",
    },
    proof: told,
  },
  {
    id: id(),
    /** Model that it was last sent to. */
    receiver: name(),
    baseline: json().hidden(),
    startedAt: time(),
    lastAt: time(),
    endedAt: time().nullable(),
    /** Channel that its turns come from; null: any. */
    channel: name().nullable(),
    /** Reason for a new session although there was one before it: “new” was asked for, or the old one was “idle” for too long. */
    because: oneOf("new", "idle").nullable(),
    /** Model that would be asked while another of the agent's models takes its place. */
    standsInFor: name().optional(),
    /** Turn in another session of the same user that this one continues: its history begins with everything up to that turn. */
    beginsAfter: id().optional(),
    /** Says that a job opened it. One of neither a user nor a job is the operator's own. */
    job: truth().optional(),
  },
);

export const turns = table(
  "turns",
  {
    of: "user",
    key: ["id"],
    // Every turn writes these indexes, so each serves a query that is frequent or reads many rows. Indexes of what is known at a
    // turn's end do not hold running turns.
    indexes: {
      // Reads the history of a session, and its newest turn.
      turns_session: `(session, started_at, id) ${short("session")}`,
      // Finds turns whose words are not in the index yet: those that run, of which some are abandoned, and those that just ended.
      turns_unworded: `(agent, id) where ${isUnworded}`,
      // Reads what schedules said in a session.
      turns_told: "(told_in, told_at, id) where told_in is not null",
      // Finds the attachments that are still in use.
      turns_attachments: "(agent, user_id) where attachments is not null",
      // Lists turns: all of an agent, and by what happened or what it cost, without a look at each row; adds up what an
      // automaton's last ones cost. Other filters look at the rows: an index each would be written by every turn.
      turns_started: "(agent, started_at, id, micros, duration_ms, tools, missed, read_tokens)",
      turns_user: "(agent, user_id, started_at, id)",
      turns_state: `(agent, state, started_at, id) where ${isUnusual}`,
      // Finds the turn that a client shows again.
      turns_shown: "(agent, user_id, shown) where shown is not null",
    },
    proof: told,
    erase: { blank: { set: { state: "'erased'", worded: "1" }, unless: "state = 'erased'" }, through: "id" },
  },
  {
    id: id(),
    session: id()
      .nullable()
      .refers("sessions", "turns were taken in it", { anyName: true, unless: "state = 'erased'" }),
    channel: name().nullable(),
    /** Model that was asked last; of a turn that asked none yet, the one that it is for, if that was said. */
    model: name().nullable().hidden(),
    input: text(),
    /** Pictures and files that came with the input, in their order. Their bytes are in `store.attachments`. */
    attachments: json<readonly Attachment[]>().optional(),
    reply: text().nullable(),
    /** State of the turn. `interrupted` means that its process died, and is final. */
    state: oneOf("running", "answered", "failed", "interrupted", "erased"),
    tainted: truth(),
    /** Texts of others that it brought into its session; none is known of a tainted turn where this was not recorded. */
    foreignTexts: json<readonly ForeignText[]>().optional().hidden(),
    startedAt: time(),
    endedAt: time().nullable(),
    /** The process that runs it (“host:pid”). */
    runner: name().nullable().passing(),
    leaseSeconds: count().nullable().passing().hidden(),
    /** End of its lease: until then it counts as running. Null if it has no lease, or has ended. */
    leasedUntil: time().nullable().passing(),
    /** Cost so far, in millionths of a dollar; null while nothing was paid, or if the model has no price. */
    micros: count().nullable(),
    /** Announcement of its reply in another conversation; that conversation, and the time it got there. */
    toldAs: json<Announcement>().nullable().hidden(),
    toldIn: id().nullable().hidden(),
    toldAt: time().nullable().hidden(),
    /** Context that the caller gave with the turn, if the agent keeps it. */
    context: json().nullable().hidden(),
    ...usage,
    /** Reason of a failure. */
    because: json<TurnReason>().nullable().hidden(),
    durationMs: count().nullable().hidden(),
    /** Shows whether a tool was called, and whether a request missed the provider's cache. */
    tools: truth().usual(0).hidden(),
    missed: truth().usual(0).hidden(),
    /** Shows whether its words are in the index: they are put there some turns at a time, after the turn has ended. */
    worded: truth().usual(0).derived().hidden(),
    /** Digest of the conversation as the client showed it, up to the input. Who has the words can compare: it goes with them. */
    shown: text().nullable().hidden(),
  },
);

/** Index of the distinct words of each turn, in the form in which a search compares them. */
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
        // The index says which turns have a word, not where it stands.
        "create virtual table turns_search using fts5(words, content='', contentless_delete=1, tokenize='ascii', detail='none')",
        "create trigger turn_words_removed after delete on turn_words begin delete from turns_search where rowid = old.number; end",
      ],
      postgres: [
        "alter table turn_words add column words tsvector not null",
        "alter table turn_words alter column words set statistics 0",
        // Words go into the index at once: with fast updates, every search would scan a pending list, and the planner would avoid
        // the index.
        "create index turns_search on turn_words using gin (words) with (fastupdate = off)",
        // Row-level security does not push a text search below its filter: the search of a user scans that user's rows.
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
      // Lists events.
      events_scope: "(agent, user_id, id)",
      // Lists the events of a turn. The caller who records an event may give a turn id of any length.
      events_turn: `(turn, id) ${short("turn")}`,
      // Finds turns by what happened in them.
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
