import { readLock, renamedProblem } from "../../../host/lock-file.ts";
import type { Charter } from "../../../prompt/charter.ts";
import { checkLock, type Lock } from "../../../prompt/lock.ts";
import { listed, Problem } from "../../../prompt/problem.ts";
import { sha256 } from "../../../store/texts/packing.ts";
import { projectCharters } from "./lock.ts";

/** What of the fixed words was compared, and with which lock. */
export type FixedWords = { readonly path: string; readonly charters: number; readonly fixed: number };

/**
 * Every fixed section against the lock; one that is another is a Problem that names it. Charters' files are run for
 * that: those that were named now, others if they are trusted.
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

/** What is pinned and is nowhere to be found was not compared, and so not verified. */
function checkAllThere({ charters, files = {} }: Lock, path: string, found: readonly Charter[]): void {
  const known = new Set([...found.map(({ name }) => name), ...Object.keys(files)]);
  const gone = Object.keys(charters).filter((name) => !known.has(name));
  if (gone.length === 0) return;
  throw new Problem(
    "lock-mismatch",
    `${path} pins ${listed(gone)}, and does not say where to find it.`,
    "Run `charter lock --charter` with its file, or its name in charter.config.ts; if it was deleted, run `charter lock`.",
  );
}
