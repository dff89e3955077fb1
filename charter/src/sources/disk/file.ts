import { reasonOf } from "../../prompt/problem.ts";
import { decode } from "./decode.ts";
import { type Disk, type FileStats, pathLine } from "./disk.ts";
import type { Diagnostic, DiagnosticCode } from "./findings.ts";

const { O_NONBLOCK = 0, O_RDONLY } = process.getBuiltinModule("node:fs").constants;

export type Files = {
  /**
   * Reads at most `max` bytes of a file; returns the same object as long as the file does not change. `regular` says that its
   * directory lists it as a file, so that it can be opened without a stat first.
   */
  readonly read: (path: string, max: number, regular?: boolean) => FileState;
  /** Identity of the file that was read under a path; two paths of one file have the same. */
  readonly identity: (path: string) => string | undefined;
  /** Forgets everything, so that files are read anew. */
  readonly forget: () => void;
};

/** A cached file. `settled`: the reading holds as long as the file's times stay the same. */
type CachedFile = {
  readonly state: FileState;
  readonly maxBytes: number;
  readonly found: FileStats | undefined;
  readonly settled: boolean;
};

const readings = 4;
const quiet = { throwIfNoEntry: false } as const;
/** Buffer that small files share, since each is decoded before the next is read. */
const scratch = Buffer.allocUnsafeSlow(4096);

/** Caches files by path. A known one costs a stat, and is read again if that shows another file or another time. */
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
      const cached = known.get(path);
      const first = regular && !cached && max <= scratch.length ? readAtOnce(path, max) : undefined;
      if (first) return first;
      let stats = statsOf(disk, path);
      if (stats && cached?.settled && cached.maxBytes === max && sameFile(cached.found, stats)) return cached.state;
      for (let triesLeft = readings; ; ) {
        if (!stats) return absent(path);
        if (stats.isSymbolicLink()) return keep(path, max, brokenLink(path));
        if (!stats.isFile()) return keep(path, max, notAFile(path, stats));
        const settled = isSettled(stats);
        const { bytes, after } = bytesOf(disk, path, stats, max);
        const whole = sameFile(stats, after);
        if (whole || --triesLeft === 0) {
          return keep(
            path,
            max,
            stateOf(path, bytes, { size: after.size, maxBytes: max, whole }),
            after,
            whole && settled,
          );
        }
        stats = statsOf(disk, path);
      }
    } catch (error) {
      if (isAbsence(error)) return isLink(disk, path) ? keep(path, max, brokenLink(path)) : absent(path);
      return keep(path, max, unreadable(path, shortReason(error)));
    }
  }

  /** Reads a small file in one go, if it does not change meanwhile; this saves a stat. */
  function readAtOnce(path: string, max: number): FileState | undefined {
    const file = disk.openSync(path, O_RDONLY | O_NONBLOCK);
    try {
      const stats = disk.fstatSync(file);
      if (!stats.isFile()) return undefined;
      const settled = isSettled(stats);
      const length = disk.readSync(file, scratch, 0, max, null);
      const { size } = stats;
      if (!sameFile(stats, disk.fstatSync(file)) || length !== Math.min(max, size)) return undefined;
      const state = stateOf(path, scratch.subarray(0, length), { size, maxBytes: max, whole: true });
      return keep(path, max, state, stats, settled);
    } finally {
      disk.closeSync(file);
    }
  }

  function absent(path: string): FileState {
    known.delete(path);
    return none;
  }

  function identity(path: string): string | undefined {
    const stats = known.get(path)?.found;
    return stats && `${stats.dev}:${stats.ino}`;
  }

  return { read, identity, forget: () => known.clear() };
}

/** Reads a file's bytes. It is opened non-blocking, because between stat and open it can become a pipe without a writer. */
function bytesOf(disk: Disk, path: string, found: FileStats, max: number): { bytes: Buffer; after: FileStats } {
  const file = disk.openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    // Virtual files, which the system generates as they are read, report size 0.
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

/** Stats of what a path leads to, in one call unless it is a link; of the link itself if it is broken. */
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

/** Recognises errors that say a path does not exist. */
export function isAbsence(error: unknown): boolean {
  return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
}

function sameFile(a: FileStats | undefined, b: FileStats): boolean {
  if (a?.ino !== b.ino || a.dev !== b.dev) return false;
  return a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.size === b.size;
}

/** Code of a system error: ENOENT, EACCES … */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** Message of a system error, such as "EACCES: permission denied", without the call and the path that Node adds. */
export function shortReason(error: unknown): string {
  const reason = reasonOf(error);
  return /^(E[A-Z0-9]+: [^,]+), /.exec(reason)?.[1] ?? reason;
}

/**
 * State of a file. `missing` is a fact (it does not exist, or is no file: the diagnostics say which); `unavailable` means that it
 * exists and could not be read. `more` counts bytes that were not read.
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

/** Facts of a reading. `whole`: nothing changed while it was read. */
type ReadFacts = { readonly size: number; readonly maxBytes: number; readonly whole: boolean };

function stateOf(path: string, bytes: Uint8Array, { size, maxBytes, whole }: ReadFacts): FileState {
  const decoded = decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), path, size > bytes.length);
  const message = `${pathLine(path)} changed each time it was read; it may be half written.`;
  const changed = whole ? [] : [fault("warning", "changed-while-read", path, message)];
  const diagnostics = [...decoded.diagnostics, ...changed];
  const more = size > maxBytes ? size - decoded.length : 0;
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

/** Reasons why a file is not used. */
export const unusedReasons = {
  absent: "there is none",
  untrusted: "the project is not trusted",
  insteadOf: (path: string) => `${path} is used instead`,
};

/** Reason why a file that was found has no text. */
export function unusedReasonOf({ status, diagnostics }: FileState): string {
  if (status === "unavailable") return "it cannot be read";
  if (status === "empty") return "it is empty";
  const [first] = diagnostics;
  if (first === undefined) return unusedReasons.absent;
  return first.code === "broken-link" ? "it is a link to a file that is not there" : "it is not a file";
}

/** Target of a link. `circular`: links that lead only to one another. */
export type LinkTarget = "directory" | "file" | "other" | "missing" | "circular" | "unavailable";

export function linkTarget(disk: Disk, path: string): LinkTarget {
  try {
    const stats = disk.statSync(path, { throwIfNoEntry: false });
    if (!stats) return "missing";
    return stats.isDirectory() ? "directory" : stats.isFile() ? "file" : "other";
  } catch (error) {
    const code = codeOf(error);
    return code === "ELOOP" ? "circular" : code === "ENOTDIR" ? "missing" : "unavailable";
  }
}

/** Resolves a path; returns it as it is if that fails. */
export function realPath(disk: Disk, path: string): string {
  try {
    return disk.realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Resolution of file times in milliseconds, generously: a change this soon after another may not show. */
const timeResolutionMs = 50;

/**
 * Creates a check whether a file's last change is so long ago that a later one must show in its times. It is called before the
 * file is read. The clock is read only if its last value does not suffice, because on some machines it is slower than reading.
 */
export function createStableCheck(now: () => number): (found: FileStats) => boolean {
  let latest = Number.NEGATIVE_INFINITY;
  return ({ mtimeMs, ctimeMs }) => {
    const from = Math.max(mtimeMs, ctimeMs) + timeResolutionMs;
    if (from >= latest) latest = now();
    return from < latest;
  };
}
