import { show } from "./assemble.ts";
import type { Charter } from "./charter.ts";
import { byStability, giveWay } from "./fit.ts";
import { inCharacters, inTokens, type Measure, sizeOfAll } from "./measure.ts";
import { planOf } from "./plan.ts";
import { boundsOf, type Room } from "./room.ts";
import type { Readings } from "./source.ts";
import { createPiece } from "./tokens.ts";

/** What a section may have beside the others, and what it has; `unit` says of what. */
export type RoomLeft = {
  readonly unit: "tokens" | "chars";
  readonly limit: number;
  readonly left: number;
  readonly needs: number;
};

/**
 * The room the other sections leave for this one's words, in every limit that holds.
 *
 * State and event sections count at what they are promised: an amendment must not live off a quiet turn.
 */
export function roomLeft(charter: Charter, readings: Readings, section: string, room: Room = {}): RoomLeft[] {
  const plan = planOf(charter);
  const bounds = boundsOf(charter, room);
  const answer = (measure: Measure, limit: number | undefined): RoomLeft[] => {
    if (limit === undefined) return [];
    const [stable] = byStability(show(plan, readings, bounds).shown);
    const budget = limit - plan.reserve[measure.unit];
    giveWay(plan, stable, budget, measure);
    const own = stable.find(({ rendering }) => rendering.planned.section.name === section);
    if (!own) return [];
    const { planned, texts } = own.rendering;
    const needs = measure.pieces([createPiece(texts.join(planned.separator), "")]);
    const left = budget - (sizeOfAll(stable, measure) - needs);
    return [{ unit: measure.unit, limit, left: Math.max(0, left), needs }];
  };
  return [
    ...answer(inCharacters, bounds.chars),
    ...(room.tokenizer ? answer(inTokens(room.tokenizer), bounds.tokens) : []),
  ];
}
