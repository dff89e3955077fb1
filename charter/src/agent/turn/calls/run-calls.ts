import type { Answer, ToolCall } from "../../../delivery/model.ts";
import type { Hooks } from "../../hook.ts";
import type { Tool } from "../../tool.ts";
import type { Toolset } from "../../toolset.ts";
import type { AgentDeps } from "../agent-deps.ts";
import type { AskMode } from "../asking/ask-mode.ts";
import { saveStepResult } from "../record.ts";
import type { StepResult } from "../step-result.ts";
import { enterPhase, type TurnState } from "../turn-state.ts";
import { runCall } from "./call.ts";
import { createActs, type StepActs } from "./step-acts.ts";

/**
 * The intents are on record before the first tool runs, each result as soon as it and those before it are there. Calls
 * that only read run side by side where they stand next to each other; all others run alone, in order.
 */
export async function runCalls(deps: AgentDeps, running: TurnState, answer: Answer, came: StepResult): Promise<void> {
  const acts = await openActs(deps, running, answer, came);
  for (const group of callGroups(answer.calls, running.who)) {
    const begun = group.map((call) => beginCall(deps, running, acts, call));
    // Heard from the start: one that throws while another before it is waited for would end the process.
    const over = Promise.allSettled(begun.map(({ ran }) => ran));
    try {
      for (const { call, not, ran } of begun) {
        const result = ran ? acts.keep(await ran) : acts.refuse(call, not as string);
        // A model may call thousands: what was not run is kept with the next that was, or with the last.
        if (ran || acts.open().length === 0) await acts.save();
        running.who.emit({ kind: "tool-result", result });
      }
    } finally {
      // Whatever stops the turn, nothing of it still runs.
      await over;
    }
  }
  acts.take();
}

/** What a model has called is on record, before any of it runs. */
export async function openActs(
  deps: AgentDeps,
  running: TurnState,
  answer: Answer,
  came: StepResult,
): Promise<StepActs> {
  const acts = createActs(deps, running, came.answer ?? answer);
  await saveStepResult(deps, running, came);
  enterPhase(running, "ExecutingActions");
  return acts;
}

type BegunCall = { readonly call: ToolCall; readonly not?: string; readonly ran?: ReturnType<typeof runCall> };

function beginCall(deps: AgentDeps, running: TurnState, acts: StepActs, call: ToolCall): BegunCall {
  const not = acts.begin(call);
  return not === undefined ? { call, ran: runCall(deps, running, call) } : { call, not };
}

/** So many calls run at once at most: a model may ask for hundreds of files. */
export const mostAtOnce = 8;

type Calling = {
  readonly ask: AskMode;
  readonly toolset: Pick<Toolset, "byName">;
  readonly hooks: Pick<Hooks, "hears">;
};

/**
 * The calls of an answer, in order, in groups that run side by side: readers that stand next to each other. A group begins
 * when the one before it is done. So what a group brought taints those after it, and what writes comes neither before nor
 * after its time.
 */
export function callGroups(calls: readonly ToolCall[], { ask, toolset, hooks }: Calling): ToolCall[][] {
  // A hook sees one call after the other, and a person who is asked before each does, too.
  const isWatched = hooks.hears("before-tool") || hooks.hears("after-tool") || ask === "always";
  const mayShare = ({ name }: ToolCall) => !isWatched && isReader(toolset.byName.get(name));
  const groups: ToolCall[][] = [];
  let open: ToolCall[] | undefined;
  for (const call of calls) {
    const shares = mayShare(call);
    if (open && shares && open.length < mostAtOnce) open.push(call);
    else {
      const group = [call];
      groups.push(group);
      open = shares ? group : undefined;
    }
  }
  return groups;
}

/** One that a person may have to approve, or that may be called so often, is judged by the calls before it. */
function isReader(tool: Tool | undefined): boolean {
  return tool?.reads === true && !tool.sensitive && tool.callsPerTurn === undefined;
}
