import type { Disk } from "../disk/disk.ts";
import { createFiles } from "../disk/file.ts";
import { realPath } from "../disk/link.ts";
import { dataTest, namedPaths } from "./data-paths.ts";
import { type DigestLimits, digestLimits, fileDigest } from "./extension-digests.ts";
import { kindAt } from "./extension-package.ts";

const { dirname, resolve } = process.getBuiltinModule("node:path");

/** Code that is longer is digested whole; the files it names are looked for in so much of it. */
const mostRead = 4_000_000;

/** What a file and every file that it names say, by their real paths. */
export type FileDigests = ReadonlyMap<string, string>;

/**
 * A charter's file or a configuration, and every file that it names by a path, and those that these name: it may import,
 * run or read them. What comes from a package, or by a path that is put together, is not among them, nor is data, which
 * programs write. Data names nothing.
 */
export function namedDigests(
  file: string,
  disk: Disk,
  limits: DigestLimits = digestLimits,
): FileDigests | { readonly tooBig: string } {
  const files = createFiles(disk, () => 0);
  const found = new Map<string, string>();
  const waiting = [file];
  let isData: ReturnType<typeof dataTest> | undefined;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    // What a link leads to finds the files it names from where it is.
    const path = realPath(disk, next);
    if (found.has(path) || kindAt(path, disk) !== "file") continue;
    if (found.size >= limits.files) return { tooBig: `more than ${limits.files} files` };
    found.set(path, fileDigest(path, disk, limits.bytes) ?? "unreadable");
    if (!code.test(file)) break;
    const state = files.read(path, mostRead);
    if (state.status !== "present") continue;
    isData ??= dataTest(path, state.text);
    for (const named of namedPaths(state.text)) {
      const whole = resolve(dirname(path), named.path);
      waiting.push(...(isData(named, path) ? scriptsAt(whole) : meant(whole)));
    }
  }
  return found;
}

const code = /\.[cm]?[jt]s$/;

const endings = [".js", ".json", ".cjs", ".ts", ".cts"];

/** A script that is named without its ending stays one, also among data. */
function scriptsAt(path: string): string[] {
  return endings.map((ending) => `${path}${ending}`).filter((one) => code.test(one));
}

/** What require finds by a path without an ending. */
function meant(path: string): string[] {
  return [
    path,
    ...endings.flatMap((ending) => [`${path}${ending}`, resolve(path, `index${ending}`)]),
    resolve(path, "package.json"),
  ];
}
