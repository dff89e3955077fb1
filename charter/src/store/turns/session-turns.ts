import type { Database, Reach } from "../home/database.ts";
import { reachFilter } from "../home/reach.ts";
import { type Query, raw, sql } from "../home/sql.ts";
import type { StepRow } from "./steps.ts";
import { type Turn, type TurnRow, unknownTurn } from "./turn.ts";

/**
 * A turn in a session's history: what was asked and answered, and the result of each step. Pass it to `historyOf`. Text
 * that was erased is not in it.
 */
export type SessionTurn = Pick<Turn, "id" | "input" | "reply" | "state" | "tainted"> & {
  readonly steps: readonly { readonly step: number; readonly result: Readonly<Record<string, unknown>> | null }[];
};

/** The newest turn of a session: shows whether others took turns meanwhile. */
export type NewestTurn = Pick<Turn, "id" | "state">;

type SessionTurnsQuery = {
  readonly session: string;
  readonly after?: string | undefined;
  readonly from?: string | undefined;
  readonly reach: Reach;
};
type Place = Pick<TurnRow, "id" | "started_at">;

/** Ends a `where`; names that are no longer than names are stand in an index. */
function ofSession(session: string, reach: Reach): Query {
  const indexed = session.length <= 200 ? raw(" and length(session) <= 200") : raw("");
  return sql`session = ${session}${indexed}${reachFilter(reach)}`;
}

/** In the order in which they were opened: ids are their owners' to choose, and need not say it. */
export async function turnsOfSession(
  db: Database,
  { session, after, from = after, reach }: SessionTurnsQuery,
): Promise<SessionTurn[]> {
  const those = ofSession(session, reach);
  const place =
    from === undefined
      ? undefined
      : await db.one<Place>(sql`select id, started_at from turns where id = ${from} and ${those}`);
  if (from !== undefined && !place) throw unknownTurn(from);
  const order = raw(after === undefined ? ">=" : ">");
  const later = place ? sql` and (started_at, id) ${order} (${place.started_at}, ${place.id})` : raw("");
  const rows = await db.all<TurnRow>(sql`select id, input, reply, state, tainted from turns
    where ${those}${later} order by started_at, id`);
  if (rows.length === 0) return [];
  const steps = new Map<string, SessionTurn["steps"][number][]>(rows.map(({ id }) => [id, []]));
  for (const { turn, step, came } of await db.all<Pick<StepRow, "turn" | "step" | "came">>(
    sql`select turn, step, came from steps where turn in (select id from turns where ${those}${later})${reachFilter(reach)}
      order by turn, step`,
  ))
    steps.get(turn)?.push({ step, result: came === null ? null : JSON.parse(came) });
  return rows.map(({ id, input, reply, state, tainted }) => {
    return { id, input, reply, state, tainted: tainted === 1, steps: steps.get(id) ?? [] };
  });
}

/**
 * The ids of the turns that were opened after one, oldest first: none after one that is not there, and none where the
 * session has ended, since it may have been erased. Whoever has a copy of its history looks again.
 */
export async function turnsSince(db: Database, session: string, turn: string, reach: Reach): Promise<string[]> {
  const those = ofSession(session, reach);
  const rows = await db.all<Pick<TurnRow, "id">>(sql`select id from turns where ${those} and (started_at, id) >
      (select started_at, id from turns where id = ${turn}
        and exists (select 1 from sessions where id = ${session} and ended_at is null)) order by started_at, id`);
  return rows.map(({ id }) => id);
}

export async function newestTurn(db: Database, session: string, reach: Reach): Promise<NewestTurn | undefined> {
  const row = await db.one<NewestTurn>(sql`select id, state from turns where ${ofSession(session, reach)}
    order by started_at desc, id desc limit 1`);
  return row && { id: row.id, state: row.state };
}
