import type { Scope } from "../../amend/amendment.ts";
import type { Attachment } from "../../prompt/attachment.ts";
import { Problem } from "../../prompt/problem.ts";
import { scopeOf } from "../event.ts";
import type { Database, Reach } from "../home/database.ts";
import { reachFilter } from "../home/reach.ts";
import { sql } from "../home/sql.ts";
import { announcementOf } from "./announcement.ts";
import { attachmentsOf } from "./attachments.ts";

/** One message and its final answer, as it was recorded. */
export type Turn = {
  readonly id: string;
  readonly scope: Scope;
  readonly session: string | null;
  readonly channel: string | null;
  readonly input: string;
  /** The pictures and files that came with it, in their order; none otherwise. Their bytes are in `store.attachments`. */
  readonly attachments?: readonly Attachment[];
  readonly reply: string | null;
  /** `interrupted`: its process died. It stays so. */
  readonly state: "running" | "answered" | "failed" | "interrupted" | "erased";
  readonly tainted: boolean;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** The process that runs it (“host:pid”). */
  readonly runner: string | null;
  /** It counts as running until then; `null` if no time was given, and when it is over. */
  readonly leasedUntil: string | null;
  /** What it cost so far, in millionths of a dollar; null while nothing was paid, or where the model has no price. */
  readonly micros: number | null;
  /** It is a schedule's, and its reply was said in a conversation: in which session, when, and by which schedule. */
  readonly told?: { readonly session: string; readonly at: string; readonly schedule: string };
};

/** Why a turn failed: the code and message of a Problem. */
export type TurnReason = { readonly code: string; readonly message: string };

export type TurnRow = {
  id: string;
  agent: string;
  user_id: string;
  session: string | null;
  channel: string | null;
  input: string;
  reply: string | null;
  state: Turn["state"];
  tainted: number;
  started_at: string;
  ended_at: string | null;
  runner: string | null;
  lease_seconds: number | null;
  leased_until: string | null;
  micros: number | null;
  model: string | null;
  told_as: string | null;
  told_in: string | null;
  told_at: string | null;
  attachments: string | null;
};

export function turnOf(row: TurnRow): Turn {
  const { id, session, channel, input, reply, state, runner } = row;
  const times = { startedAt: row.started_at, endedAt: row.ended_at };
  const run = { runner, leasedUntil: row.leased_until, micros: row.micros };
  return {
    id,
    scope: scopeOf(row),
    session,
    channel,
    input,
    ...(row.attachments === null ? {} : { attachments: attachmentsOf(row.attachments) }),
    reply,
    state,
    tainted: row.tainted === 1,
    ...times,
    ...run,
    ...(row.told_in === null ? {} : { told: toldOf(row.told_in, row) }),
  };
}

function toldOf(session: string, { told_as, told_at }: TurnRow): NonNullable<Turn["told"]> {
  return { session, at: told_at ?? "", schedule: announcementOf(told_as)?.schedule ?? "" };
}

export function unknownTurn(id: string): Problem {
  return new Problem("unknown-turn", `There is no turn “${id}”.`, "See them with `charter turns`.");
}

export async function findTurn(db: Database, id: string, reach: Reach = "everything"): Promise<Turn> {
  const row = await db.one<TurnRow>(sql`select * from turns where id = ${id}${reachFilter(reach)}`);
  if (row) return turnOf(row);
  throw unknownTurn(id);
}

/** A turn of this very scope, not one it may also see. */
export async function ownTurn(db: Database, id: string, { agent, user = "" }: Scope): Promise<Turn> {
  const row = await db.one<TurnRow>(
    sql`select * from turns where id = ${id} and agent = ${agent} and user_id = ${user}`,
  );
  if (row) return turnOf(row);
  throw unknownTurn(id);
}

/** First of all in a transaction that writes what a turn says: of one that was erased meanwhile nothing more is kept. */
export async function checkNotErased(db: Database, turn: string | null | undefined): Promise<void> {
  if (turn === null || turn === undefined) return;
  const kept = db.dialect.lockTableShared("texts");
  if (kept) await db.run(kept);
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
