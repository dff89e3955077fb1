import { countCharacters, firstCharacters, invisible, preview } from "../../prompt/character.ts";
import { quoted } from "../../prompt/fence.ts";
import { grouped, listed } from "../../prompt/problem.ts";
import { pathLine } from "../disk/disk.ts";
import type { Diagnostic, DiagnosticCode } from "../disk/findings.ts";

/**
 * A skill as it is listed in the prompt; the agent reads its file when it needs it. The same object as long as the file does not
 * change.
 */
export type Skill = {
  readonly name: string;
  readonly description: string;
  readonly location: string;
  /** `disable-model-invocation: true`: the skill is known, but not listed. */
  readonly hidden?: boolean;
};

/** A file that may be a skill. */
export type SkillPlace = {
  readonly path: string;
  /** Real path of the file. */
  readonly real: string;
  /** Name it must have: that of its directory, or its own when it is `alone`. */
  readonly called: string;
  /** Marks a Markdown file that is a skill by itself, without a directory of its own. */
  readonly alone: boolean;
  /** Shows that a link is on the way to it. */
  readonly linked: boolean;
};

/** A skill, or the reason why the file is not used, or only in part. */
export type SkillReadResult = {
  readonly skill?: Skill;
  readonly diagnostics: readonly Diagnostic[];
  readonly reason?: string;
};

const longestDescription = 1024;
const longestCompatibility = 500;
const known = new Set([
  "name",
  "description",
  "license",
  "compatibility",
  "metadata",
  "allowed-tools",
  "disable-model-invocation",
]);
const hidden = new RegExp(invisible.source, "gu");

/** Checks front matter against the Agent Skills specification, and reports all faults at once. */
export function skillOf(fields: ReadonlyMap<string, unknown>, place: SkillPlace): SkillReadResult {
  const { path } = place;
  const { name, diagnostics: ofName } = skillName(fields.get("name"), place);
  const { description, diagnostics: ofDescription } = descriptionOf(fields.get("description"), path);
  const diagnostics = [...ofName, ...ofDescription, ...otherFaults(fields, path)];
  if (description === undefined) return { diagnostics, reason: "it has no description" };
  if (fields.get("disable-model-invocation") === true)
    return {
      skill: { name, description, location: path, hidden: true },
      diagnostics,
      reason: "“disable-model-invocation” is true",
    };
  const cut = ofDescription.length > 0 ? { reason: "its description was cut" } : {};
  return { skill: { name, description, location: path }, diagnostics, ...cut };
}

function descriptionOf(given: unknown, path: string): { description?: string; diagnostics: readonly Diagnostic[] } {
  const fault = (severity: Diagnostic["severity"], code: DiagnosticCode, said: string) => [
    againstSpecification(severity, code, path, said),
  ];
  if (given != null && typeof given !== "string") {
    const text = ` has a description that is ${kindOf(given)}, not text. Put it in quotes.`;
    return { diagnostics: fault("error", "description-invalid", text) };
  }
  const description = visible(given ?? "").trim();
  if (description === "") {
    const text = " has no description. Say in “description: …” what it does and when to use it.";
    return { diagnostics: fault("error", "description-missing", text) };
  }
  const characters = description.length <= longestDescription ? 0 : countCharacters(description);
  if (characters <= longestDescription) return { description, diagnostics: [] };
  const max = grouped(longestDescription);
  const text = ` has a description of ${grouped(characters)} characters; the limit is ${max}, and the rest is not listed. Shorten it.`;
  return {
    description: `${firstCharacters(description, longestDescription - 1).trimEnd()}…`,
    diagnostics: fault("warning", "description-too-long", text),
  };
}

/** Removes invisible characters; the check for any is quick, since nearly all texts have none. */
function visible(text: string): string {
  return /[^\n\x20-\x7E]/.test(text) ? text.replace(hidden, "") : text;
}

/** Faults of fields that a listing does not show; they keep no skill out. */
function otherFaults(fields: ReadonlyMap<string, unknown>, path: string): Diagnostic[] {
  const faults: Diagnostic[] = [];
  const invalid = (name: string, must: string) =>
    faults.push(againstSpecification("warning", "field-invalid", path, `: “${name}” must be ${must}.`));
  const unknown: string[] = [];
  for (const [name, value] of fields) {
    if (!known.has(name)) unknown.push(name);
    if (value == null) continue;
    if (name === "license" && typeof value !== "string") invalid(name, "text; put it in quotes");
    if (name === "compatibility") {
      if (typeof value !== "string") invalid(name, "text; put it in quotes");
      else if (countCharacters(value) > longestCompatibility) faults.push(tooLong(value, path));
    }
    if (name === "allowed-tools" && !isTools(value)) invalid(name, "text, the tools with spaces between them");
    if (name === "metadata" && !(value instanceof Map)) invalid(name, "a map: lines “key: value”, indented");
    if (name === "metadata" && value instanceof Map)
      for (const [key, one] of value)
        if (typeof one !== "string" && faults.length < 10) faults.push(notText(String(key), one, path));
    if (name === "disable-model-invocation" && typeof value !== "boolean")
      faults.push(skillFault("warning", "field-invalid", path, `: “${name}” must be true or false, without quotes.`));
  }
  if (unknown.length > 0) faults.push(unknownFields(unknown, path));
  return faults;
}

function isTools(value: unknown): boolean {
  return typeof value === "string" || (Array.isArray(value) && value.every((tool) => typeof tool === "string"));
}

function tooLong(value: string, path: string): Diagnostic {
  const text = ` has a “compatibility” of ${grouped(countCharacters(value))} characters; the limit is ${longestCompatibility}. Shorten it.`;
  return againstSpecification("warning", "compatibility-too-long", path, text);
}

function notText(key: string, value: unknown, path: string): Diagnostic {
  const text = `: in “metadata”, “${brief(key)}” is ${kindOf(value)}, not text. Put it in quotes.`;
  return skillFault("warning", "field-invalid", path, text);
}

function unknownFields(names: readonly string[], path: string): Diagnostic {
  const nameList = listed(names.slice(0, 5).map(brief));
  const more = names.length > 5 ? ` and ${grouped(names.length - 5)} more` : "";
  const text = ` has fields the specification does not know: ${nameList}${more}. Put what is your own under “metadata”.`;
  return skillFault("warning", "unknown-field", path, text);
}

function brief(name: string): string {
  const line = name.replace(hidden, " ").replace(/\s+/g, " ");
  return line.length > 64 ? `${firstCharacters(line, 63)}…` : line;
}

function kindOf(value: unknown): string {
  if (value instanceof Map) return "a map";
  if (Array.isArray(value)) return "a list";
  return value === null ? "nothing" : typeof value === "boolean" ? "true or false" : `a ${typeof value}`;
}

const maxNameCharacters = 64;
const valid = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Name of a skill for the listing, and the faults of the given one. A name never keeps a skill out: if it is missing, the
 * directory's is used; and whatever it contains, it is listed on one line of at most 64 characters.
 */
function skillName(given: unknown, place: SkillPlace): { name: string; diagnostics: readonly Diagnostic[] } {
  const { path, called, alone } = place;
  if (given === called && called.length <= maxNameCharacters && valid.test(called))
    return { name: called, diagnostics: [] };
  const fault = (code: DiagnosticCode, said: string) => againstSpecification("warning", code, path, said);
  if (typeof given !== "string" || given.trim() === "") {
    const name = listedName(called);
    const stands = `until then it is listed as ${quotedName(called)}`;
    const blank = given == null || given === "" || typeof given === "string";
    const text = blank
      ? ` has no name. Add “name: …” to its front matter; ${stands}.`
      : ` has a name that is not text. Put it in quotes; ${stands}.`;
    return { name, diagnostics: [fault(blank ? "name-missing" : "name-invalid", text)] };
  }
  const name = given.trim();
  const characters = countCharacters(name);
  const diagnostics: Diagnostic[] = [];
  if (characters > maxNameCharacters)
    diagnostics.push(
      fault("name-too-long", ` has a name of ${characters} characters; the limit is ${maxNameCharacters}. Shorten it.`),
    );
  if (!valid.test(name)) {
    const may = "It may have lowercase letters a to z, digits, and single hyphens between them.";
    diagnostics.push(fault("name-invalid", ` has the name ${quotedName(name)}. ${may}`));
  }
  if (name !== called) {
    const where = `its ${alone ? "file" : "directory"} is called ${quotedName(called)}`;
    diagnostics.push(
      fault("name-mismatch", ` has the name ${quotedName(name)}, and ${where}. Give both the same name.`),
    );
  }
  return { name: listedName(name), diagnostics };
}

/** Formats a name on one line, without invisible characters, in at most 64 characters. */
function listedName(name: string): string {
  const line = preview(name.replace(hidden, " "), name.length) || "unnamed";
  return countCharacters(line) > maxNameCharacters ? `${firstCharacters(line, maxNameCharacters - 1)}…` : line;
}

/** Quotes a name for a message, on one line. */
function quotedName(name: string): string {
  const line = countCharacters(name) > maxNameCharacters ? `${firstCharacters(name, maxNameCharacters - 1)}…` : name;
  return invisible.test(line) || line.includes("\n") ? quoted(line) : `“${line}”`;
}

/** Makes a diagnostic about a skill; the message continues after its path. */
export function skillFault(
  severity: Diagnostic["severity"],
  code: DiagnosticCode,
  path: string,
  said: string,
): Diagnostic {
  return { severity, code, path, message: `${pathLine(path)}${said}` };
}

/** Makes a diagnostic about something the Agent Skills specification forbids. */
export function againstSpecification(
  severity: Diagnostic["severity"],
  code: DiagnosticCode,
  path: string,
  said: string,
): Diagnostic {
  return { ...skillFault(severity, code, path, said), spec: true };
}

/** Limits of searching and listing skills. Everything beyond is reported, never dropped in silence. */
export type SkillLimits = {
  /** Maximum levels of directories below a root. */
  readonly depth: number;
  /** Maximum directories of one root, and skills of one root. */
  readonly directories: number;
  readonly skills: number;
  /** Maximum bytes at a file's beginning within which its front matter must end. */
  readonly frontMatter: number;
  /** Maximum bytes of the listing in the prompt. */
  readonly listing: number;
};

export const skillLimits: SkillLimits = {
  depth: 16,
  directories: 10_000,
  skills: 10_000,
  frontMatter: 65_536,
  listing: 262_144,
};
