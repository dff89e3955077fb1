import type { Charter } from "../prompt/charter.ts";
import type { Lock } from "../prompt/lock.ts";
import { Problem } from "../prompt/problem.ts";
import { existsSync, readJson } from "../sources/input-file.ts";
import { builtInNames } from "./load.ts";

const { statSync } = process.getBuiltinModule("node:fs");

/** The fixed words are those that were pinned; a lock that is not there pins nothing, unless it was asked for by name. */
export async function compareLock(charter: Charter, path: string, demanded: boolean): Promise<void> {
  if (!demanded && !existsSync(path)) return;
  const lock = readLock(path);
  if (!builtInNames.includes(charter.name) && lock.charters[charter.name] === undefined) return;
  const [{ sha256 }, { checkLock }] = await Promise.all([import("../store/sha256.ts"), import("../prompt/lock.ts")]);
  checkLock(lock, charter, sha256);
}

/** The same for many turns: a charter that was compared is compared again when the file is another, or is there at last. */
export function createLockCheck(named: string | undefined): (charter: Charter) => Promise<void> {
  const path = named ?? "charter.lock";
  const compared = new WeakMap<Charter, string>();
  return async (charter) => {
    const stamp = stampOf(path);
    if (compared.get(charter) === stamp) return;
    await compareLock(charter, path, named !== undefined);
    compared.set(charter, stamp);
  };
}

function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found ? `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : "none";
}

export function readLock(path: string): Lock {
  const lock = readJson(path, "lock file") as Lock;
  const isRecord = (value: unknown): value is Record<string, { words?: unknown }> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const sections = isRecord(lock?.charters) ? Object.values(lock.charters) : [undefined];
  const sound = sections.every(
    (one) => isRecord(one) && Object.values(one).every((entry) => typeof entry?.words === "string"),
  );
  if (lock?.version === 1 && sound && (lock.files === undefined || isRecord(lock.files))) return lock;
  const hint = "Take it from version control, or delete it and run `charter lock`.";
  throw new Problem("bad-lock", `${path} is damaged, or no lock file of this version.`, hint);
}
