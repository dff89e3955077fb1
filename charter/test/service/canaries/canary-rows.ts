import { type Row, raw } from "../../../src/store/home/sql.ts";
import type { Store } from "../../../src/store/index.ts";
import { createTexts } from "../../../src/store/texts/text.ts";
import { type Place, queryAsOwner } from "../../homes.ts";
import { findLandings } from "../../store/strays.ts";
import { marksIn, type Watch } from "./canary.ts";

const words = (row: object) =>
  JSON.stringify(row, (_, value) => (value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value));

/** Every row of every table: whose words are in it has to be whose it is. Gives how many rows with words there were. */
export async function lookThroughRows(store: Store, place: Place, watch: Watch): Promise<number> {
  const rows = await store.home.read("everything", async (db) => {
    const tables = await db.all<{ name: string }>(
      raw(
        store.home.name === "sqlite"
          ? "select name from sqlite_master where type = 'table' and name not like '%s_search%'"
          : "select tablename as name from pg_tables where schemaname = 'charter'",
      ),
    );
    const texts = createTexts();
    let found = 0;
    for (const { name: table } of tables)
      for await (const row of db.each<Row>(raw(`select * from ${table}`))) {
        const text = table === "texts" ? await texts.get(db, `${row.owner}`, `${row.digest}`) : "";
        const all = `${words(row)} ${text}`;
        const whose = table === "texts" ? row.owner : table === "users" ? row.id : row.user_id;
        const [owner] = marksIn(String(whose ?? ""));
        const agent = typeof row.agent === "string" ? { agent: row.agent } : {};
        watch.look(`a row of ${table}`, all, owner && { person: owner.person, ...agent });
        if (all.includes("canary-")) found += 1;
      }
    return found;
  });
  // What someone is known by is a name; all else that they say is kept as their words.
  for (const place of (await findLandings(store, /canary-[a-z]{8}-(?!u-)[a-z]-/i)).strays)
    watch.fault(`${place} has someone's words, and is not declared to`);
  if (store.home.name === "postgres") await lookThroughJobs(place.url, watch);
  return rows;
}

/** What is due is kept elsewhere too, and there nobody's words have any business. */
async function lookThroughJobs(url: string, watch: Watch): Promise<void> {
  const tables = await queryAsOwner<{ name: string }>(
    url,
    "select schemaname || '.' || tablename as name from pg_tables where schemaname not in ('charter', 'pg_catalog', 'information_schema')",
  );
  if (tables.length === 0) watch.fault("there are no tables of jobs");
  for (const { name } of tables)
    watch.look(`a row of ${name}`, words(await queryAsOwner(url, `select * from ${name}`)));
}
