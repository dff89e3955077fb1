import { readLock } from "../charters/lock-file.ts";
import { checkLock } from "../prompt/lock.ts";
import { sha256 } from "../store/sha256.ts";
import { projectCharters } from "./lock.ts";

/** What of the fixed words was compared, and with which lock. */
export type FixedWords = { readonly path: string; readonly charters: number; readonly fixed: number };

/** Every fixed section against the lock; one that is another is a Problem that names it. */
export async function compareFixedWords(path: string): Promise<FixedWords> {
  const lock = readLock(path);
  const charters = [...(await projectCharters(lock, [])).keys()];
  for (const charter of charters) checkLock(lock, charter, sha256);
  const fixed = Object.values(lock.charters).reduce((sum, sections) => sum + Object.keys(sections).length, 0);
  return { path, charters: charters.length, fixed };
}
