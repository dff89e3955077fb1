import type { ToolResult } from "../../../delivery/model.ts";
import type { KeptResult } from "../step-result.ts";
import type { TurnState } from "../turn-state.ts";
import { cutWithin, readResultName, resultRoom, toldRest } from "./result-room.ts";

/** The line that tells of the rest needs room as well. */
const told = 60;

/**
 * A result that is longer than what is left is shortened, and says how to read on; the whole of it is kept with what
 * came of the step. `index`: its place among the results of the step.
 */
export function shortenResult(
  running: Pick<TurnState, "who" | "seat" | "progress">,
  result: ToolResult,
  index: number,
): KeptResult {
  const { tokenizer, id } = running.who;
  const { progress } = running;
  const room = resultRoom(running);
  const count = tokenizer.count(result.output);
  progress.resultTokens += Math.min(count, room);
  if (count <= room || result.name === readResultName) return result;
  const { output: text } = result;
  const end = cutWithin(text, Math.max(0, room - told), tokenizer);
  const output = text.slice(0, end) + toldRest(`${id}/${progress.step}/${index}`, text, end);
  // Whoever reads on in another turn reads what this turn could read: whether that is foreign is not known any more.
  return { ...result, output, shortened: true, whole: { text, ...(progress.tainted ? { foreign: true } : {}) } };
}
