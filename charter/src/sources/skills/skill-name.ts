import { countCharacters, firstCharacters, invisible, preview } from "../../prompt/character.ts";
import { quoted } from "../../prompt/fence.ts";
import type { Diagnostic, DiagnosticCode } from "../disk/diagnostic.ts";
import { againstSpecification } from "./skill-fault.ts";
import type { SkillPlace } from "./skill-place.ts";

const longest = 64;
const valid = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const hidden = new RegExp(invisible.source, "gu");

/**
 * A skill's name as it is listed, and what is wrong with the one it was given. A name never keeps a skill out: where there
 * is none, that of its directory stands for it, and whatever it holds, it has one line and 64 characters in the listing.
 */
export function skillName(given: unknown, place: SkillPlace): { name: string; diagnostics: readonly Diagnostic[] } {
  const { path, called, alone } = place;
  if (given === called && called.length <= longest && valid.test(called)) return { name: called, diagnostics: [] };
  const fault = (code: DiagnosticCode, said: string) => againstSpecification("warning", code, path, said);
  if (typeof given !== "string" || given.trim() === "") {
    const name = listed(called);
    const stands = `until then it is listed as ${shown(called)}`;
    const blank = given == null || given === "" || typeof given === "string";
    const said = blank
      ? ` has no name. Add “name: …” to its front matter; ${stands}.`
      : ` has a name that is not text. Put it in quotes; ${stands}.`;
    return { name, diagnostics: [fault(blank ? "name-missing" : "name-invalid", said)] };
  }
  const name = given.trim();
  const characters = countCharacters(name);
  const diagnostics: Diagnostic[] = [];
  if (characters > longest)
    diagnostics.push(
      fault("name-too-long", ` has a name of ${characters} characters; the limit is ${longest}. Shorten it.`),
    );
  if (!valid.test(name)) {
    const may = "It may have lowercase letters a to z, digits, and single hyphens between them.";
    diagnostics.push(fault("name-invalid", ` has the name ${shown(name)}. ${may}`));
  }
  if (name !== called) {
    const where = `its ${alone ? "file" : "directory"} is called ${shown(called)}`;
    diagnostics.push(fault("name-mismatch", ` has the name ${shown(name)}, and ${where}. Give both the same name.`));
  }
  return { name: listed(name), diagnostics };
}

/** On one line, without what cannot be seen, in at most 64 characters. */
function listed(name: string): string {
  const line = preview(name.replace(hidden, " "), name.length) || "unnamed";
  return countCharacters(line) > longest ? `${firstCharacters(line, longest - 1)}…` : line;
}

/** As a message quotes it: nothing in a name can end the line. */
function shown(name: string): string {
  const line = countCharacters(name) > longest ? `${firstCharacters(name, longest - 1)}…` : name;
  return invisible.test(line) || line.includes("\n") ? quoted(line) : `“${line}”`;
}
