import { show } from "./assemble.ts";
import type { Charter } from "./charter.ts";
import { byStability, giveWay } from "./fit.ts";
import { inCharacters, inTokens, type Measure, measureTogether, sizeOfAll } from "./measure.ts";
import { planOf } from "./plan.ts";
import { boundsOf, type Room } from "./room.ts";
import type { Readings } from "./source.ts";
import { createPiece } from "./tokens.ts";

/** How much room a section may take, and how much it takes now, in one unit. */
export type RoomLeft = {
  readonly unit: "tokens" | "chars";
  readonly limit: number;
  /** What the section may take. */
  readonly left: number;
  /** What it takes now. */
  readonly needs: number;
};

/**
 * Computes how much room the other sections leave for this one, for every limit that applies. State and event sections
 * count with their full reserve, so that an amendment does not use up what a busy turn needs.
 */
export function roomLeft(charter: Charter, readings: Readings, section: string, room: Room = {}): RoomLeft[] {
  const plan = planOf(charter);
  const bounds = boundsOf(charter, room);
  const answer = (measure: Measure, limit: number | undefined): RoomLeft[] => {
    if (limit === undefined) return [];
    const [stable] = byStability(show(plan, readings, bounds).shown);
    const budget = limit - plan.reserve[measure.unit];
    measureTogether(stable, measure);
    giveWay(plan, stable, budget, measure);
    const own = stable.find(({ rendering }) => rendering.planned.section.name === section);
    if (!own) return [];
    const { planned, texts } = own.rendering;
    const needs = measure.pieces([createPiece(texts.join(planned.separator), "")]);
    const left = budget - (sizeOfAll(stable) - needs);
    return [{ unit: measure.unit, limit, left: Math.max(0, left), needs }];
  };
  return [
    ...answer(inCharacters, bounds.chars),
    ...(room.tokenizer ? answer(inTokens(room.tokenizer), bounds.tokens) : []),
  ];
}
