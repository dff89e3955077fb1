import { Problem } from "../../prompt/problem.ts";
import type { Database } from "./database.ts";
import type { ColumnTypes } from "./migration.ts";
import { migrations } from "./migration-list.ts";
import { sealAll } from "./seals.ts";
import { type Query, raw } from "./sql.ts";

export const schemaVersion = migrations.length;

/** The first schema whose rows are under seals. */
const firstSealed = 11;

export function newerSchema(place: string, version: number): Problem {
  return new Problem(
    "newer-schema",
    `${place} was made by a newer Charter (schema ${version}; this one knows ${schemaVersion}).`,
    "Upgrade Charter; nothing was touched.",
  );
}

/** Runs the steps a database has not seen, inside the transaction the home opened for it. */
export async function migrateFrom(db: Database, place: string, version: number, types: ColumnTypes): Promise<void> {
  if (version > schemaVersion) throw newerSchema(place, version);
  const statements: Query[] = migrations.slice(version).flatMap((migration) => migration(types).map(raw));
  for (const statement of statements) await db.run(statement);
  if (version > 0 && version < firstSealed) await sealAll(db);
}
