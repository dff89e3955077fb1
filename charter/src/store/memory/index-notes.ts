import type { Scope } from "../../amend/amendment.ts";
import type { Home, Reach } from "../home/database.ts";
import { type Query, raw, sql } from "../home/sql.ts";
import { searchedColumns } from "./note.ts";

/** So many at a time: others get their turn in between. */
const batch = 200;

/**
 * Works out what notes are searched by that were written before that was kept, or came from a checkpoint. It can be
 * stopped at any moment: what is done is done, and the next search or `charter migrate` goes on with the rest.
 */
export async function indexNotes(home: Home, progress: (notes: number) => void = () => {}): Promise<number> {
  return indexWhere(home, "everything", raw("1 = 1"), progress);
}

/** The same for one scope, before it is searched. */
export async function indexScope(home: Home, scope: Scope): Promise<void> {
  const own = sql`agent = ${scope.agent} and user_id = ${scope.user ?? ""}`;
  const lacking = await home.read(scope, (db) =>
    db.one(sql`select id from memories where stems is null and ${own} limit 1`),
  );
  if (lacking) await indexWhere(home, scope, own, () => {});
}

async function indexWhere(home: Home, reach: Reach, where: Query, progress: (notes: number) => void): Promise<number> {
  let done = 0;
  for (;;) {
    const found = await home.write(reach, async (db) => {
      const rows = await db.all<{ id: string; key: string | null; words: string }>(
        sql`select id, key, words from memories where stems is null and ${where} limit ${batch}`,
      );
      for (const { id, key, words } of rows) {
        const { stems } = await searchedColumns(key, words);
        await db.run(sql`update memories set stems = ${stems} where id = ${id} and words = ${words}`);
      }
      return rows.length;
    });
    done += found;
    if (found > 0) progress(done);
    if (found < batch) return done;
  }
}
