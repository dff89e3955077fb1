import type { Reach } from "./database.ts";
import { type Query, raw, sql } from "./sql.ts";

/** Through a scope where both are named; a list over several is the operator's. */
export function reachOf(agent: string | undefined, user: string | undefined): Reach {
  return agent === undefined || user === undefined ? "everything" : { agent, user };
}

/** Ends a `where`: only what this reach may see. */
export function reachFilter(reach: Reach): Query {
  if (reach === "everything") return raw("");
  return sql` and agent = ${reach.agent} and user_id in ('', ${reach.user ?? ""})`;
}
