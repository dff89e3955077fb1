import { badArgument, isObject, kindOf } from "../prompt/argument.ts";
import { assemble, boundsOf, type Room, show } from "../prompt/assemble.ts";
import { allSections, type Charter, hasSection } from "../prompt/charter.ts";
import { byStability, giveWay, inCharacters, inTokens, type Measure, sizeTogether, unitName } from "../prompt/fit.ts";
import { standingReading } from "../prompt/gather.ts";
import { planOf, type Rendering } from "../prompt/plan.ts";
import { Problem } from "../prompt/problem.ts";
import type { Readings } from "../prompt/reading.ts";
import { createPiece } from "../prompt/tokens.ts";
import { bringsOwnWords, type Change, type Guard, readingGuard } from "./guard.ts";
import { needsApproval } from "./guards/needs-approval.ts";
import { allowedHand, staleRevision } from "./guards/permission.ts";
import { lineAt, noForgery, wellFormed } from "./guards/text.ts";
import { findOverrides } from "./override/override.ts";
import { type HigherSections, higherThan } from "./override/warning.ts";

/**
 * The guards that every amendable section should have, in the order they are asked. Add your own: sizes, openings,
 * quotas.
 */
export function usualGuards(charter: Charter, readings: Readings, limits: Room = {}): Guard[] {
  if (!isObject(readings))
    throw badArgument(
      `The readings that usualGuards was given are ${kindOf(readings)}.`,
      "Give usualGuards(charter, await gather(charter, turn)).",
    );
  return [
    allowedHand,
    staleRevision,
    wellFormed,
    noForgery(charter),
    noOverride(charter),
    room(charter, readings, limits),
    needsApproval,
  ];
}

/** Guard: refuses a change with which the prompt would no longer fit its limit. The objection says how much room is left. */
export function room(charter: Charter, given: Readings, limits: Room = {}): Guard {
  allSections(charter);
  // What a client adds to a prompt is no section of its charter, and is the first that is left out.
  const readings = Object.fromEntries(Object.entries(given).filter(([name]) => hasSection(charter, name)));
  boundsOf(charter, limits);
  return readingGuard((change) => {
    const { name } = change.placed.section;
    if (bringsOwnWords(change) || readings[name] === undefined) return undefined;
    try {
      const changed = withWords(change, readings, change.after);
      const before = roomLeft(charter, withWords(change, readings, change.before), name, limits);
      const short = roomLeft(charter, changed, name, limits).find(
        ({ unit, left, needs }) => needs > left && needs > needed(before, unit),
      );
      if (short) return no(tooMuch(name, short));
      if (before.every(({ left, needs }) => needs <= left)) assemble(charter, changed, limits);
      return undefined;
    } catch (error) {
      if (error instanceof Problem) return no(`The prompt would no longer assemble: ${error.message}`);
      throw error;
    }
  });
}

function withWords({ placed, revision }: Change, readings: Readings, text: string): Readings {
  return { ...readings, [placed.section.name]: standingReading(placed.section, { text, revision: revision + 1 }) };
}

/** Returns the section's current need: text that asks for no more than that is never objected to. */
function needed(before: readonly RoomLeft[], unit: RoomLeft["unit"]): number {
  return before.find((one) => one.unit === unit)?.needs ?? 0;
}

function tooMuch(name: string, { unit, left, limit, needs }: RoomLeft): string {
  return `“${name}” has room for ${left} ${unitName(unit)} beside the other sections (${limit} in all); it would need ${needs}.`;
}

function no(because: string) {
  return { guard: "room", because };
}

/** Room that a section may take and room it takes now, in one unit. */
type RoomLeft = {
  readonly unit: "tokens" | "chars";
  readonly limit: number;
  /** Room that the other sections leave. */
  readonly left: number;
  /** Room that the section takes now. */
  readonly needs: number;
};

/**
 * Computes the room that the other sections leave for this one, for every limit that applies. State and event sections count with
 * their full reserve, so that an amendment does not use up what a busy turn needs.
 */
export function roomLeft(charter: Charter, readings: Readings, section: string, room: Room = {}): RoomLeft[] {
  const plan = planOf(charter);
  const bounds = boundsOf(charter, room);
  const answer = (measure: Measure, limit: number | undefined): RoomLeft[] => {
    if (limit === undefined) return [];
    const { shown } = show(plan, readings, bounds);
    const [stable] = byStability(plan, shown);
    const budget = limit - plan.reserve[measure.unit];
    sizeTogether(shown, measure);
    const size = giveWay(plan, shown, stable, budget, measure);
    const own = stable.find((index) => shown.renderings[index]?.planned.name === section);
    if (own === undefined) return [];
    const { planned, texts } = shown.renderings[own] as Rendering;
    const needs = measure.pieces([createPiece(texts.join(planned.separator), "")]);
    const left = budget - (size - needs);
    return [{ unit: measure.unit, limit, left: Math.max(0, left), needs }];
  };
  return [
    ...answer(inCharacters, bounds.chars),
    ...(room.tokenizer ? answer(inTokens(room.tokenizer), bounds.tokens) : []),
  ];
}

/**
 * Guard: refuses new text that tells the model to ignore earlier layers. It is advisory: docs/override-screen.md has its error
 * rates.
 */
export function noOverride(charter: Charter): Guard {
  allSections(charter);
  const known = new Map<string, HigherSections>();
  return readingGuard((change) => {
    if (bringsOwnWords(change)) return undefined;
    const { after, before, placed } = change;
    const higher = known.get(placed.section.name) ?? higherThan(charter, placed.section);
    known.set(placed.section.name, higher);
    const standing = new Set<string>();
    for (const { start, end } of findOverrides(after, higher)) {
      const words = after.slice(start, end);
      if (standing.has(words) || before.includes(words)) {
        standing.add(words);
        continue;
      }
      const shown = words.replace(/\s+/g, " ");
      const because = `“${placed.section.name}” would tell the model to override earlier layers: “${shown}” (at ${start}).`;
      return { guard: "no-override", because, places: [{ at: start, end, line: lineAt(after, start) }] };
    }
    return undefined;
  });
}
