import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

/** A package of the registry, by the sha512 of its tarball; without what it depends on. */
export type Wanted = { readonly name: string; readonly version: string; readonly integrity: string };

export const root = resolve(import.meta.dirname, "../..");
const cache = join(root, "node_modules/.cache/charter");

/** Its folder: in the cache, or fetched into it. */
export async function fetchedPackage(wanted: Wanted): Promise<string> {
  const place = placeOf(wanted);
  if (!holds(place, wanted)) await fetchInto(place, wanted);
  return place;
}

/** Its folder in the cache, for who may not fetch it. */
export async function cachedPackage(wanted: Wanted): Promise<string> {
  const place = placeOf(wanted);
  if (!holds(place, wanted)) throw new Error("it was not fetched yet; npm run fuzz does that.");
  return place;
}

function placeOf({ name, version }: Wanted): string {
  return join(cache, `${plainName(name)}-${version}`);
}

export function holds(folder: string, { version }: Wanted): boolean {
  const file = join(folder, "package.json");
  // Some packages write a “v” before their version.
  return existsSync(file) && JSON.parse(readFileSync(file, "utf8")).version.replace("v", "") === version;
}

/** Two test processes may do this at once: each works in a folder of its own, and the first to rename it has won. */
async function fetchInto(cached: string, wanted: Wanted): Promise<void> {
  const { name, version, integrity } = wanted;
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "fetching-"));
  try {
    const patience = ["--fetch-retries=0", "--fetch-timeout=20000", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", ["pack", `${name}@${version}`, "--pack-destination", work, "--loglevel=error", ...patience]);
    const tarball = join(work, `${plainName(name)}-${version}.tgz`);
    const digest = createHash("sha512").update(readFileSync(tarball)).digest("base64");
    if (digest !== integrity) throw new Error(`its sha512 is ${digest}, not ${integrity}.`);
    await run("tar", ["-xzf", tarball, "-C", work]);
    try {
      renameSync(join(work, "package"), cached);
    } catch (error) {
      if (!holds(cached, wanted)) throw error;
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function plainName(name: string): string {
  return name.replace("@", "").replace("/", "-");
}

async function run(command: string, args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)(command, args, { cwd: root, timeout: 90_000, shell: process.platform === "win32" });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`“${command} ${args[0]}” failed: ${(stderr || message).trim().split("\n")[0]}`);
  }
}
