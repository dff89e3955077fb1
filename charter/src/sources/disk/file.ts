import { reasonOf } from "../../prompt/problem.ts";
import { decode } from "./decode.ts";
import { type Disk, type FileStats, pathLine } from "./disk.ts";
import type { Diagnostic, DiagnosticCode } from "./findings.ts";

const { O_NONBLOCK = 0, O_RDONLY } = process.getBuiltinModule("node:fs").constants;

export type Files = {
  /**
   * At most so many bytes of a file. As long as it is the same file with the same words, the same object. `regular`: its
   * directory says that it is a file, so one that is not known yet may be opened without a look at what it is.
   */
  readonly read: (path: string, max: number, regular?: boolean) => FileState;
  /** Which file of the disk was read under a path: two paths of one file have the same. */
  readonly identity: (path: string) => string | undefined;
  /** Everything is read anew. */
  readonly forget: () => void;
};

/** `settled`: a reading of it that can be believed as long as the file looks like this. */
type CachedFile = {
  readonly state: FileState;
  readonly maxBytes: number;
  readonly found: FileStats | undefined;
  readonly settled: boolean;
};

const readings = 4;
const quiet = { throwIfNoEntry: false } as const;
/** Small files pass through the same bytes one after the other: each is text before the next is read. */
const scratch = Buffer.allocUnsafeSlow(4096);

/** Files by their path. A known one costs a stat; it is read again when that shows another file or another time. */
export function createFiles(disk: Disk, now: () => number): Files {
  const known = new Map<string, CachedFile>();
  const isSettled = createStableCheck(now);

  function keep(path: string, max: number, state: FileState, found?: FileStats, settled = false): FileState {
    const before = known.get(path)?.state;
    const same = before && sameState(before, state) ? before : state;
    known.set(path, { state: same, maxBytes: max, found, settled });
    return same;
  }

  function read(path: string, max: number, regular = false): FileState {
    try {
      const kept = known.get(path);
      const first = regular && !kept && max <= scratch.length ? readAtOnce(path, max) : undefined;
      if (first) return first;
      let found = statsOf(disk, path);
      if (found && kept?.settled && kept.maxBytes === max && sameFile(kept.found, found)) return kept.state;
      for (let left = readings; ; ) {
        if (!found) return absent(path);
        if (found.isSymbolicLink()) return keep(path, max, brokenLink(path));
        if (!found.isFile()) return keep(path, max, notAFile(path, found));
        const settled = isSettled(found);
        const { bytes, after } = bytesOf(disk, path, found, max);
        const whole = sameFile(found, after);
        if (whole || --left === 0) {
          return keep(
            path,
            max,
            stateOf(path, bytes, { size: after.size, maxBytes: max, whole }),
            after,
            whole && settled,
          );
        }
        found = statsOf(disk, path);
      }
    } catch (error) {
      if (isAbsence(error)) return isLink(disk, path) ? keep(path, max, brokenLink(path)) : absent(path);
      return keep(path, max, unreadable(path, shortReason(error)));
    }
  }

  /** A small file in one go, while it stays as it is; a look less than for any other. */
  function readAtOnce(path: string, max: number): FileState | undefined {
    const file = disk.openSync(path, O_RDONLY | O_NONBLOCK);
    try {
      const found = disk.fstatSync(file);
      if (!found.isFile()) return undefined;
      const settled = isSettled(found);
      const length = disk.readSync(file, scratch, 0, max, null);
      const { size } = found;
      if (!sameFile(found, disk.fstatSync(file)) || length !== Math.min(max, size)) return undefined;
      const state = stateOf(path, scratch.subarray(0, length), { size, maxBytes: max, whole: true });
      return keep(path, max, state, found, settled);
    } finally {
      disk.closeSync(file);
    }
  }

  function absent(path: string): FileState {
    known.delete(path);
    return none;
  }

  function identity(path: string): string | undefined {
    const found = known.get(path)?.found;
    return found && `${found.dev}:${found.ino}`;
  }

  return { read, identity, forget: () => known.clear() };
}

/** Opened so that it never waits: between the look and the opening, a file can become a pipe without a writer. */
function bytesOf(disk: Disk, path: string, found: FileStats, max: number): { bytes: Buffer; after: FileStats } {
  const file = disk.openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    // Files that the system makes up as they are read say that they have no size.
    const size = Math.min(max, found.size || max);
    const bytes = size <= scratch.length ? scratch.subarray(0, size) : Buffer.allocUnsafe(size);
    let length = 0;
    while (length < bytes.length) {
      const more = disk.readSync(file, bytes, length, bytes.length - length, null);
      if (more === 0) break;
      length += more;
    }
    return { bytes: length === size ? bytes : bytes.subarray(0, length), after: disk.fstatSync(file) };
  } finally {
    disk.closeSync(file);
  }
}

/** What a path leads to, in one call unless it is a link; the link itself where it leads nowhere. */
function statsOf(disk: Disk, path: string): FileStats | undefined {
  const own = disk.lstatSync(path, quiet);
  return own?.isSymbolicLink() ? (disk.statSync(path, quiet) ?? own) : own;
}

function isLink(disk: Disk, path: string): boolean {
  try {
    return disk.lstatSync(path, quiet)?.isSymbolicLink() ?? false;
  } catch {
    return false;
  }
}

/** There is nothing at that path. */
export function isAbsence(error: unknown): boolean {
  return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
}

function sameFile(a: FileStats | undefined, b: FileStats): boolean {
  if (a?.ino !== b.ino || a.dev !== b.dev) return false;
  return a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.size === b.size;
}

/** What the system calls an error: ENOENT, EACCES … */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** "EACCES: permission denied", without the call and the path that Node adds. */
export function shortReason(error: unknown): string {
  const reason = reasonOf(error);
  return /^(E[A-Z0-9]+: [^,]+), /.exec(reason)?.[1] ?? reason;
}

/**
 * What is known of a file. `missing` is a fact (there is none, or what has its name is no file: the diagnostics tell);
 * `unavailable` is not (there is one, and it could not be read). `more`: bytes of the file that were not read.
 */
export type FileState =
  | {
      readonly status: "present";
      readonly text: string;
      readonly more: number;
      readonly diagnostics: readonly Diagnostic[];
    }
  | { readonly status: "empty"; readonly diagnostics: readonly Diagnostic[] }
  | { readonly status: "missing"; readonly diagnostics: readonly Diagnostic[] }
  | { readonly status: "unavailable"; readonly reason: string; readonly diagnostics: readonly Diagnostic[] };

const none: FileState = Object.freeze({ status: "missing", diagnostics: Object.freeze([]) });

/** `whole`: nothing changed while it was read. */
type ReadFacts = { readonly size: number; readonly maxBytes: number; readonly whole: boolean };

function stateOf(path: string, bytes: Uint8Array, { size, maxBytes: max, whole }: ReadFacts): FileState {
  const decoded = decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), path, size > bytes.length);
  const message = `${pathLine(path)} changed each time it was read; it may be half written.`;
  const changed = whole ? [] : [fault("warning", "changed-while-read", path, message)];
  const diagnostics = [...decoded.diagnostics, ...changed];
  const more = size > max ? size - decoded.length : 0;
  if (more === 0 && /^[\s\u0085]*$/.test(decoded.text)) return { status: "empty", diagnostics };
  return { status: "present", text: decoded.text, more, diagnostics };
}

function unreadable(path: string, why: string): FileState {
  const reason = `${pathLine(path)} cannot be read: ${why}`;
  return { status: "unavailable", reason, diagnostics: [fault("error", "unreadable", path, reason)] };
}

function brokenLink(path: string): FileState {
  const message = `${pathLine(path)} is a link to a file that is not there.`;
  return { status: "missing", diagnostics: [fault("warning", "broken-link", path, message)] };
}

function notAFile(path: string, found: FileStats): FileState {
  const kind = found.isDirectory()
    ? "a directory"
    : found.isFIFO()
      ? "a pipe"
      : found.isSocket()
        ? "a socket"
        : "a device";
  const message = `${pathLine(path)} is ${kind}, not a file.`;
  return { status: "missing", diagnostics: [fault("warning", "not-a-file", path, message)] };
}

function sameState(a: FileState, b: FileState): boolean {
  if (a.status !== b.status || a.diagnostics.length !== b.diagnostics.length) return false;
  if (a.status === "present" && b.status === "present" && (a.text !== b.text || a.more !== b.more)) return false;
  if (a.status === "unavailable" && b.status === "unavailable" && a.reason !== b.reason) return false;
  return a.diagnostics.every(({ message }, index) => message === b.diagnostics[index]?.message);
}

function fault(severity: Diagnostic["severity"], code: DiagnosticCode, path: string, message: string): Diagnostic {
  return { severity, code, path, message };
}

/** Why a file is not used. */
export const unusedReasons = {
  absent: "there is none",
  untrusted: "the project is not trusted",
  insteadOf: (path: string) => `${path} is used instead`,
};

/** Why what was found brings no words. */
export function unusedReasonOf({ status, diagnostics }: FileState): string {
  if (status === "unavailable") return "it cannot be read";
  if (status === "empty") return "it is empty";
  const [first] = diagnostics;
  if (first === undefined) return unusedReasons.absent;
  return first.code === "broken-link" ? "it is a link to a file that is not there" : "it is not a file";
}

/** What a link leads to. `circular`: links that lead to one another and nowhere else. */
export type LinkTarget = "directory" | "file" | "other" | "missing" | "circular" | "unavailable";

export function linkTarget(disk: Disk, path: string): LinkTarget {
  try {
    const found = disk.statSync(path, { throwIfNoEntry: false });
    if (!found) return "missing";
    return found.isDirectory() ? "directory" : found.isFile() ? "file" : "other";
  } catch (error) {
    const code = codeOf(error);
    return code === "ELOOP" ? "circular" : code === "ENOTDIR" ? "missing" : "unavailable";
  }
}

/** Where a path leads in the end; itself when nobody can say. */
export function realPath(disk: Disk, path: string): string {
  try {
    return disk.realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Clocks of file systems are coarse: what was written so shortly before it was read may be written once more unseen. */
const settledAfter = 50;

/**
 * Was something last changed so long ago that a later change must show in its times? To be asked before it is read. The
 * clock is only asked when what it said last does not answer that: on some machines it costs more than the reading.
 */
export function createStableCheck(now: () => number): (found: FileStats) => boolean {
  let latest = Number.NEGATIVE_INFINITY;
  return ({ mtimeMs, ctimeMs }) => {
    const from = Math.max(mtimeMs, ctimeMs) + settledAfter;
    if (from >= latest) latest = now();
    return from < latest;
  };
}
