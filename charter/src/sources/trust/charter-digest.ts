import type { Disk } from "../disk/disk.ts";
import { createFiles } from "../disk/file.ts";
import { type DigestLimits, digestLimits, fileDigest } from "./extension-digests.ts";
import { kindAt } from "./extension-package.ts";

const { dirname, relative, resolve } = process.getBuiltinModule("node:path");

/** Code that is longer is digested whole; the files it names are looked for in so much of it. */
const mostRead = 4_000_000;

/**
 * One digest for a charter's file and for every file that it names by a path, and those that these name: it may import
 * or read them. What comes from a package, or by a path that is put together, is not in it.
 */
export function charterDigest(
  file: string,
  disk: Disk,
  limits: DigestLimits = digestLimits,
): string | { readonly tooBig: string } {
  const files = createFiles(disk, () => 0);
  const found = new Map<string, string>();
  const waiting = [file];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path) || kindAt(path, disk) !== "file") continue;
    if (found.size >= limits.files) return { tooBig: `more than ${limits.files} files` };
    found.set(path, fileDigest(path, disk, limits.bytes) ?? "unreadable");
    const state = files.read(path, mostRead);
    if (state.status === "present") waiting.push(...pathsIn(state.text).map((name) => resolve(dirname(path), name)));
  }
  const parts = [...found].map(([path, digest]) => [relative(dirname(file), path), digest]).sort();
  return process.getBuiltinModule("node:crypto").hash("sha256", JSON.stringify(parts), "hex");
}

/** Every text in quotes that is a path. */
function pathsIn(code: string): string[] {
  return [...code.matchAll(/(["'`])((?:\.{1,2})?\/[^"'`\0\r\n]*)\1/g)].map(([, , path]) => path as string);
}
