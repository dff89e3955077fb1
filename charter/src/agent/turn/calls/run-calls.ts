import { stepMessages } from "../../../delivery/history.ts";
import type { Answer, ToolCall } from "../../../delivery/model.ts";
import { callLimitRefusal, runCall } from "../call.ts";
import { saveStepResult } from "../record.ts";
import type { KeptResult, StepResult } from "../step-result.ts";
import { type AgentDeps, enterPhase, type TurnState } from "../turn-state.ts";
import { shortenResult } from "../window/shortened-result.ts";
import { callGroups } from "./call-groups.ts";

/**
 * The intents are on record before the first tool runs, each result as soon as it and those before it are there. Calls
 * that only read run side by side where they stand next to each other; all others run alone, in order.
 */
export async function runCalls(deps: AgentDeps, running: TurnState, answer: Answer, came: StepResult): Promise<void> {
  const results: KeptResult[] = [];
  running.progress.resultTokens = 0;
  await saveStepResult(deps, running, came);
  enterPhase(running, "ExecutingActions");
  const seen = new Set<string>();
  for (const group of callGroups(answer.calls, running.who)) {
    const begun = group.map((call) => begin(deps, running, call, seen));
    // Heard from the start: one that throws while another before it is waited for would end the process.
    const over = Promise.allSettled(begun.map(({ ran }) => ran));
    try {
      for (const one of begun) {
        const ran = "not" in one ? undefined : await one.ran;
        const result =
          ran === undefined
            ? { call: one.call.id, name: one.call.name, output: one.not as string, failed: true as const }
            : shortenResult(running, ran, results.length);
        results.push(result);
        // A model may call thousands: what was not run is kept with the next that was, or with the last.
        if (ran || results.length === answer.calls.length)
          await saveStepResult(deps, running, { ...came, results: [...results] });
        const { whole: _, ...shown } = result as KeptResult;
        running.who.emit({ kind: "tool-result", result: shown });
      }
    } finally {
      // Whatever stops the turn, nothing of it still runs.
      await over;
    }
  }
  running.progress.messages = [...running.progress.messages, ...stepMessages({ answer, results })];
  running.progress.ownSteps = [...running.progress.ownSteps, running.progress.step];
}

type BegunCall = { readonly call: ToolCall; readonly not?: string; readonly ran?: ReturnType<typeof runCall> };

function begin(deps: AgentDeps, running: TurnState, call: ToolCall, seen: Set<string>): BegunCall {
  running.progress.callCount += 1;
  running.who.emit({ kind: "tool-call", call });
  const again = seen.has(call.id) ? "Not run: a call with this id was made in the same answer." : undefined;
  const stopped = running.who.signal.aborted ? "Not run: the turn was stopped before." : undefined;
  const not = again ?? stopped ?? callLimitRefusal(running);
  seen.add(call.id);
  return not === undefined ? { call, ran: runCall(deps, running, call) } : { call, not };
}
