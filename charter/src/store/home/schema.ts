import { Problem } from "../../prompt/problem.ts";
import { storeTables } from "../tables.ts";
import type { Database } from "./database.ts";
import { raw } from "./sql.ts";
import type { Table } from "./table.ts";
import type { ColumnTypes, Schema } from "./table-statements.ts";

/** The first schema that is kept up: of what was made before it, nothing is read. */
const firstVersion = 12;

export const storeSchema: Schema = { tables: storeTables, steps: [] };

/** The schema of a store that also keeps tables of your own: they are erased, carried and proven like all others. */
export function withTables(tables: readonly Table[]): Schema {
  return { ...storeSchema, tables: [...storeTables, ...tables] };
}

export function versionOf({ steps }: Schema): number {
  return firstVersion + steps.length;
}

/** Why a home with this version is not worked with; `undefined` if nothing but a step is missing. */
export function checkKnown(place: string, version: number, schema: Schema): void {
  const known = versionOf(schema);
  if (version > known)
    throw new Problem(
      "newer-schema",
      `${place} was made by a newer Charter (schema ${version}; this one knows ${known}).`,
      "Upgrade Charter; nothing was touched.",
    );
  if (version < firstVersion)
    throw new Problem(
      "older-schema",
      `${place} was made by a Charter before the first release (schema ${version}; this one knows ${firstVersion} and later).`,
      "Name another database, or move this one aside and begin anew; nothing was touched.",
    );
}

/** Runs the steps a database has not seen, inside the transaction the home opened for it. */
export async function runSteps(
  db: Database,
  place: string,
  { version, schema, types }: { readonly version: number; readonly schema: Schema; readonly types: ColumnTypes },
): Promise<void> {
  checkKnown(place, version, schema);
  for (const step of schema.steps.slice(version - firstVersion)) for (const one of step(types)) await db.run(raw(one));
}
