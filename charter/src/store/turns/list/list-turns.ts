import type { StoreDeps } from "../../deps.ts";
import { pageOf } from "../../home/page.ts";
import { reachOf } from "../../home/reach.ts";
import { sql } from "../../home/sql.ts";
import { type Turn, type TurnRow, turnOf } from "../turn.ts";
import { type ListTurnsOptions, orderOf, type TurnFilter, whereTurns } from "./turn-filter.ts";

type Deps = Pick<StoreDeps, "home" | "texts">;

export async function listTurns(deps: Deps, { sort, limit, offset, ...filter }: ListTurnsOptions): Promise<Turn[]> {
  const page = pageOf({ ...(limit === undefined ? {} : { limit }), ...(offset === undefined ? {} : { offset }) });
  return deps.home.read(reachOf(filter.agent, filter.user), async (db) => {
    const rows = await db.all<TurnRow>(sql`select * from turns where ${whereTurns(db, filter)}
      order by ${orderOf(sort)} limit ${page.limit} offset ${page.offset}`);
    return rows.map(turnOf);
  });
}

export async function countTurns(deps: Deps, filter: TurnFilter): Promise<number> {
  return deps.home.read(reachOf(filter.agent, filter.user), async (db) => {
    const row = await db.one<{ count: number }>(
      sql`select count(*) as count from turns where ${whereTurns(db, filter)}`,
    );
    return Number(row?.count ?? 0);
  });
}
