import { grouped } from "../../prompt/problem.ts";
import type { Disk, FileStats } from "../disk/disk.ts";
import { isAbsence } from "../disk/file.ts";

const { join, sep } = process.getBuiltinModule("node:path");
const { O_RDONLY, O_NONBLOCK = 0 } = process.getBuiltinModule("node:fs").constants;

/** How many files and bytes of a project's extensions are compared when it is trusted; one with more cannot be. */
export type DigestLimits = { readonly files: number; readonly bytes: number };

/** More is no project's own code that a person could have looked at. */
export const digestLimits: DigestLimits = { files: 20_000, bytes: 100_000_000 };

/**
 * What every file of a project's extensions says, by its path from the project's root: code may read any of them. A
 * link counts by where it leads and what is there.
 */
export type Digests = Readonly<Record<string, string>>;

type ExtensionFile = { readonly key: string; readonly path: string; readonly link: string | undefined };

/** The digests, or why there are none: more files or bytes than the limits allow. */
export function extensionDigests(
  { root, config }: { readonly root: string; readonly config: string },
  disk: Disk,
  limits: DigestLimits = digestLimits,
): Digests | { readonly tooBig: string } {
  const digests: Record<string, string> = {};
  const found: ExtensionFile[] = [];
  const entered = new Set<string>();
  let count = 0;
  let bytes = 0;

  /** Directories are walked by their real paths and each once, so a cycle of links has an end. */
  function enter(folder: string, key: string): void {
    if (entered.has(folder)) return;
    entered.add(folder);
    try {
      for (const name of disk.readdirSync(folder).sort()) {
        if (count > limits.files || bytes > limits.bytes) return;
        look(join(folder, name), `${key}/${name}`);
      }
    } catch {
      digests[`${key}/`] = "unreadable";
    }
  }

  function look(path: string, key: string): void {
    count++;
    try {
      const real = disk.lstatSync(path).isSymbolicLink() ? disk.realpathSync(path) : undefined;
      met(disk.statSync(real ?? path), real ?? path, key, real);
    } catch {
      digests[key] = "unreadable";
    }
  }

  function met(stats: FileStats, path: string, key: string, link: string | undefined): void {
    if (stats.isDirectory()) {
      if (link !== undefined) digests[`${key}/`] = `link:${link}`;
      enter(path, key);
    } else if (stats.isFile()) {
      bytes += stats.size;
      found.push({ key, path, link });
    } else digests[key] = "not a file";
  }

  const folder = join(root, config, "extensions");
  try {
    const real = disk.realpathSync(folder);
    met(disk.statSync(real), real, `${config}/extensions`.split(sep).join("/"), real === folder ? undefined : real);
  } catch (error) {
    if (!isAbsence(error)) digests[`${config}/extensions`] = "unreadable";
  }
  if (count > limits.files) return { tooBig: `more than ${grouped(limits.files)} files` };
  const tooManyBytes = { tooBig: `more than ${grouped(limits.bytes)} bytes` };
  if (bytes > limits.bytes) return tooManyBytes;
  for (const { key, path, link } of found) {
    const digest = fileDigest(path, disk, limits.bytes);
    if (digest === undefined) return tooManyBytes;
    digests[key] = link === undefined ? digest : `link:${link}:${digest}`;
  }
  return digests;
}

/** Nothing where a file goes on and on, whatever its size is said to be. */
export function fileDigest(path: string, disk: Disk, max: number): string | undefined {
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  const chunk = Buffer.allocUnsafe(65_536);
  try {
    const file = disk.openSync(path, O_RDONLY | O_NONBLOCK);
    try {
      for (let read = 0; read <= max; ) {
        const length = disk.readSync(file, chunk, 0, chunk.length, null);
        if (length === 0) return hash.digest("hex");
        hash.update(chunk.subarray(0, length));
        read += length;
      }
      return undefined;
    } finally {
      disk.closeSync(file);
    }
  } catch {
    return "unreadable";
  }
}

/** The files that are other ones, new or gone, sorted. */
export function changedFiles(before: Digests, now: Digests): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
  const at = (digests: Digests, key: string) => (Object.hasOwn(digests, key) ? digests[key] : undefined);
  return [...keys].filter((key) => at(before, key) !== at(now, key)).sort();
}
