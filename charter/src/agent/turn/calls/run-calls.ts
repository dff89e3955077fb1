import type { Answer, ToolCall } from "../../../delivery/model.ts";
import type { HeldCall } from "../../../store/turns/held-calls.ts";
import type { Hooks } from "../../hook.ts";
import type { Tool } from "../../tool.ts";
import type { Toolset } from "../../toolset.ts";
import { allow, isPermission } from "../acting/permission.ts";
import type { AgentDeps } from "../agent-deps.ts";
import { type AskMode, foreignText } from "../asking/ask-reason.ts";
import { saveStepResult } from "../record.ts";
import { survivalTier } from "../spending.ts";
import type { StepResult } from "../step-result.ts";
import { enterPhase, type TurnState, taint } from "../turn-state.ts";
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

/** Who asked for it: what one agent may do once, another may not, also where it took the session over since. */
async function receiverOf({ store }: AgentDeps, { turn, step, scope }: HeldCall): Promise<string | null> {
  const asked = (await store.steps.of(turn, scope)).find((one) => one.step === step);
  return asked?.receipt?.receiver ?? null;
}

/**
 * It acts for whoever asked then: with the context that was kept of that turn, or none, never with this turn's. What was
 * typed since is no part of it.
 */
async function asItWasAsked({ store }: AgentDeps, running: TurnState, { turn, scope }: HeldCall): Promise<TurnState> {
  const context = await store.turns.contextOf(turn, scope);
  return {
    ...running,
    who: { ...running.who, context, typed: undefined, hooks: running.who.hooks.withContext(context) },
  };
}

/** A call may also wait because a person wants to be asked. Of a turn that is gone nobody knows. */
async function wasTainted({ store }: AgentDeps, { turn, scope }: HeldCall): Promise<boolean> {
  return (await store.turns.get(turn, scope).catch(() => undefined))?.tainted ?? true;
}

/**
 * Calls an earlier turn asked for and a person has approved since: each is run now, exactly once, and what it came to is
 * told with the user's message. Says whether there were any. `check` throws where nothing can be asked in this turn:
 * then nobody would be told, and they are left to the next, as is what was not begun when the turn was stopped, and all
 * of them while cycles are too few.
 */
export async function runApprovedCalls(
  deps: AgentDeps,
  running: TurnState,
  check: () => Promise<unknown>,
): Promise<boolean> {
  const { calls } = deps.store;
  // All of them act on the world outside.
  if ((await survivalTier(deps, running)) !== "Normal") return false;
  const approved = await calls.claim(running.who.scope);
  if (approved.length === 0) return false;
  try {
    await check();
  } catch (error) {
    for (const { id } of approved) await calls.release(id);
    throw error;
  }
  let isForeign = false;
  const told: string[] = [];
  const allowed: string[] = [];
  for (const held of approved) {
    const { id, tool, input } = held;
    if (running.who.signal.aborted) {
      await calls.release(id);
      continue;
    }
    if (isPermission(held)) {
      if (running.seat.model.receiver.name === (await receiverOf(deps, held))) allowed.push(allow(running, held));
      else await calls.finish(id, { status: "failed", result: "The agent has another model now." });
      continue;
    }
    // In another directory the same words would do something else.
    if (held.place !== null && running.who.toolset.byName.get(tool)?.place !== held.place) {
      await calls.release(id);
      continue;
    }
    const call = { id, name: tool, input: JSON.stringify(input) };
    enterPhase(running, "ExecutingActions");
    running.who.emit({ kind: "tool-call", call });
    running.progress.ranApprovedCalls = true;
    const result = await runCall(deps, await asItWasAsked(deps, running, held), call, { approved: true });
    await calls.finish(id, { status: result.failed ? "failed" : "done", result: result.output });
    running.who.emit({ kind: "tool-result", result });
    told.push(`- ${tool} ${call.input}: ${result.output}`);
    isForeign ||= await wasTainted(deps, held);
  }
  if (told.length === 0 && allowed.length === 0) return false;
  // Where foreign words were about, what a call was given was written among them.
  const says = "text of others may have led to a call that was approved";
  if (isForeign || allowed.length > 0)
    taint(running, "Results are shown of calls that untrusted text may have caused.", foreignText(says, ...told));
  const heading = (words: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`[${words}]\n${lines.join("\n")}`];
  running.progress.input = [
    ...heading("Calls you asked for earlier, approved since and made now", told),
    ...heading(
      "Permissions you asked for earlier, given since: ask for the same again, and it is allowed once",
      allowed,
    ),
    running.progress.input,
  ].join("\n\n");
  return told.length > 0;
}
