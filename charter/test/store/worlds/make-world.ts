import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createStore, type Home, postgres, sqlite } from "../../../src/store/index.ts";
import { live } from "../lived.ts";

/** Writes the world of this Charter's schema into a folder; with an empty PostgreSQL database, its dump as well. */
const [folder = "world", url] = process.argv.slice(2);

async function fill(home: Home, checkpoint?: string): Promise<void> {
  let seconds = 0;
  const store = await createStore(home, { now: () => new Date(Date.UTC(2026, 1, 18, 0, 0, seconds++)) });
  await store.agents.put({ name: "ada", charter: "test" });
  await live(store);
  await store.automata.grant("ada", 1_000_000, "olga");
  if (checkpoint !== undefined) await store.checkpoint.save(checkpoint);
  await store.close();
}

mkdirSync(folder, { recursive: true });
const file = join(folder, "database");
await fill(sqlite(file), join(folder, "checkpoint"));
writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
rmSync(file);
if (url !== undefined) {
  await fill(postgres(url));
  const dump = execFileSync("pg_dump", ["--inserts", url], { maxBuffer: 100_000_000 });
  writeFileSync(join(folder, "dump.gz"), gzipSync(dump, { level: 9 }));
}
