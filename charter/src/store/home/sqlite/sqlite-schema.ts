import type { DatabaseSync } from "node:sqlite";
import type { Database } from "../database.ts";
import { migrateTables } from "../schema.ts";
import { raw } from "../sql.ts";
import type { Table } from "../table.ts";
import { type ColumnTypes, type Schema, tableStatements } from "../table-statements.ts";

const types: ColumnTypes = {
  home: "sqlite",
  text: "text",
  bytes: "blob",
  number: "integer",
  counted: "integer primary key autoincrement",
  byKey: " without rowid",
};

export function migrateFile(
  handle: DatabaseSync,
  db: Database,
  about: { readonly place: string; readonly version: number | undefined; readonly schema: Schema },
): Promise<void> {
  return migrateTables(db, {
    ...about,
    types,
    names: raw("select name from sqlite_master where type = 'table'"),
    statementsOf,
    run: (statements) => handle.exec(statements),
  });
}

const known = new WeakMap<Table, readonly string[]>();

/** Tables do not change, and a process may make many files. */
function statementsOf(made: Table): readonly string[] {
  const statements = known.get(made) ?? tableStatements(made, types);
  known.set(made, statements);
  return statements;
}
