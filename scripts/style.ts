// Checks the style of what has changed since it last passed: looking at all of it takes as long as a thousand tests.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";

const biome = "node_modules/@biomejs/biome";
const cache = "node_modules/.cache";

const now = Object.fromEntries(files().map((file) => [file, digestOf(file)]));
const rules = digestOf("biome.json") + digestOf(`${biome}/package.json`);
const before = passed();
const changed = Object.keys(now).filter((file) => now[file] !== before[file]);
process.stdout.write(`${changed.length} of ${Object.keys(now).length} files have changed.\n`);
process.exitCode = changed.length === 0 ? 0 : unmerged(changed) || check(changed);
if (process.exitCode === 0) {
  mkdirSync(cache, { recursive: true });
  writeFileSync(`${cache}/style.json`, JSON.stringify({ rules, files: now }));
}

/** Every file that Git keeps or would keep; where there is no Git, nothing is known to be as it was. */
function files(): string[] {
  const { stdout } = spawnSync("git", ["ls-files", "-coz", "--exclude-standard"], { encoding: "utf8" });
  const all = stdout ? stdout.split("\0") : ["."];
  return all.filter((file) => file !== "" && statSync(file, { throwIfNoEntry: false }));
}

function digestOf(file: string): string {
  if (!statSync(file).isFile()) return String(Date.now());
  return createHash("sha1").update(readFileSync(file)).digest("base64");
}

function passed(): Readonly<Record<string, string>> {
  try {
    const kept = JSON.parse(readFileSync(`${cache}/style.json`, "utf8"));
    return kept.rules === rules ? kept.files : {};
  } catch {
    return {};
  }
}

/** Says which files hold the marks of a merge that was not finished: in a page of docs nothing else finds them. */
function unmerged(some: readonly string[]): number {
  const marked = some.filter((file) => statSync(file).isFile() && /^<{7} .*$/m.test(readFileSync(file, "utf8")));
  for (const file of marked) process.stderr.write(`${file}: a merge was not finished here; look for “<<<<<<<”.\n`);
  return marked.length === 0 ? 0 : 1;
}

/** A command line takes some hundred names; beyond that the whole folder is as quick. */
function check(some: readonly string[]): number {
  // “biome ci” colours even a log file.
  const how = ["--no-errors-on-unmatched", ...(process.stdout.isTTY ? [] : ["--colors=off"])];
  const which = some.length > 500 ? ["."] : some;
  const { status } = spawnSync(process.execPath, [`${biome}/bin/biome`, "ci", ...how, ...which], { stdio: "inherit" });
  return status ?? 1;
}
