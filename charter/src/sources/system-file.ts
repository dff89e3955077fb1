import { grouped } from "../prompt/problem.ts";
import { empty, fromText, type Reading, unavailable } from "../prompt/reading.ts";
import type { ConsideredFile } from "./disk/considered-file.ts";
import type { Diagnostic } from "./disk/diagnostic.ts";
import { type Disk, isThere } from "./disk/disk.ts";
import type { FileState, Files } from "./disk/file.ts";
import type { FileLimits } from "./disk/file-limits.ts";
import { pathLine } from "./disk/path-line.ts";
import { unusedReasonOf, unusedReasons } from "./disk/unused-reason.ts";
import { type FileFindings, withDiagnostics } from "./file-findings.ts";

type SystemFileOptions = {
  readonly disk: Disk;
  readonly files: Files;
  readonly limits: FileLimits;
  readonly role: "system" | "append";
  /** In the order they are asked. `withheld`: why one is not asked. */
  readonly places: readonly SystemFilePlace[];
};
export type SystemFilePlace = {
  readonly path: string;
  readonly place: ConsideredFile["place"];
  readonly withheld?: string;
};

/** A place as it was found: read, or there and not asked (the words say why). */
type SystemFileCandidate = SystemFilePlace & { readonly state: FileState | string };

/**
 * SYSTEM.md or APPEND_SYSTEM.md: the first that is there and says something.
 *
 * One that is there and cannot be read stops the search, a directory or a broken link of that name too: someone meant
 * this agent to have other words than the next file's or the default's, and it is better off without any than with those.
 */
export function createSystemFile(options: SystemFileOptions): () => FileFindings {
  let last: { readonly found: readonly SystemFileCandidate[]; readonly look: FileFindings } | undefined;
  return () => {
    const found = search(options);
    if (!last || found.some(({ state }, index) => state !== last?.found[index]?.state))
      last = { found, look: lookOf(found, options) };
    return last.look;
  };
}

function search({ disk, files, limits, places }: SystemFileOptions): SystemFileCandidate[] {
  let standing: string | undefined;
  return places.map((place) => {
    const { path, withheld } = place;
    const reason = withheld ?? (standing && unusedReasons.insteadOf(pathLine(standing)));
    if (reason !== undefined) return { ...place, state: isThere(disk, path) ? reason : unusedReasons.absent };
    const state = files.read(path, limits.system);
    if (state.status !== "empty" && !(state.status === "missing" && state.diagnostics.length === 0)) standing = path;
    return { ...place, state };
  });
}

function lookOf(found: readonly SystemFileCandidate[], { limits, role }: SystemFileOptions): FileFindings {
  let reading: Reading = empty;
  const diagnostics: Diagnostic[] = [];
  const considered = found.map(({ path, place, state }): ConsideredFile => {
    const about = { path, role, place };
    if (typeof state === "string") return { ...about, used: false, reason: state };
    const told = [...state.diagnostics];
    if (state.status === "present" && state.more > 0) told.push(tooLarge(path, limits));
    const text = state.status === "present" && state.more === 0 ? state.text : undefined;
    // Whatever is said of a file that stops the search keeps it out.
    const severity = text === undefined && state.status !== "empty" ? { severity: "error" as const } : {};
    diagnostics.push(...told.map((one) => ({ ...one, ...severity })));
    if (text !== undefined) {
      reading = fromText(text, { kind: "file", id: path, source: path });
      return { ...about, used: true, text };
    }
    if (told.length > 0 && state.status !== "empty")
      reading = unavailable(told.map(({ message }) => message).join(" "));
    return { ...about, used: false, reason: state.status === "present" ? "it is too large" : unusedReasonOf(state) };
  });
  return { reading: withDiagnostics(reading, diagnostics, limits.notices), considered, diagnostics };
}

function tooLarge(path: string, { system }: FileLimits): Diagnostic {
  const message = `${pathLine(path)} has more than ${grouped(system)} bytes, and a system prompt is never cut. Shorten it.`;
  return { severity: "error", code: "too-large", path, message };
}
