import { anyValue, checkOptions, type FieldChecks, isText, optional } from "../../prompt/argument.ts";
import { preview } from "../../prompt/character.ts";
import { maxLeaseSeconds } from "../../store/turns/turn.ts";
import { beginTurn } from "./begin-turn.ts";
import { runCall } from "./call.ts";
import { checkNotStopped, startDeadline } from "./deadline.ts";
import { withDeclaredLimits } from "./declared-limits.ts";
import { turnReason } from "./end-turn.ts";
import { turnPrompt } from "./turn-prompt.ts";
import { type AgentDeps, enterPhase } from "./turn-state.ts";

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
  agent: AgentDeps,
  asked: CallToolInput,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<CallToolResult> {
  checkOptions("callTool", asked, callChecks);
  const { tool, input, user } = asked;
  const scope = { agent: agent.name, ...(user === undefined ? {} : { user }) };
  const words = JSON.stringify(input ?? {});
  const spelled = `${tool} ${words}`;
  return agent.sessions.within(scope, { session: "none" }, async (_session, enter) => {
    const deps = await withDeclaredLimits(agent, scope);
    const turn = await deps.store.turns.open({
      scope,
      input: spelled,
      ownSession: deps.model.receiver.name,
      runner: deps.runner,
      leaseSeconds: Math.min(Math.ceil(deps.limits.turnSeconds) + 60, maxLeaseSeconds),
    });
    const { id } = turn;
    const deadline = startDeadline(deps.limits.turnSeconds, signal);
    try {
      const begun = {
        id,
        scope,
        session: await enter(turn),
        signal: deadline.signal,
        on: undefined,
        approve: undefined,
        ask: "never" as const,
        attachments: [],
        context: undefined,
        output: undefined,
      };
      const running = await beginTurn(deps, { input: spelled }, begun);
      await turnPrompt(deps, running);
      checkNotStopped(running.who.signal);
      enterPhase(running, "ExecutingActions");
      const { output, failed = false } = await runCall(deps, running, { id: "call-1", name: tool, input: words });
      enterPhase(running, "Persisting");
      const because = { code: "tool-failed", message: preview(output, 500) };
      const end = failed ? ({ state: "failed", because } as const) : ({ state: "answered", reply: output } as const);
      await deps.store.turns.close(id, { ...end, scope, tainted: running.progress.tainted });
      return { turn: id, output, failed };
    } catch (error) {
      await deps.store.turns.close(id, { state: "failed", because: turnReason(error), scope }).catch(() => {});
      throw error;
    } finally {
      deadline.stop();
    }
  });
}
