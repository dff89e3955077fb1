import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { connectAsOwner, newFile, newPlace, type Place, type PlaceName } from "../../homes.ts";

/**
 * What a Charter of each schema left, as `live` (lived.ts) fills a store: its file, a dump of its PostgreSQL, a checkpoint. A
 * release adds a folder: `node charter/test/store/worlds/make-world.ts <folder> [postgres://…]`, run with its code.
 */
export const worlds: readonly number[] = readdirSync(new URL(".", import.meta.url), { withFileTypes: true })
  .flatMap((entry) => (entry.isDirectory() ? [Number(entry.name)] : []))
  .sort((a, b) => a - b);

const fileOf = (version: number, name: string) => new URL(`${version}/${name}`, import.meta.url);
const unpacked = (version: number, name: string) => gunzipSync(readFileSync(fileOf(version, name)));

export const checkpointOf = (version: number): string => fileURLToPath(fileOf(version, "checkpoint"));

/** A place as that Charter left it. */
export async function oldPlace(home: PlaceName, version: number): Promise<Place> {
  const place = home === "sqlite" ? await newFile("empty") : await newPlace("postgres", "empty");
  if (home === "sqlite") writeFileSync(place.url, unpacked(version, "database.gz"));
  else await restoreDump(place.url, version);
  return place;
}

/** Restores the dump as psql does, which goes on after what fails. Returns what failed. */
export async function restoreDump(url: string, version: number): Promise<string[]> {
  const words = unpacked(version, "dump.gz")
    .toString()
    .replaceAll(/^\\.*$/gm, "");
  const owner = await connectAsOwner(url);
  const failed: string[] = [];
  try {
    for (const part of words.split(/^--\n-- (?:Name|Data for Name): .*\n--$/m))
      await owner.query(part).catch((error: Error) => failed.push(error.message));
  } finally {
    await owner.end();
  }
  return failed;
}
