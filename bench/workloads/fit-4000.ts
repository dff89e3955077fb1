import { prose, rng } from "./rng.ts";
import { type Inputs, trace } from "./sovereign-turns.ts";

/** fit-4000 “multi-turn”: sovereign-turns with long conversations, 115 fragments and 7.6k tokens a turn, fitted into 4,000. */
export const fit4000Budget = 4000;

export function fit4000Turns(turns = 200): Inputs[] {
  return trace(turns, { seed: 4, senders: 5, entries: 14, facts: 20, tools: 15, entryChars: 110 });
}

/** Texts of 95 characters (20,000 of them are as much as one section may have), to see how the work grows with their number. */
export function manyTexts(count: number): string[] {
  const random = rng(5);
  return Array.from({ length: count }, () => prose(random, 95));
}
