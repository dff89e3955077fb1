import { counted, grouped } from "../../../prompt/problem.ts";
import type { AgentEvent } from "../../agent-event.ts";

/** What became of a history that was too long, in a sentence; `what` it was that was summed up. */
export function compactionText(
  { turns, before, after, leftOut }: Extract<AgentEvent, { kind: "compacted" }>,
  what = counted(turns, "turn was", "turns were"),
): string {
  const sizes = `${counted(before, "token")} of history became ${grouped(after)}.`;
  if (!leftOut) return `${what} summarised: ${sizes}`;
  return `${what} left out, since the model gave no summary: ${sizes} The agent can still read what was left out.`;
}
