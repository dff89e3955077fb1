import { Problem } from "../../prompt/problem.ts";
import type { Home } from "./database.ts";
import { checkKnown, storeSchema, versionOf } from "./schema.ts";

/** A new home gets its tables; one with an older or newer schema is refused by name, and not touched. */
export async function checkVersion(home: Home): Promise<void> {
  const version = await home.version();
  const known = versionOf(home.schema);
  // Tables of one's own may have been declared since.
  if (version === undefined || (version === known && home.schema.tables !== storeSchema.tables)) await home.migrate();
  if (version === undefined || version === known) return;
  checkKnown(home.place, version, home.schema);
  throw new Problem(
    "older-schema",
    `${home.place} has schema ${version}; this Charter works with ${known}.`,
    "Copy the database aside, then run `charter migrate`.",
  );
}
