import type { Home } from "./database.ts";
import { listOf, type Query, sql } from "./sql.ts";

/** So many ids fit into one question in every home. */
const maxAtOnce = 10_000;

/** Which of these ids a query finds: it is given the ids as a list, as in `where id in …`. */
export async function findIds(
  home: Pick<Home, "read">,
  ids: readonly string[],
  among: (list: Query) => Query,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let from = 0; from < ids.length; from += maxAtOnce) {
    const list = listOf(ids.slice(from, from + maxAtOnce));
    const rows = await home.read("everything", (db) => db.all<{ id: string }>(sql`select id from ${among(list)}`));
    for (const { id } of rows) found.add(id);
  }
  return found;
}
