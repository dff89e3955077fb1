import type { DatabaseSync } from "node:sqlite";
import type { Database } from "../database.ts";
import { runSteps } from "../schema.ts";
import type { Schema } from "../table-statements.ts";
import { type ColumnTypes, tableStatements } from "../table-statements.ts";

const types: ColumnTypes = {
  home: "sqlite",
  text: "text",
  bytes: "blob",
  number: "integer",
  counted: "integer primary key autoincrement",
  byKey: " without rowid",
};

/** Makes the tables that are not there, after the steps that were not taken. */
export async function migrateFile(
  handle: DatabaseSync,
  db: Database,
  { path, version, schema }: { readonly path: string; readonly version: number | undefined; readonly schema: Schema },
): Promise<void> {
  if (version !== undefined) await runSteps(db, path, { version, schema, types });
  const found = handle.prepare("select name from sqlite_master where type = 'table'").all() as { name: string }[];
  const there = new Set(found.map(({ name }) => name));
  const missing = schema.tables.filter(({ name }) => !there.has(name));
  handle.exec(missing.flatMap((made) => tableStatements(made, types)).join(";\n"));
}
