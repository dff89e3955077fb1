import { DatabaseSync } from "node:sqlite";
import type { Database } from "../../../src/store/home/database.ts";
import { type Query, raw } from "../../../src/store/home/sql.ts";
import { type Verification, verifyStore } from "../../../src/store/verify/verify.ts";
import { copyOf, type Place, queryAsOwner } from "../../homes.ts";

/** What somebody has at hand who is at a store's database, and is not Charter. */
export type Outside = Pick<Database, "all" | "run">;

/**
 * What verify finds after somebody who is not Charter was at the database; the place stays as it is. Nobody else has a file
 * open meanwhile.
 */
export function afterOutsider(
  place: Place,
  deed: (db: Outside) => Promise<void>,
  options?: HomeOptions,
): Promise<Verification> {
  return place.url.startsWith("postgres:") ? inUndone(place, deed, options) : inCopy(place, deed, options);
}

type HomeOptions = Parameters<Place["open"]>[0];

/** Does something to a place that nobody has open, as somebody who is not Charter. */
export async function asOutsider({ url }: Place, words: string): Promise<void> {
  if (url.startsWith("postgres:")) return void (await queryAsOwner(url, `set search_path to charter; ${words}`));
  const file = new DatabaseSync(url);
  file.exec(words);
  file.close();
}

async function inCopy(place: Place, deed: (db: Outside) => Promise<void>, options: HomeOptions): Promise<Verification> {
  const copy = await copyOf(place);
  const home = copy.open(options);
  try {
    const file = new DatabaseSync(copy.url);
    const prepared = ({ texts }: Query) => file.prepare(texts.join("?"));
    const done = deed({
      all: async <Row>(query: Query) => prepared(query).all(...query.values) as Row[],
      run: async (query) => Number(prepared(query).run(...query.values).changes),
    });
    await done.finally(() => file.close());
    return await verifyStore(home);
  } finally {
    await home.close();
    await copy.remove();
  }
}

/** In a transaction that is not Charter's, and is undone. */
async function inUndone(
  place: Place,
  deed: (db: Outside) => Promise<void>,
  options: HomeOptions,
): Promise<Verification> {
  const home = place.open(options);
  const only = new Error("Only to see.");
  let found: Verification | undefined;
  try {
    await home.write("everything", async (db) => {
      await db.run(raw("set local charter.sealed = 'off'"));
      await deed(db);
      const here = <Result>(_: unknown, look: (db: Database) => Promise<Result>) => look(db);
      found = await verifyStore({ ...home, read: here });
      throw only;
    });
  } catch (error) {
    if (error !== only) throw error;
  } finally {
    await home.close();
  }
  return found as Verification;
}
