// The tables of a new SQLite file, as the migrations leave them: `npm run schema`. Made at once they cost about a seventh of what
// every step since the first one does.

import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { migrations } from "../charter/src/store/home/migration-list.ts";
import { sqliteTypes } from "../charter/src/store/home/sqlite/sqlite-schema.ts";

const file = join(resolve(import.meta.dirname, ".."), "charter/src/store/home/sqlite/sqlite-tables.ts");

type Made = { readonly name: string; readonly sql: string };

/** What stands in a file that has gone through every step. */
export function migratedFile(): DatabaseSync {
  const handle = new DatabaseSync(":memory:");
  for (const statement of migrations.flatMap((migration) => migration(sqliteTypes))) handle.exec(statement);
  return handle;
}

/** What makes the same tables, indexes and triggers in an empty file. */
export function tablesOf(handle: DatabaseSync): string[] {
  const made = handle
    .prepare(
      `select name, sql from sqlite_master where sql is not null and name not like 'sqlite\\_%' escape '\\'
        order by case type when 'table' then 0 when 'index' then 1 else 2 end, rowid`,
    )
    .all() as Made[];
  const searched = made.filter(({ sql }) => /^create virtual table/i.test(sql)).map(({ name }) => `${name}_`);
  // A search brings its own tables.
  return made.filter(({ name }) => !searched.some((one) => name.startsWith(one))).map(({ sql }) => sql);
}

if (import.meta.main) {
  const statements = tablesOf(migratedFile()).map((sql) => JSON.stringify(sql));
  const words = `/** What \`npm run schema\` has written: see scripts/sqlite-tables.ts. */
export const sqliteTables = { schema: ${migrations.length}, statements: [${statements.join(",\n")}] };
`;
  writeFileSync(file, words);
}
