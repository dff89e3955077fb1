import { type Row, raw } from "../../src/store/home/sql.ts";
import type { Store } from "../../src/store/index.ts";

/** What only one home has beside the columns that are declared: made of them, and gone with their rows. */
const besides = new Set(["memories.search", "turn_words.words"]);

/** Words that were looked for, and the columns they stand in: those that are declared to hold what was said, and others. */
export type Landings = { readonly said: ReadonlySet<string>; readonly strays: ReadonlySet<string> };

/** Where such words are kept, as `table.column`, in every row that there is. */
export async function findLandings(store: Store, words: RegExp): Promise<Landings> {
  const [said, strays] = [new Set<string>(), new Set<string>()];
  await store.home.read("everything", async (db) => {
    for (const { name, all } of store.home.schema.tables) {
      const declared = new Map(all.map(({ column, isSaid }) => [column, isSaid === true]));
      for await (const row of db.each<Row>(raw(`select * from ${name}`)))
        for (const [column, value] of Object.entries(row)) {
          if (besides.has(`${name}.${column}`) || !words.test(wordsOf(value))) continue;
          (declared.get(column) ? said : strays).add(`${name}.${column}`);
        }
    }
  });
  return { said, strays };
}

/** Also where they are written in hexadecimal digits, as a chain has them. */
function wordsOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("latin1");
  const text = typeof value === "string" ? value : "";
  return /^0x[0-9a-f]{40,}$/.test(text) ? Buffer.from(text.slice(2), "hex").toString("latin1") : text;
}
