import { neutral, runCall } from "./call.ts";
import type { Running, Working } from "./working.ts";

/**
 * Calls an earlier turn asked for and a person has approved since: each is run now, exactly once, and what it came to is
 * told with the user's message. Says whether there were any.
 */
export async function approvedCalls(working: Working, running: Running): Promise<boolean> {
  const { calls } = working.store;
  const approved = await calls.take(running.scope);
  if (approved.length === 0) return false;
  running.acted = true;
  const told: string[] = [];
  for (const { id, tool, input } of approved) {
    const call = { id, name: tool, input: JSON.stringify(input) };
    running.tell({ kind: "tool-call", call });
    const result = running.signal.aborted
      ? { call: id, name: tool, output: "Not run: the turn was stopped before.", failed: true as const }
      : await runCall(working, running, call, { approved: true });
    await calls.finish(id, { status: result.failed ? "failed" : "done", result: result.output });
    running.tell({ kind: "tool-result", result });
    told.push(`- ${tool} ${neutral(running, call.input)}: ${result.output}`);
  }
  running.input = `[Calls you asked for earlier, approved since and made now]\n${told.join("\n")}\n\n${running.input}`;
  return true;
}
