import { unknownAgent } from "../agents.ts";
import type { Database } from "../home/database.ts";
import { joinQueries, type Query, raw, sql } from "../home/sql.ts";
import { checkScope } from "../scope.ts";

/** One user, or counterpart by its key, with every agent or with one. */
export type UserSelector = { readonly user: string; readonly agent?: string | undefined };

/** Tables of which a user's own rows are deleted whole. */
export const deletedTables = [
  "held",
  "memories",
  "vectors",
  "conversations",
  "exchanges",
  "inbox",
  "outbox",
  "chain_messages",
  "chain_replies",
  "sessions",
  "schedules",
  "runs",
  "links",
  "identities",
  "link_codes",
  "updates",
  "dispatches",
  "spending",
  "attachments",
  "tokens",
] as const;

/** One agent's rows, everyone's, or those of everyone `but` one. */
type UserRowSelector = UserSelector & { readonly but?: string };

const withAgent = ({ agent, but }: UserRowSelector): Query =>
  agent !== undefined ? sql` and agent = ${agent}` : but !== undefined ? sql` and agent <> ${but}` : raw("");

export const ofUser = (who: UserRowSelector): Query => sql`user_id = ${who.user}${withAgent(who)}`;

/** Their own turns, and those in which an agent worked on what they had written: their words were in its prompt. */
export function ofTurns(column: "id" | "turn", who: UserRowSelector): Query {
  const worked = ["inbox", "outbox", "exchanges", "events"].map(
    (table) => sql`select turn from ${raw(table)} where turn is not null and ${ofUser(who)}`,
  );
  return sql`(${ofUser(who)} or (user_id = ''${withAgent(who)} and ${raw(column)} in (${joinQueries(worked, " union ")})))`;
}

/** Where something of a user's stands that can still be read. */
export function rowsOfUser(who: UserRowSelector): readonly (readonly [table: string, where: Query])[] {
  const own = ofUser(who);
  return [
    ["amendments", sql`erased_at is null and ${own}`],
    ["standings", sql`words <> '' and ${own}`],
    ["turns", sql`state <> 'erased' and ${ofTurns("id", who)}`],
    ["steps", sql`erased_at is null and ${ofTurns("turn", who)}`],
    ["held_calls", ofTurns("turn", who)],
    ["events", sql`detail <> '{}' and ${own}`],
    ...deletedTables.map((table) => [table, own] as const),
  ];
}

/** A name that can be a user's, and an agent that is there. */
export async function checkWho(db: Database, { user, agent }: UserSelector): Promise<void> {
  checkScope({ agent: agent ?? "any", user });
  if (agent === undefined) return;
  const names = (await db.all<{ name: string }>(sql`select name from agents order by name`)).map(({ name }) => name);
  if (!names.includes(agent)) throw unknownAgent(agent, names);
}
