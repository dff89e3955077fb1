import { createAmendment } from "../../charter/src/amend/amendment.ts";
import { insertAmendment } from "../../charter/src/store/amendments/amendments.ts";
import { sql } from "../../charter/src/store/home/sql.ts";
import { sqlite } from "../../charter/src/store/home/sqlite/sqlite.ts";
import { createStore, type Store } from "../../charter/src/store/store.ts";
import { sha256 } from "../../charter/src/store/texts/packing.ts";
import { createTexts } from "../../charter/src/store/texts/text.ts";
import { prose, rng } from "./rng.ts";

const at = "2026-02-18T00:00:00.000Z";
/** As many rows a transaction as keep its memory small. */
const batch = 5000;

/** A store with one agent whose section `soul` has so many amendments: 1,200 characters, of which one line changes. */
export async function storeWithAmendments(path: string, count: number): Promise<Store> {
  const store = await createStore(sqlite(path));
  await store.agents.put({ name: "ada", charter: "assistant" });
  const texts = createTexts();
  const words = prose(rng(6), 1200);
  let before = "";
  let previous = sha256(before);
  for (let from = 1; from <= count; from += batch)
    await store.home.write("everything", async (db) => {
      for (let revision = from; revision < from + batch && revision <= count; revision++) {
        const after = `${words}\nLearned: ${revision}.`;
        const facts = { scope: { agent: "ada" }, section: "soul", revision, operation: "rewrite" as const };
        const who = {
          actor: "operator" as const,
          turn: null,
          at,
          reason: `the ${revision}th time`,
          before,
          after,
          previous,
        };
        const amendment = createAmendment({ ...facts, ...who }, sha256);
        await insertAmendment(db, texts, amendment);
        before = after;
        previous = amendment.digest;
      }
    });
  await store.home.vacuum();
  return store;
}

/** A store in which so many users have instructions of their own. */
export async function storeWithUsers(path: string, count: number): Promise<Store> {
  const store = await createStore(sqlite(path));
  await store.agents.put({ name: "ada", charter: "assistant" });
  const texts = createTexts({ keep: 1000 });
  for (let from = 0; from < count; from += batch)
    await store.home.write("everything", async (db) => {
      for (let index = from; index < from + batch && index < count; index++) {
        const user = `user-${index}`;
        const facts = {
          scope: { agent: "ada", user },
          section: "instructions",
          revision: 1,
          operation: "rewrite" as const,
        };
        const words = { before: "", after: `Call me ${index}. Be brief.`, previous: sha256("") };
        const amendment = createAmendment({ ...facts, actor: "user", turn: null, at, reason: null, ...words }, sha256);
        await insertAmendment(db, texts, amendment);
        await db.run(sql`insert into users (id, zone, created_at) values (${user}, ${null}, ${at})`);
      }
    });
  await store.home.vacuum();
  return store;
}
