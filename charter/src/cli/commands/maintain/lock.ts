import { existsSync, renameSync, writeFileSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { factsOf } from "../../../charters/facts.ts";
import { builtInCalled, builtInNames } from "../../../host/built-in.ts";
import {
  type HostCharters,
  isCharterPath,
  isFoundByName,
  loadCharter,
  readLock,
  renamedProblem,
} from "../../../host/load.ts";
import type { LockInput } from "../../../operations/here/maintain.ts";
import { colours } from "../../../operations/print/columns.ts";
import type { Charter } from "../../../prompt/charter.ts";
import { checkLock, type Lock, type LockDifference, lockDifferences, lockOf } from "../../../prompt/lock.ts";
import { listed, Problem } from "../../../prompt/problem.ts";
import { sha256 } from "../../../store/texts/packing.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { createHere } from "../../shared/trust/here.ts";
import { checkLocked } from "../../shared/trust/trusted-database.ts";

export async function run({ input, json }: ParsedCommand): Promise<number> {
  const { lock: path = "charter.lock", charter: named = [], diff } = input as LockInput;
  const before: Lock | undefined = existsSync(path) ? readLock(path) : undefined;
  const charters = await projectCharters(before, named, true);
  const differences = before ? differencesOf(before, [...charters.keys()]) : [];
  if (diff) {
    process.stdout.write(json ? `${JSON.stringify({ differences })}\n` : reportDifferences(differences));
    return differences.length > 0 ? 1 : 0;
  }
  const files = Object.fromEntries([...charters].flatMap(([charter, file]) => (file ? [[charter.name, file]] : [])));
  // The words of the ready-made charters come with Charter; a diff of the project shows its own.
  const isOwn = (charter: Charter) => !builtInCalled(charter.name);
  const [own, readyMade] = [[...charters.keys()].filter(isOwn), [...charters.keys()].filter((one) => !isOwn(one))];
  const digests = lockOf(readyMade, sha256, { text: false });
  const lock: Lock = {
    version: 1,
    charters: { ...digests.charters, ...lockOf(own, sha256).charters },
    ...(Object.keys(files).length > 0 ? { files } : {}),
  };
  writeFileSync(`${path}.new`, `${JSON.stringify(lock, null, 2)}\n`);
  renameSync(`${path}.new`, path);
  const fixed = Object.values(lock.charters).reduce((sum, sections) => sum + Object.keys(sections).length, 0);
  const whose = own.length === 0 ? "" : ", yours and the ready-made ones,";
  process.stdout.write(
    json
      ? `${JSON.stringify({ lock: path, charters: charters.size, fixed, differences })}\n`
      : `Locked ${fixed} fixed sections of ${charters.size} charters${whose} in ${path}.\n${before ? reportDifferences(differences) : ""}`,
  );
  return 0;
}

/**
 * Collects the built-in charters, and the project's own: those in the lock and those named now, each with its file, if it has
 * one; with `all`, those of the configuration too.
 */
async function projectCharters(
  lock: Lock | undefined,
  named: readonly string[],
  all = false,
): Promise<Map<Charter, string | undefined>> {
  const charters = new Map<Charter, string | undefined>();
  const namedFiles = new Set(named.filter(isCharterPath).map(portable));
  const files = new Set([...Object.values(lock?.files ?? {}), ...namedFiles]);
  const load = async (name: string, charters?: HostCharters) => {
    const { given } = await loadCharter(name, { charters, anew: true, sources: createHere().sources });
    return (await given(factsOf({}), () => new Date(0))).charter;
  };
  for (const name of [...builtInNames, ...files]) {
    if (files.has(name)) checkThere(lock, name);
    if (files.has(name) && !namedFiles.has(name)) await checkLocked(name);
    add(charters, await load(name), files.has(name) ? name : undefined);
  }
  const names = named.filter((name) => !isFoundByName(name));
  const pinned = pinnedElsewhere(lock);
  if (names.length + pinned.length === 0 && !all) return charters;
  const configured = (await createHere().setting("charters")) ?? {};
  for (const name of new Set([...names, ...Object.keys(configured)])) {
    const charter = await load(name, configured);
    const isNew = ![...charters.keys()].some((one) => one.name === charter.name);
    if (names.includes(name) || pinned.includes(charter.name) || (all && isNew)) add(charters, charter, undefined);
  }
  return charters;
}

/** Names that a lock pins without a file, because a configuration gives them. */
export function pinnedElsewhere({ charters, files = {} }: Lock = { version: 1, charters: {} }): string[] {
  return Object.keys(charters).filter((name) => !builtInCalled(name) && !Object.hasOwn(files, name));
}

/**
 * Adds a charter. One with the name of a built-in charter has the same fixed texts and is pinned with it; otherwise a name is
 * allowed once.
 */
function add(charters: Map<Charter, string | undefined>, charter: Charter, file: string | undefined): void {
  const { name } = charter;
  const other = [...charters].find(([one, from]) => one.name === name && (from !== undefined || !builtInCalled(name)));
  if (other)
    throw new Problem(
      "charter-unreadable",
      `The charter ${placeOf(file)} cannot be locked: the one ${placeOf(other[1])} is called “${name}” as well.`,
      "Give each a name of its own.",
    );
  charters.set(charter, file);
}

function placeOf(file: string | undefined): string {
  return file === undefined ? "of the configuration" : `at ${file}`;
}

function checkThere(lock: Lock | undefined, file: string): void {
  const names = Object.entries(lock?.files ?? {}).flatMap(([name, one]) => (one === file ? [name] : []));
  if (names.length === 0 || existsSync(file)) return;
  throw new Problem(
    "no-such-file",
    `There is no charter at ${file}.`,
    `It was locked as ${listed(names)}: put it back, or remove it from the lock file if it was deleted.`,
  );
}

/** Lists changes in each charter, and every section of charters that are gone. */
function differencesOf(before: Lock, charters: readonly Charter[]): LockDifference[] {
  const names = new Set(charters.map(({ name }) => name));
  const missing = Object.keys(before.charters).filter((name) => !names.has(name));
  return [
    ...charters.flatMap((charter) => lockDifferences(before, charter, sha256)),
    ...missing.flatMap((name) => lockDifferences(before, { name, layers: [] }, sha256)),
  ];
}

/** Path that is the same on every machine the project is checked out on. */
export function portable(path: string): string {
  return `./${relative(".", resolve(path)).split(sep).join("/")}`;
}

function reportDifferences(differences: readonly LockDifference[]): string {
  const paint = colours(process.stdout);
  if (differences.length === 0) return "No fixed text changed.\n";
  return `${differences.map(({ charter, section, what }) => `${paint.yellow(what.padEnd(8))} ${charter}: ${section}`).join("\n")}\n`;
}

/** Result of comparing fixed texts: the lock, and how many were compared. */
export type FixedWords = { readonly path: string; readonly charters: number; readonly fixed: number };

/**
 * Compares every fixed section with the lock; a Problem names one that differs. This runs charters' files: those that were named
 * now, others if they are trusted.
 */
export async function compareFixedWords(path: string, named: readonly string[] = []): Promise<FixedWords> {
  const lock = readLock(path);
  const charters = await projectCharters(lock, named);
  checkAllThere(lock, path, [...charters.keys()]);
  for (const [charter, file] of charters) {
    if (file !== undefined && lock.files?.[charter.name] !== file)
      throw renamedProblem(file, charter.name, namesOf(lock, file));
    checkLock(lock, charter, sha256);
  }
  const fixed = Object.values(lock.charters).reduce((sum, sections) => sum + Object.keys(sections).length, 0);
  return { path, charters: charters.size, fixed };
}

const namesOf = ({ files = {} }: Lock, file: string) => Object.keys(files).filter((name) => files[name] === file);

/** Refuses a lock with charters that cannot be found, since they would not be verified. */
function checkAllThere({ charters, files = {} }: Lock, path: string, found: readonly Charter[]): void {
  const known = new Set([...found.map(({ name }) => name), ...Object.keys(files)]);
  const missing = Object.keys(charters).filter((name) => !known.has(name));
  if (missing.length === 0) return;
  throw new Problem(
    "lock-mismatch",
    `${path} pins ${listed(missing)}, and does not say where to find it.`,
    "Run `charter lock --charter` with its file, or its name in charter.config.ts; if it was deleted, run `charter lock`.",
  );
}
