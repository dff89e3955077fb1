import type { TurnOutcome } from "../agent/turn-interface.ts";
import { isText } from "../prompt/argument.ts";
import { failure, givenAs } from "./expectation.ts";

/** The reply of a turn; where there is none, the test fails and says why: `replyOf(await agent.runTurn({ input: "Hi" }))`. */
export function replyOf(outcome: Pick<TurnOutcome, "state" | "reply" | "problem">): string {
  const { state, reply, problem } = Object(outcome) as TurnOutcome;
  if (!isText(state))
    throw failure(
      `replyOf takes the outcome of a turn, and it was given ${givenAs(outcome)}: replyOf(await agent.runTurn({ input })).`,
      replyOf,
    );
  if (reply !== null) return reply;
  const why = problem ? `${problem.code}: ${problem.message}\n${problem.hint}` : `it is ${state}.`;
  throw failure(`The turn has no reply: ${why}`, replyOf);
}
