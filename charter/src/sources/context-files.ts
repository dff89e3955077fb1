import { grouped } from "../prompt/problem.ts";
import { empty, type Part, present, type Reading, unavailable } from "../prompt/reading.ts";
import { type Disk, directoriesTo, foreignDirectories, isThere, isWithin, pathLine } from "./disk/disk.ts";
import { type FileState, type Files, unusedReasonOf, unusedReasons } from "./disk/file.ts";
import {
  type ConsideredFile,
  type Diagnostic,
  type FileFindings,
  type FileLimits,
  type Wording,
  withDiagnostics,
} from "./disk/findings.ts";

const { join } = process.getBuiltinModule("node:path");

/** A file with text, ready for the prompt. */
type ReadyFile = { readonly state: FileState; readonly file: ContextFile; readonly missing: number };

/**
 * Finds and reads AGENTS.md and CLAUDE.md files: each real file once, and always, even in untrusted projects. If there are too
 * many, the nearest ones are kept.
 */
export function createContextFiles(places: ContextPlaces): () => FileFindings {
  let last: { readonly found: readonly ContextCandidate[]; readonly look: FileFindings } | undefined;
  let ready = new Map<string, ReadyFile>();

  function prepare(path: string, state: FileState & { status: "present" }): ReadyFile {
    const known = ready.get(path);
    if (known?.state === state) return known;
    const { text, missing }: Excerpt = excerpt(state.text, places.limits.contextFile, state.more);
    return { state, file: { path, content: text }, missing };
  }

  return () => {
    const candidates = findContextFiles(places);
    if (last && sameFound(candidates, last.found)) return last.look;
    const readyNow = new Map<string, ReadyFile>();
    for (const { path, state } of candidates)
      if (typeof state === "object" && state.status === "present") readyNow.set(path, prepare(path, state));
    ready = readyNow;
    last = { found: candidates, look: lookOf(candidates, ready, places.limits) };
    return last.look;
  };
}

function sameFound(a: readonly ContextCandidate[], b: readonly ContextCandidate[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ path, state, identity }, index) => {
      const other = b[index];
      return path === other?.path && state === other.state && identity === other.identity;
    })
  );
}

function lookOf(
  found: readonly ContextCandidate[],
  ready: ReadonlyMap<string, ReadyFile>,
  limits: FileLimits,
): FileFindings {
  const diagnostics: Diagnostic[] = [];
  const first = firstPlaces(found, ready);
  const parts = [...new Set(first.values())].flatMap((path): Part[] => {
    const one = ready.get(path);
    return one ? [contextPart(one.file)] : [];
  });
  const fitting = nearest(parts, limits.context);
  const considered = found.map(({ path, place, state, meant, outside }): ConsideredFile => {
    const about = { path, role: "context" as const, place };
    if (meant !== undefined) {
      const message = `${pathLine(path)} is not read: the name must be ${meant}.`;
      diagnostics.push({ severity: "warning", code: "case-variant", path, message });
    }
    if (outside !== undefined) {
      const message = `${pathLine(path)} is not read: it leads to ${pathLine(outside)}, and the project is not trusted (charter trust).`;
      diagnostics.push({ severity: "warning", code: "leads-out", path, message });
    }
    if (typeof state === "string") return { ...about, used: false, reason: state };
    diagnostics.push(...state.diagnostics);
    const one = ready.get(path);
    if (!one) return { ...about, used: false, reason: unusedReasonOf(state) };
    const other = first.get(path);
    if (other !== path) return { ...about, used: false, reason: `it is the same file as ${pathLine(other ?? path)}` };
    const part = contextPart(one.file);
    if (!fitting.has(part)) {
      diagnostics.push(leftOut(path, limits));
      return { ...about, used: false, reason: "nearer context files fill the room" };
    }
    if (one.missing > 0) diagnostics.push(cut(path, one.missing, limits));
    const partly = one.missing > 0 ? { reason: `cut: ${grouped(one.missing)} bytes of it were left out` } : {};
    return { ...about, used: true, ...partly, text: part.text };
  });
  const reading = readingOf(
    parts.filter((part) => fitting.has(part)),
    parts.length - fitting.size,
    found,
  );
  return { reading: withDiagnostics(reading, diagnostics, limits.notices), considered, diagnostics };
}

/** Maps each path with text to the first path of the same file. Texts are compared too, because inode numbers can be wrong. */
function firstPlaces(
  found: readonly ContextCandidate[],
  ready: ReadonlyMap<string, ReadyFile>,
): ReadonlyMap<string, string> {
  const firsts = new Map<string, string>();
  const places = new Map<string, string>();
  for (const { path, identity } of found) {
    const content = ready.get(path)?.file.content;
    if (content === undefined) continue;
    const earlier = identity === undefined ? undefined : places.get(identity);
    const same = earlier !== undefined && ready.get(earlier)?.file.content === content;
    firsts.set(path, same ? earlier : path);
    if (!same && identity !== undefined) places.set(identity, path);
  }
  return firsts;
}

function toldLeftOut(count: number): string {
  const [files, them] = count === 1 ? ["file", "it when it matters"] : ["files", "them when they matter"];
  return `(Left out to fit: ${count} context ${files} farther from the working directory. Read ${them}.)`;
}

/** Parts that fit, from the working directory upwards, that is, from the end of the list. */
function nearest(parts: readonly Part[], max: number): ReadonlySet<Part> {
  const weight = ({ text }: Part) => Buffer.byteLength(text) + 2;
  const all = parts.reduce((sum, part) => sum + weight(part), 0);
  let room = all <= max ? max : max - weight({ text: toldLeftOut(parts.length) });
  const fitting = new Set<Part>();
  for (const part of parts.toReversed()) {
    if (weight(part) > room) continue;
    room -= weight(part);
    fitting.add(part);
  }
  return fitting;
}

/**
 * Makes the reading. Unreadable files cause notices beside readable ones; if no file was readable, the reading is unavailable.
 */
function readingOf(fitting: readonly Part[], left: number, found: readonly ContextCandidate[]): Reading {
  const leftOutLine: Part[] = left > 0 ? [{ text: toldLeftOut(left), source: "charter" }] : [];
  const parts = [...leftOutLine, ...fitting];
  if (parts.length > 0) return { status: "present", parts };
  const reasons = found.flatMap(({ state }) =>
    typeof state === "object" && state.status === "unavailable" ? [state.reason] : [],
  );
  return reasons.length > 0 ? unavailable(reasons.join("; ")) : empty;
}

function cut(path: string, missing: number, { contextFile }: FileLimits): Diagnostic {
  const message = `${pathLine(path)} is too large: ${grouped(missing)} bytes were left out (the limit is ${grouped(contextFile)}).`;
  return { severity: "warning", code: "too-large", path, message };
}

function leftOut(path: string, { context }: FileLimits): Diagnostic {
  const message = `${pathLine(path)} was left out: context files nearer to the working directory fill the ${grouped(context)} bytes there are for all.`;
  return { severity: "error", code: "no-room", path, message };
}

/** Opening of a text, and how many bytes of its file it leaves out. */
type Excerpt = { readonly text: string; readonly missing: number };

/**
 * Limits a text to a number of bytes: whole, or cut at the end of a line, with a last line that says so. `more` counts further
 * bytes of the file after the text. A line that fills half the room by itself is cut after a character.
 */
export function excerpt(text: string, maxBytes: number, more: number): Excerpt {
  const length = Buffer.byteLength(text);
  if (more === 0 && length <= maxBytes) return { text, missing: 0 };
  const total = length + more;
  const opening = firstBytes(text, Math.max(0, maxBytes - Buffer.byteLength(toldLine(total))));
  const line = opening.lastIndexOf("\n");
  const excerptText = (line > opening.length / 2 ? opening.slice(0, line) : opening).trimEnd();
  const missing = total - Buffer.byteLength(excerptText);
  return { text: `${excerptText}${toldLine(missing)}`, missing };
}

function toldLine(missing: number): string {
  return `\n\n(cut here: ${grouped(missing)} more bytes; read the file for the rest)`;
}

/** Whole characters within the first `bytes` bytes. */
function firstBytes(text: string, bytes: number): string {
  const room = Buffer.alloc(bytes);
  return room.toString("utf8", 0, room.write(text));
}

type ContextPlaces = {
  readonly disk: Disk;
  readonly files: Files;
  readonly limits: FileLimits;
  readonly cwd: string;
  readonly home: string;
  /** Home directory of the user; what is not below it belongs to no project. */
  readonly userHome?: string | undefined;
  /**
   * Shows that the project is trusted. Otherwise a link out of its directory is not followed, because it may lead to a secret.
   */
  readonly trusted: boolean;
};

/** A file name that was tried. `state` is its content, or the reason why it was not read. */
type ContextCandidate = {
  readonly path: string;
  readonly place: ConsideredFile["place"];
  readonly state: FileState | string;
  /** Identity of the file on the disk. */
  readonly identity?: string | undefined;
  /** Name by which the file is read, if this one is a mere variant of it. */
  readonly meant?: string;
  /** Target of a link out of the project, which is not followed. */
  readonly outside?: string;
};

/** Misspelt file names, as written by people whose disk ignores capitals; on others these files are not found. */
const variants: Readonly<Record<string, readonly string[]>> = {
  "AGENTS.md": ["Agents.md", "agents.md", "AGENTS.MD", "agents.MD"],
  "CLAUDE.md": ["Claude.md", "claude.md", "CLAUDE.MD", "claude.MD"],
};

/**
 * Lists all possible context files in the order of the prompt: the global directory, then from the root of the disk down to the
 * working directory. Paths are as given, with links unresolved, because the reader knows the files by these names.
 */
function findContextFiles(places: ContextPlaces): ContextCandidate[] {
  const { cwd, home } = places;
  const above = directoriesTo(cwd).filter((directory) => directory !== home);
  const foreign = places.trusted ? [] : foreignDirectories(places.disk, cwd, places.userHome);
  const looks = above.map((directory) => {
    const own = !foreign.includes(directory);
    return inDirectory({ ...places, trusted: own }, directory, "project", directory === cwd);
  });
  return [...inDirectory({ ...places, trusted: true }, home, "global", true), ...looks.flat()];
}

/** Finds AGENTS.md, else CLAUDE.md. The first that exists counts, even if it is empty or unreadable. */
function inDirectory(
  { disk, files, limits, trusted }: ContextPlaces,
  directory: string,
  place: ConsideredFile["place"],
  close: boolean,
): ContextCandidate[] {
  const candidates: ContextCandidate[] = [];
  let standing: string | undefined;
  for (const name of ["AGENTS.md", "CLAUDE.md"]) {
    const path = join(directory, name);
    if (standing !== undefined) {
      if (isThere(disk, path)) candidates.push({ path, place, state: unusedReasons.insteadOf(pathLine(standing)) });
      continue;
    }
    const outside = trusted ? undefined : leadsOut(disk, path, directory);
    if (outside !== undefined) {
      candidates.push({ path, place, state: "it leads out of a project that is not trusted", outside });
      standing = path;
      continue;
    }
    const state = files.read(path, limits.contextFile);
    candidates.push({ path, place, state, identity: files.identity(path) });
    if (state.status !== "missing") standing = path;
    else if (close && state.diagnostics.length === 0) candidates.push(...variantsOf(disk, directory, name, place));
  }
  return candidates;
}

function leadsOut(disk: Disk, path: string, directory: string): string | undefined {
  if (!disk.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
  try {
    const [real, root] = [disk.realpathSync(path), disk.realpathSync(directory)];
    return isWithin(root, real) ? undefined : real;
  } catch {
    // A broken or circular link; the error is reported when it is read.
    return undefined;
  }
}

function variantsOf(disk: Disk, directory: string, meant: string, place: ConsideredFile["place"]): ContextCandidate[] {
  return (variants[meant] ?? []).flatMap((name): ContextCandidate[] => {
    const path = join(directory, name);
    return isThere(disk, path) ? [{ path, place, state: `the name that is read is ${meant}`, meant }] : [];
  });
}

/** An AGENTS.md or CLAUDE.md file, as it is in the prompt. The same object as long as the file does not change. */
type ContextFile = { readonly path: string; readonly content: string };

const parts = new WeakMap<ContextFile, Part>();

/**
 * Makes a reading of context files, each under its path. For files you have read yourself; `openProject` finds and reads them.
 */
export function contextReading(files: readonly ContextFile[], wording: Wording = "charter"): Reading {
  return present(files.map(wording === "pi" ? (file) => partOf(file, file.path) : contextPart));
}

/** Part of a file; the same file gives the same part, so that it is not rendered again. */
function contextPart(file: ContextFile): Part {
  const part = parts.get(file) ?? partOf(file, pathLine(file.path));
  parts.set(file, part);
  return part;
}

function partOf({ path, content }: ContextFile, line: string): Part {
  return { text: `## ${line}\n\n${content}`, kind: "file", id: path, source: path };
}
