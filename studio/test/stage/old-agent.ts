import { sql } from "../../../charter/src/store/home/sql.ts";
import type { Store } from "../../../charter/src/store/index.ts";

type Added = Parameters<Store["agents"]["add"]>[0];

/** An agent of the time before names had a form: no door makes one any more, and all must go on with it. */
export async function addOldAgent(store: Store, { name, ...agent }: Added): Promise<void> {
  await store.agents.add({ ...agent, name: "newcomer" });
  await store.home.write("everything", async (db) => {
    await db.run(sql`insert into agents select ${name}, charter, model, settings, frozen, created_at, updated_at, label, removed_at, fallbacks
      from agents where name = ${"newcomer"}`);
    await db.run(sql`delete from agents where name = ${"newcomer"}`);
  });
}
