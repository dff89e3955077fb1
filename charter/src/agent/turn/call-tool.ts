import { anyValue, type FieldChecks, isText } from "../../prompt/argument.ts";
import { preview } from "../../prompt/character.ts";
import { scopeNamed } from "../../store/scope.ts";
import { aUser, checkAsked } from "../turn-interface.ts";
import { beginTurn, giveUp } from "./begin-turn.ts";
import { runCall } from "./call.ts";
import { checkNotStopped } from "./model-problem.ts";
import { turnPrompt } from "./turn-prompt.ts";
import { type AgentDeps, enterPhase } from "./turn-state.ts";

/** A call of a tool by a program in the agent's name, for a user or for none (`null`). */
export type CallToolInput = { readonly tool: string; readonly input: unknown; readonly user: string | null };

/** The result of a call, and the turn it was recorded as. */
export type CallToolResult = { readonly turn: string; readonly output: string; readonly failed: boolean };

const callChecks: FieldChecks<CallToolInput> = {
  tool: [isText, "Give the tool's name."],
  input: anyValue,
  user: aUser,
};

/**
 * Makes one call without a model: a turn of its own, whose input is the call and whose reply is the result. Guards, limits and
 * the record are those of any turn.
 */
export async function callTool(
  deps: AgentDeps,
  asked: CallToolInput,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<CallToolResult> {
  checkAsked("callTool", asked, callChecks);
  const { tool, input, user } = asked;
  const scope = scopeNamed(deps.name, user);
  const words = JSON.stringify(input ?? {});
  const spelled = `${tool} ${words}`;
  const held = await deps.sessions.hold(scope, { session: "none" });
  const { running, deadline } = await beginTurn(deps, held, { input: spelled }, { scope, signal });
  try {
    await turnPrompt(deps, running);
    checkNotStopped(running.who.signal);
    enterPhase(running, "ExecutingActions");
    const { output, failed = false } = await runCall(deps, running, { id: "call-1", name: tool, input: words });
    enterPhase(running, "Persisting");
    const because = { code: "tool-failed", message: preview(output, 500) };
    const end = failed ? ({ state: "failed", because } as const) : ({ state: "answered", reply: output } as const);
    const { id } = running.who;
    await deps.store.turns.close(id, { ...end, scope, tainted: running.progress.tainted });
    return { turn: id, output, failed };
  } catch (error) {
    await giveUp(deps, running, error);
    throw error;
  } finally {
    deadline.stop();
  }
}
