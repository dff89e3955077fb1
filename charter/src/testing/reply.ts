import type { TurnOutcome } from "../agent/outcome.ts";
import { failure } from "./expectation.ts";

/** The reply of a turn; where there is none, the test fails and says why: `replyOf(await agent.runTurn({ input: "Hi" }))`. */
export function replyOf({ state, reply, problem }: Pick<TurnOutcome, "state" | "reply" | "problem">): string {
  if (reply !== null) return reply;
  const why = problem ? `${problem.code}: ${problem.message}\n${problem.hint}` : `it is ${state}.`;
  throw failure(`The turn has no reply: ${why}`, replyOf);
}
