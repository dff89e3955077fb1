import { countCharacters, firstCharacters, invisible } from "../../prompt/character.ts";
import { grouped, listed } from "../../prompt/problem.ts";
import type { Diagnostic, DiagnosticCode } from "../disk/diagnostic.ts";
import type { Skill } from "./skill.ts";
import { againstSpecification, skillFault } from "./skill-fault.ts";
import { skillName } from "./skill-name.ts";
import type { SkillPlace } from "./skill-place.ts";

/** A skill by its fields, or why it is none. `because`: why it is not used, or only in part. */
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

/** Everything the Agent Skills specification says about front matter, all objections at once. */
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
    const said = ` has a description that is ${kindOf(given)}, not text. Put it in quotes.`;
    return { diagnostics: fault("error", "description-invalid", said) };
  }
  const description = visible(given ?? "").trim();
  if (description === "") {
    const said = " has no description. Say in “description: …” what it does and when to use it.";
    return { diagnostics: fault("error", "description-missing", said) };
  }
  const characters = description.length <= longestDescription ? 0 : countCharacters(description);
  if (characters <= longestDescription) return { description, diagnostics: [] };
  const max = grouped(longestDescription);
  const said = ` has a description of ${grouped(characters)} characters; the limit is ${max}, and the rest is not listed. Shorten it.`;
  return {
    description: `${firstCharacters(description, longestDescription - 1).trimEnd()}…`,
    diagnostics: fault("warning", "description-too-long", said),
  };
}

/** A text without what no eye sees; nearly always that is nothing, and quickly known. */
function visible(text: string): string {
  return /[^\n\x20-\x7E]/.test(text) ? text.replace(hidden, "") : text;
}

/** The fields a listing does not show: nothing in them keeps a skill out. */
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
  const said = ` has a “compatibility” of ${grouped(countCharacters(value))} characters; the limit is ${longestCompatibility}. Shorten it.`;
  return againstSpecification("warning", "compatibility-too-long", path, said);
}

function notText(key: string, value: unknown, path: string): Diagnostic {
  const said = `: in “metadata”, “${brief(key)}” is ${kindOf(value)}, not text. Put it in quotes.`;
  return skillFault("warning", "field-invalid", path, said);
}

function unknownFields(names: readonly string[], path: string): Diagnostic {
  const shown = listed(names.slice(0, 5).map(brief));
  const more = names.length > 5 ? ` and ${grouped(names.length - 5)} more` : "";
  const said = ` has fields the specification does not know: ${shown}${more}. Put what is your own under “metadata”.`;
  return skillFault("warning", "unknown-field", path, said);
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
