import type { Charter } from "../prompt/charter.ts";
import type { Lock } from "../prompt/lock.ts";
import { listed, Problem } from "../prompt/problem.ts";
import { existsSync, readJson } from "../sources/input-file.ts";
import { builtInCalled, builtInNames } from "./built-in.ts";
import { isCharterFile } from "./load.ts";

const { statSync } = process.getBuiltinModule("node:fs");
const { dirname, join } = process.getBuiltinModule("node:path");

/** A charter, and the name or the file it was asked for by. */
type NamedCharter = { readonly charter: Charter; readonly from: string };

/** The fixed words are those that were pinned; a lock that is not there pins nothing, unless it was asked for by name. */
export async function compareLock({ charter, from }: NamedCharter, path: string, demanded: boolean): Promise<void> {
  if (!demanded && !existsSync(path)) return;
  const lock = readLock(path);
  checkFile(lock, path, { charter, from });
  if (!builtInCalled(charter.name) && !Object.hasOwn(lock.charters, charter.name))
    return checkLooks(lock, { charter, from });
  const [{ sha256 }, { checkLock }] = await Promise.all([
    import("../store/texts/packing.ts"),
    import("../prompt/lock.ts"),
  ]);
  checkLock(lock, charter, sha256);
}

/** The same for many turns: a charter that was compared is compared again when the file is another, or is there at last. */
export function createLockCheck(named: string | undefined): (asked: NamedCharter) => Promise<void> {
  const path = named ?? "charter.lock";
  const compared = new WeakMap<Charter, string>();
  return async (asked) => {
    const stamp = stampOf(path);
    if (compared.get(asked.charter) === stamp) return;
    await compareLock(asked, path, named !== undefined);
    compared.set(asked.charter, stamp);
  };
}

/** What came from a file that was locked is compared under the name it was locked by: another name is no way out. */
function checkFile(lock: Lock, path: string, { charter, from }: NamedCharter): void {
  if (!isCharterFile(from)) return;
  const names = Object.entries(lock.files ?? {}).flatMap(([name, file]) =>
    [file, join(dirname(path), file)].some((one) => isSameFile(one, from)) ? [name] : [],
  );
  if (names.length > 0 && !names.includes(charter.name)) throw renamedProblem(from, charter.name, names);
}

export function renamedProblem(file: string, name: string, names: readonly string[]): Problem {
  return new Problem(
    "lock-mismatch",
    `The charter at ${file} is called “${name}”, and was locked as ${listed(names)}.`,
    "Give it back its name; if the change is meant, run `charter lock` and commit the file.",
  );
}

/** One file, by whichever path, link or spelling. */
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false, bigint: true }));
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

/** A charter nobody locked may not pass for one that is: a blank more, a letter of another script. */
async function checkLooks(lock: Lock, { charter, from }: NamedCharter): Promise<void> {
  const { splitWords } = await import("../amend/override/normalise.ts");
  const looks = (name: string) => Array.from(splitWords(name), ({ folded }) => folded).join("");
  const look = looks(charter.name);
  const names = new Set([...builtInNames, ...Object.keys(lock.charters)]);
  const like = [...names].filter((name) => look !== "" && looks(name) === look);
  if (like.length === 0) return;
  throw new Problem(
    "lock-mismatch",
    `“${charter.name}” is not in charter.lock, and looks like ${listed(like)}, which is.`,
    `Give it a name of its own; or, if it is meant, lock it with \`charter lock --charter ${from}\`.`,
  );
}

function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : "none";
}

export function readLock(path: string): Lock {
  const lock = readJson(path, "lock file") as Lock;
  const isRecord = (value: unknown): value is Record<string, { words?: unknown }> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const isTexts = (value: unknown) => isRecord(value) && Object.values(value).every((one) => typeof one === "string");
  const sections = isRecord(lock?.charters) ? Object.values(lock.charters) : [undefined];
  const sound = sections.every(
    (one) => isRecord(one) && Object.values(one).every((entry) => typeof entry?.words === "string"),
  );
  if (lock?.version === 1 && sound && (lock.files === undefined || isTexts(lock.files))) return lock;
  const hint = "Take it from version control, or delete it and run `charter lock`.";
  throw new Problem("bad-lock", `${path} is damaged, or no lock file of this version.`, hint);
}
