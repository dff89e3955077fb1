import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { migratedFile, tablesOf } from "../../../scripts/sqlite-tables.ts";
import { schemaVersion } from "../../src/store/home/schema.ts";
import { sqliteTables } from "../../src/store/home/sqlite/sqlite-tables.ts";

test("the tables of a new file are those of the last migration; after another one: npm run schema", () => {
  expect(sqliteTables).toEqual({ schema: schemaVersion, statements: tablesOf(migratedFile()) });
});

test("made at once, a file is what every step since the first makes of it, to the last column and row", () => {
  const atOnce = new DatabaseSync(":memory:");
  atOnce.exec(sqliteTables.statements.join(";\n"));
  const inSteps = migratedFile();
  expect(allOf(atOnce)).toEqual(allOf(inSteps));
  expect(Object.keys(allOf(atOnce)).length).toBeGreaterThan(50);
});

/** Every table with its definition, columns and rows; every index and trigger with its definition. */
function allOf(handle: DatabaseSync): Record<string, unknown> {
  const made = handle.prepare("select type, name, tbl_name, sql from sqlite_master order by type, name").all();
  const all = made.map((one) => {
    const { type, name } = one as { type: string; name: string };
    const columns = handle.prepare(`pragma table_xinfo("${name}")`).all();
    const rows = type === "table" ? handle.prepare(`select * from "${name}"`).all() : [];
    return [`${type} ${name}`, { ...one, columns, rows }] as const;
  });
  return Object.fromEntries(all);
}
