import { anyValue, checkOptions, type FieldChecks, isText, optional } from "../../../prompt/argument.ts";
import { preview } from "../../../prompt/character.ts";
import type { AgentDeps } from "../agent-deps.ts";
import { beginTurn, giveUp } from "../begin-turn.ts";
import { checkNotStopped } from "../deadline.ts";
import { turnPrompt } from "../turn-prompt.ts";
import { enterPhase } from "../turn-state.ts";
import { runCall } from "./call.ts";

/** A call of a tool by a program in the agent's name, for one user or for none. */
export type CallToolInput = { readonly tool: string; readonly input: unknown; readonly user?: string };

/** What a call came to, and the turn it was recorded as. */
export type CallToolResult = { readonly turn: string; readonly output: string; readonly failed: boolean };

const callChecks: FieldChecks<CallToolInput> = {
  tool: [isText, "Give the tool's name."],
  input: anyValue,
  user: optional([isText, "Give the user's name, as the store has it."]),
};

/**
 * One call without a model: a turn of its own, whose input is the call and whose reply is what it came to. Guards, limits
 * and the record are those of any turn.
 */
export async function callTool(
  deps: AgentDeps,
  asked: CallToolInput,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<CallToolResult> {
  checkOptions("callTool", asked, callChecks);
  const { tool, input, user } = asked;
  const scope = { agent: deps.name, ...(user === undefined ? {} : { user }) };
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
