import { grouped } from "../prompt/problem.ts";
import { empty, fromText, type Reading, unavailable } from "../prompt/reading.ts";
import { because, becauseOf } from "./disk/because.ts";
import type { Considered } from "./disk/considered.ts";
import type { Diagnostic } from "./disk/diagnostic.ts";
import { type Disk, isThere } from "./disk/disk.ts";
import type { FileState, Files } from "./disk/file.ts";
import type { FileLimits } from "./disk/file-limits.ts";
import { pathLine } from "./disk/path-line.ts";
import { type Look, toldReading } from "./look.ts";

export type SystemFileOptions = {
  readonly disk: Disk;
  readonly files: Files;
  readonly limits: FileLimits;
  readonly role: "system" | "append";
  /** In the order they are asked. `withheld`: why one is not asked. */
  readonly places: readonly SystemFilePlace[];
};
export type SystemFilePlace = {
  readonly path: string;
  readonly place: Considered["place"];
  readonly withheld?: string;
};

/** A place as it was found: read, or there and not asked (the words say why). */
type Found = SystemFilePlace & { readonly state: FileState | string };

/**
 * SYSTEM.md or APPEND_SYSTEM.md: the first that is there and says something.
 *
 * One that is there and cannot be read stops the search, a directory or a broken link of that name too: someone meant
 * this agent to have other words than the next file's or the default's, and it is better off without any than with those.
 */
export function createSystemFile(options: SystemFileOptions): () => Look {
  let last: { readonly found: readonly Found[]; readonly look: Look } | undefined;
  return () => {
    const found = search(options);
    if (!last || found.some(({ state }, index) => state !== last?.found[index]?.state))
      last = { found, look: lookOf(found, options) };
    return last.look;
  };
}

function search({ disk, files, limits, places }: SystemFileOptions): Found[] {
  let standing: string | undefined;
  return places.map((place) => {
    const { path, withheld } = place;
    const reason = withheld ?? (standing && because.insteadOf(pathLine(standing)));
    if (reason !== undefined) return { ...place, state: isThere(disk, path) ? reason : because.absent };
    const state = files.read(path, limits.system);
    if (state.status !== "empty" && !(state.status === "missing" && state.diagnostics.length === 0)) standing = path;
    return { ...place, state };
  });
}

function lookOf(found: readonly Found[], { limits, role }: SystemFileOptions): Look {
  let reading: Reading = empty;
  const diagnostics: Diagnostic[] = [];
  const considered = found.map(({ path, place, state }): Considered => {
    const about = { path, role, place };
    if (typeof state === "string") return { ...about, used: false, because: state };
    const told = [...state.diagnostics];
    if (state.status === "present" && state.more > 0) told.push(tooLarge(path, limits));
    const words = state.status === "present" && state.more === 0 ? state.text : undefined;
    // Whatever is said of a file that stops the search keeps it out.
    const severity = words === undefined && state.status !== "empty" ? { severity: "error" as const } : {};
    diagnostics.push(...told.map((one) => ({ ...one, ...severity })));
    if (words !== undefined) {
      reading = fromText(words, { kind: "file", id: path, source: path });
      return { ...about, used: true, words };
    }
    if (told.length > 0 && state.status !== "empty")
      reading = unavailable(told.map(({ message }) => message).join(" "));
    return { ...about, used: false, because: state.status === "present" ? "it is too large" : becauseOf(state) };
  });
  return { reading: toldReading(reading, diagnostics, limits.notices), considered, diagnostics };
}

function tooLarge(path: string, { system }: FileLimits): Diagnostic {
  const message = `${pathLine(path)} has more than ${grouped(system)} bytes, and a system prompt is never cut. Shorten it.`;
  return { severity: "error", code: "too-large", path, message };
}
