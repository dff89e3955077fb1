import type { Part } from "../prompt/part.ts";
import { grouped } from "../prompt/problem.ts";
import { empty, type Reading, unavailable } from "../prompt/reading.ts";
import type { ContextFile } from "./context-file.ts";
import { contextPart } from "./context-reading.ts";
import { type ContextCandidate, type ContextPlaces, findContextFiles } from "./context-search.ts";
import type { ConsideredFile } from "./disk/considered-file.ts";
import type { Diagnostic } from "./disk/diagnostic.ts";
import type { FileState } from "./disk/file.ts";
import type { FileLimits } from "./disk/file-limits.ts";
import { pathLine } from "./disk/path-line.ts";
import { unusedReasonOf } from "./disk/unused-reason.ts";
import { type Excerpt, excerpt } from "./excerpt.ts";
import { type FileFindings, withDiagnostics } from "./file-findings.ts";

/** A file with words, ready for the prompt. */
type ReadyFile = { readonly state: FileState; readonly file: ContextFile; readonly missing: number };

/** AGENTS.md and CLAUDE.md files: each real file once, always read, nearest ones kept when there are too many. */
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
    const found = findContextFiles(places);
    if (last && sameFound(found, last.found)) return last.look;
    const anew = new Map<string, ReadyFile>();
    for (const { path, state } of found)
      if (typeof state === "object" && state.status === "present") anew.set(path, prepare(path, state));
    ready = anew;
    last = { found, look: lookOf(found, ready, places.limits) };
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

/** For each path with words, the first path that leads to the same file. The words are compared too: numbers of files can lie. */
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

/** The parts that fit, asked from the working directory upwards, which is the end of the list. */
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

/** Files that could not be read are told beside those that could; where there is nothing but such files, nobody knows. */
function readingOf(fitting: readonly Part[], left: number, found: readonly ContextCandidate[]): Reading {
  const told: Part[] = left > 0 ? [{ text: toldLeftOut(left), source: "charter" }] : [];
  const parts = [...told, ...fitting];
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
