import { countCharacters } from "./character.ts";
import { shortenedHere } from "./compact-line.ts";
import type { Cut } from "./cut.ts";
import { descendantsOf } from "./descendants.ts";
import type { Edition } from "./edition.ts";
import { shortOf, toldPart } from "./form.ts";
import type { Part } from "./part.ts";
import type { LeftOutParts, PlannedSection } from "./plan.ts";

/** A section's parts in an edition. */
type EditionParts = { readonly parts: readonly Part[]; readonly cuts: readonly Cut[]; readonly told?: LeftOutParts };

/** The compact edition: short forms where the section asks for them, parts of the full edition left out and told. */
export function inEdition(planned: PlannedSection, parts: readonly Part[], edition: Edition): EditionParts {
  if (edition === "full") return { parts, cuts: [] };
  const { section } = planned;
  let shown: readonly Part[] =
    section.compact === "short" || section.compact === "line"
      ? parts.map((part) => shortOf(planned, part)).filter(({ text }) => text !== "")
      : parts;
  const cuts: Cut[] = [];
  const kept = shortLength(planned.fixed.compact) + shown.reduce((sum, part) => sum + shortLength(part.text), 0);
  const all = countCharacters(planned.fixed.full) + parts.reduce((sum, part) => sum + countCharacters(part.text), 0);
  if (kept < all) cuts.push(compactCut(section.name, kept, all - kept, "characters"));
  const leaving = leavingParts(shown);
  const told = new Map<string, { line: Part; missing: number }>();
  for (const kind of new Set(shown.filter(({ edition: only }) => only === "full").map((part) => part.kind ?? "part"))) {
    const ofKind = shown.filter((part) => (part.kind ?? "part") === kind);
    const gone = new Set(ofKind.filter((part) => leaving.has(part)));
    const rule = planned.rules.find((candidate) => candidate.parts === kind && candidate.to !== "short");
    const words = rule?.told ?? "(left out of the compact edition: {missing})";
    const line = toldPart(planned, words, ofKind.length - gone.size, gone.size);
    told.set(kind, { line, missing: gone.size });
    cuts.push(compactCut(section.name, ofKind.length - gone.size, gone.size, kind));
    const first = shown.findIndex((part) => gone.has(part));
    shown = shown.flatMap((part, index) => (index === first ? [line] : gone.has(part) ? [] : [part]));
  }
  return { parts: shown.filter((part) => !leaving.has(part)), cuts, told };
}

/** The parts the compact edition leaves out, and those that stand under them. */
function leavingParts(parts: readonly Part[]): Set<Part> {
  const leaving = new Set(parts.filter((part) => part.edition === "full"));
  for (const part of leaving) for (const index of descendantsOf(parts, part)) leaving.add(parts[index] as Part);
  return leaving;
}

/** A short form's own characters; what tells that it is one is none of the section's. */
function shortLength(short: string): number {
  const told = ["…", shortenedHere].find((end) => short.endsWith(end)) ?? "";
  return countCharacters(short) - countCharacters(told);
}

function compactCut(section: string, kept: number, missing: number, unit: string): Cut {
  return { section, form: "compact", kept, missing, unit, because: "The compact edition was asked for." };
}
