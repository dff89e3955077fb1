import { Problem } from "../../prompt/problem.ts";
import type { Home } from "./database.ts";
import { newerSchema, schemaVersion } from "./schema.ts";

/** A new home gets its tables; one with an older or newer schema is refused by name, and not touched. */
export async function checkVersion(home: Home): Promise<void> {
  const version = await home.version();
  if (version === schemaVersion) return;
  if (version === undefined) {
    await home.migrate();
    return;
  }
  if (version < schemaVersion)
    throw new Problem(
      "older-schema",
      `${home.place} has schema ${version}; this Charter works with ${schemaVersion}.`,
      "Copy the database aside, then run `charter migrate`.",
    );
  throw newerSchema(home.place, version);
}
