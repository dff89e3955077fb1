import { placesIn } from "./forgery.ts";
import type { Layer } from "./layer.ts";
import type { Section } from "./section.ts";
import { beginsBlank, type CharterStructure, nothingForbidden } from "./structure.ts";

type SectionInLayer = { readonly section: Section; readonly layer: Layer };

/** What of a charter's own structure could not be told from the words that `others` write beside it. */
export function structureFaults(
  charter: CharterStructure,
  all: readonly SectionInLayer[],
  others: readonly SectionInLayer[],
): string[] {
  const [only] = all;
  if (others.length === 0 || (all.length === 1 && only?.section.heading === undefined)) return [];
  const faults = all.length > 1 ? separatorFaults("The separator between sections", charter.separator) : [];
  for (const layer of charter.layers)
    if (others.some((placed) => placed.layer === layer))
      faults.push(...separatorFaults(`The separator of layer “${layer.name}”`, layer.separator));
  for (const { section } of others) {
    faults.push(...partFaults(section));
    for (const field of ["lead", "heading", "words", "closing"] as const)
      if (hides(section[field]))
        faults.push(
          `“${section.name}”: ${field} opens a code fence or HTML that hides what follows; use a heading (## ${section.name}) or a tag (<${section.name}>).`,
        );
  }
  return faults;
}

/** Without a blank line before it, a rule makes a heading of the paragraph above, and a heading belongs to it. */
function separatorFaults(what: string, separator: unknown): string[] {
  if (typeof separator !== "string" || (beginsBlank(separator) && /\n[ \t]*$/.test(separator))) return [];
  return [`${what}, ${JSON.stringify(separator)}, runs into the words of others; ${mend(separator)}.`];
}

function partFaults({ name, separator }: Section): string[] {
  if (separator === undefined || separator.trim() === "" || !separator.includes("\n") || beginsBlank(separator))
    return [];
  return [
    `“${name}”: the separator of its parts, ${JSON.stringify(separator)}, runs into the words of others; ${mend(separator)}.`,
  ];
}

function mend(separator: string): string {
  const seen = separator.trim();
  return `write ${JSON.stringify(seen === "" ? "\n\n" : `\n\n${seen}\n\n`)}`;
}

function hides(text: string | undefined): boolean {
  return text !== undefined && placesIn(text, nothingForbidden).places.some(({ certainty }) => certainty === "hides");
}
