import { grouped } from "../../prompt/problem.ts";
import { type FileState, type Files, unusedReasonOf } from "../disk/file.ts";
import { frontMatter } from "../front-matter.ts";
import { againstSpecification, type SkillPlace, type SkillReadResult, skillFault, skillOf } from "./skill.ts";

/** Bytes within which nearly all front matter ends; the rest of a file is not read at all. */
const firstReadBytes = 2048;

type SkillFiles = {
  /** Reads what is in each file; the same object as long as the file is the same. */
  readonly read: (places: readonly SkillPlace[]) => readonly SkillReadResult[];
  readonly forget: () => void;
};

type CachedSkill = { readonly state: FileState; readonly maxBytes: number; readonly read: SkillReadResult };

/** Creates the reader of skill files. `maxBytes`: bytes within which front matter must end. */
export function createSkillFiles(files: Files, maxBytes: number): SkillFiles {
  const known = new Map<string, CachedSkill>();
  const firstRead = Math.min(firstReadBytes, maxBytes);

  function parsed(place: SkillPlace, state: FileState): SkillReadResult {
    const cached = known.get(place.path);
    if (cached?.state === state) return cached.read;
    const size = cached?.maxBytes ?? firstRead;
    const read = readOf(state, place, size < maxBytes);
    if (read) {
      known.set(place.path, { state, maxBytes: size, read });
      return read;
    }
    const whole = files.read(place.path, maxBytes);
    const later = readOf(whole, place, false) as SkillReadResult;
    known.set(place.path, { state: whole, maxBytes, read: later });
    return later;
  }

  return {
    read(places) {
      // All files are read before any is parsed, because each step is faster without the other in between.
      const states = places.map(({ path, linked }) =>
        files.read(path, known.get(path)?.maxBytes ?? firstRead, !linked),
      );
      return places.map((place, index) => parsed(place, states[index] as FileState));
    },
    forget: () => known.clear(),
  };
}

/** Reads a skill from a file's opening. Undefined if its front matter goes on after it; `more` says that more may be read. */
function readOf(state: FileState, place: SkillPlace, more: boolean): SkillReadResult | undefined {
  const { path } = place;
  const about = state.diagnostics;
  if (state.status === "missing" || state.status === "unavailable")
    return { diagnostics: about, reason: unusedReasonOf(state) };
  const front = frontMatter(state.status === "present" ? state.text : "", state.status === "present" && state.more > 0);
  if (front.status === "present") {
    const read = skillOf(front.fields, place);
    return about.length === 0 ? read : { ...read, diagnostics: [...about, ...read.diagnostics] };
  }
  if (front.status === "missing") return withoutFrontMatter(state, place);
  if (front.status === "invalid") {
    const text = `, line ${front.line}: the front matter is not valid YAML: ${front.reason}. ${front.advice}`;
    const fault = againstSpecification("error", "front-matter-invalid", path, text);
    return { diagnostics: [...about, fault], reason: "its front matter is not valid" };
  }
  const cut = state.status === "present" && state.more > 0;
  if (cut && more) return undefined;
  const fault = cut
    ? againstSpecification("error", "front-matter-too-long", path, tooLong(state))
    : againstSpecification("error", "front-matter-invalid", path, open);
  return { diagnostics: [...about, fault], reason: "its front matter is never closed" };
}

const open = ": the front matter is never closed. Add a line “---” after its last field.";

function tooLong(state: FileState): string {
  const read = state.status === "present" ? Buffer.byteLength(state.text) : 0;
  return `: the front matter has no end within the first ${grouped(read)} bytes. Close it with a line “---”, or shorten it.`;
}

/**
 * Result for a file without front matter. A README among skills is not a mistake; another note there may be a skill that lacks
 * its front matter.
 */
function withoutFrontMatter({ status, diagnostics }: FileState, { path, alone }: SkillPlace): SkillReadResult {
  const reason = status === "empty" ? "it is empty" : "it has no front matter";
  if (alone && /[/\\]readme\.md$/i.test(path)) return { diagnostics, reason };
  const what = status === "empty" ? " is empty." : " has no front matter.";
  const how = "egin it with a line “---”, then “name: …” and “description: …”, then another “---”.";
  const fault = alone
    ? skillFault("warning", "front-matter-missing", path, `${what} If it is meant as a skill, b${how}`)
    : againstSpecification("error", "front-matter-missing", path, `${what} B${how}`);
  return { diagnostics: [...diagnostics, fault], reason };
}
