import { longestLease } from "../../store/turns/lease.ts";
import { beginTurn } from "./begin-turn.ts";
import { runCall } from "./call.ts";
import { checkGoesOn, startDeadline } from "./deadline.ts";
import { turnPrompt } from "./turn-prompt.ts";
import type { Working } from "./turn-state.ts";

/** A tool that is called by a program in the agent's name, for one user or for nobody in particular. */
export type ToolAsked = { readonly tool: string; readonly input: unknown; readonly user?: string };
export type ToolCame = { readonly turn: string; readonly output: string; readonly failed: boolean };

/**
 * One call without a model: a turn of its own, whose input is the call and whose reply is what it came to. Guards, limits
 * and the record are those of any turn.
 */
export async function callTool(
  working: Working,
  { tool, input, user }: ToolAsked,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<ToolCame> {
  const scope = { agent: working.name, ...(user === undefined ? {} : { user }) };
  const words = JSON.stringify(input ?? {});
  const asked = `${tool} ${words}`;
  return working.sessions.within(scope, { session: "none" }, async (session, enter) => {
    const { id } = await working.store.turns.open({
      scope,
      input: asked,
      session,
      inSession: true,
      runner: working.runner,
      leaseSeconds: Math.min(Math.ceil(working.limits.turnSeconds) + 60, longestLease),
    });
    const deadline = startDeadline(working.limits.turnSeconds, signal);
    try {
      const begun = { id, scope, session: await enter(id), signal: deadline.signal, on: undefined };
      const running = await beginTurn(working, { input: asked }, begun);
      await turnPrompt(working, running);
      checkGoesOn(running.who.signal);
      const { output, failed = false } = await runCall(working, running, { id: "call-1", name: tool, input: words });
      const end = failed ? ({ state: "failed" } as const) : ({ state: "answered", reply: output } as const);
      await working.store.turns.close(id, { ...end, scope, tainted: running.progress.tainted });
      return { turn: id, output, failed };
    } catch (error) {
      await working.store.turns.close(id, { state: "failed", scope }).catch(() => {});
      throw error;
    } finally {
      deadline.stop();
    }
  });
}
