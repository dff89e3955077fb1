import type { Scope } from "../../amend/amendment.ts";
import type { Reach } from "./database.ts";
import { type Query, raw, sql } from "./sql.ts";

/** Through a scope where both are named; a list over several is the operator's. */
export function reachOf(agent: string | undefined, user: string | undefined): Reach {
  return agent === undefined || user === undefined ? "everything" : { agent, user };
}

/** Through the one user's scope that all of these are seen in, common rows among them. */
export function reachAround(scopes: readonly Scope[]): Reach {
  const agents = new Set(scopes.map(({ agent }) => agent));
  const users = new Set(scopes.flatMap(({ user }) => user ?? []));
  return agents.size > 1 || users.size > 1 ? "everything" : reachOf([...agents][0], [...users][0]);
}

/** Ends a `where`: only what this reach may see. */
export function reachFilter(reach: Reach): Query {
  if (reach === "everything") return raw("");
  return sql` and agent = ${reach.agent} and user_id in ('', ${reach.user ?? ""})`;
}
