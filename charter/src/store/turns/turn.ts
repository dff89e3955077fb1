import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Database, Reach } from "../home/database.ts";
import { lockAgainstErasure, ownRows, reachFilter, recordOf } from "../home/query.ts";
import { joinQueries, type Query, raw, sql } from "../home/sql.ts";
import type { RecordOf, RowOf } from "../home/table.ts";
import { endOfLease } from "../lease.ts";
import { type Announcement, turns } from "./turn-tables.ts";

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
