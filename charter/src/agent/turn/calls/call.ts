import { markOf, withoutMark } from "../../../delivery/mark.ts";
import type { ToolCall, ToolResult } from "../../../delivery/model.ts";
import { countCharacters, firstCharacters } from "../../../prompt/character.ts";
import { fenced } from "../../../prompt/fence.ts";
import { counted, listed, Problem, reasonOf } from "../../../prompt/problem.ts";
import { sha256 } from "../../../store/texts/packing.ts";
import { withTimeout } from "../../timeout.ts";
import type { Tool } from "../../tool.ts";
import { checkToolInput, type ParsedArguments, parseToolInput, type ToolArguments } from "../../tool-input.ts";
import type { AgentDeps } from "../agent-deps.ts";
import { askReason, broughtText } from "../asking/ask-reason.ts";
import { holdCall, isAllowedNow } from "../asking/hold-call.ts";
import { survivalTier } from "../spending.ts";
import { toolContextOf } from "../tool-context.ts";
import {
  addNotice,
  noticeMarkRemoved,
  type TurnIdentity,
  type TurnProgress,
  type TurnState,
  taint,
} from "../turn-state.ts";
import { readResult } from "../window/read-result.ts";
import { readResultName } from "../window/room.ts";
import { failure, type ToolRunResult, toolRunResultOf } from "./tool-run-result.ts";

/** A call that may run now, with the arguments it runs with. `held`: a person was asked, and said yes. */
export type AllowedCall = {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly input: unknown;
  readonly held?: string;
};

/** A call before it runs: it may, or the model is told why it does not. */
type JudgedCall =
  | { readonly allowed: AllowedCall }
  | { readonly allowed?: undefined; readonly told: ToolResult; readonly waits?: true };

/**
 * Runs one call, or says why it did not. Whatever happens is a result for the model: nothing it asked for is silent.
 * `approved`: a person has said yes to this very call, so neither taint nor the turn's own count stands in its way.
 */
export async function runCall(
  deps: AgentDeps,
  running: TurnState,
  call: ToolCall,
  { approved = false } = {},
): Promise<ToolResult> {
  const judged = await judgeCall(deps, running, call, { approved });
  return judged.allowed ? runAllowed(deps, running, judged.allowed) : judged.told;
}

export async function runAllowed(deps: AgentDeps, running: TurnState, allowed: AllowedCall): Promise<ToolResult> {
  return finishCall(deps, running, allowed, await run(deps, running, allowed));
}

/** Limits, arguments, hooks, taint and people say whether a call runs. */
export async function judgeCall(
  deps: AgentDeps,
  running: TurnState,
  call: ToolCall,
  { approved = false } = {},
): Promise<JudgedCall> {
  const not = (output: string): JudgedCall => ({ told: resultOf(running, call, { text: output, failed: true }) });
  const tool = toolNamed(deps, running, call.name);
  if (!tool) return not(`There is no tool “${call.name}”. The tools are ${listed(running.who.toolset.byName.keys())}.`);
  const refusal = approved ? undefined : callQuotaRefusal(running.progress, tool);
  if (refusal !== undefined) return not(refusal);
  const parsed = await parseToolInput(tool, call.input);
  if ("fault" in parsed) return not(parsed.fault);

  const hooked = await beforeTool(running.who, tool, call, parsed);
  if ("fault" in hooked) return not(hooked.fault);
  const tier = tool.sensitive ? await survivalTier(deps, running) : "Normal";
  if (tier !== "Normal")
    return not(`Not run: “${tool.name}” acts on the world outside, and cycles are too few for that (${tier}).`);
  const reason = approved ? undefined : askReason(tool, { tainted: running.progress.tainted, ask: running.who.ask });
  if (reason && !isAllowedNow(deps, running, tool)) {
    const held = await holdCall(deps, running, { tool, call, input: hooked.raw, given: hooked.input, reason });
    if (held.approved === undefined) return { ...not(held.told), ...(held.waits ? { waits: true } : {}) };
    // Whoever was asked said yes to this very call, with these very arguments.
    const asked = { ...call, input: JSON.stringify(hooked.raw) };
    const judged = await judgeCall(deps, running, asked, { approved: true });
    if (judged.allowed) return { allowed: { ...judged.allowed, held: held.approved } };
    await deps.store.calls.finish(held.approved, { status: "failed", result: judged.told.output });
    return judged;
  }

  const agent = await deps.store.agents.find(deps.name);
  if (!agent || agent.frozen === "agent") return not(`Not run: “${deps.name}” ${agent ? "is frozen" : "was removed"}.`);

  if (!approved) running.progress.callsByTool.set(tool.name, (running.progress.callsByTool.get(tool.name) ?? 0) + 1);
  return { allowed: { call, tool, input: hooked.input } };
}

/** What a call came to, as the model is told it: behind a fence where it is other people's, and as hooks leave it. */
export async function finishCall(
  deps: AgentDeps,
  running: TurnState,
  { call, tool, input, held }: AllowedCall,
  ran: ToolRunResult,
): Promise<ToolResult> {
  // What brings other people's text says nothing to the user in our name.
  if (ran.notice && !tool.foreign) addNotice(running.who.emit, running.progress.notices, ran.notice);
  const shown = shownOutput(running, { tool, call }, ran);
  const after = await running.who.hooks.run(
    "after-tool",
    { turn: running.who.id, tool: tool.name, call: call.id, input, output: shown, failed: ran.failed },
    (now, { output = now.output, failed = now.failed }) => {
      if (typeof output !== "string") return "its output is no text";
      if (typeof failed !== "boolean") return "whether it failed is neither true nor false";
      return { ...now, output, failed };
    },
  );
  const result = resultOf(running, call, { text: after.output, failed: after.failed });
  if (held !== undefined)
    await deps.store.calls.finish(held, { status: result.failed ? "failed" : "done", result: result.output });
  return result;
}

function resultOf(
  { who }: Pick<TurnState, "who">,
  { id, name }: ToolCall,
  { text, failed }: { readonly text: string; readonly failed: boolean },
): ToolResult {
  // Half a character is no text: a provider would reject this request, and every later one of the session.
  const output = withoutSessionMark(who, text).toWellFormed();
  return { call: id, name, output, ...(failed ? { failed: true as const } : {}) };
}

function toolNamed(deps: AgentDeps, running: TurnState, name: string): Tool | undefined {
  return running.who.toolset.byName.get(name) ?? (name === readResultName ? readResult(deps, running) : undefined);
}

export function callLimitRefusal({
  terms: { limits },
  progress: { callCount },
}: Pick<TurnState, "terms" | "progress">): string | undefined {
  if (callCount > limits.toolCalls) return `Not run: the limit is ${counted(limits.toolCalls, "call")} per turn.`;
  return undefined;
}

function callQuotaRefusal(
  { callsByTool, phase }: Pick<TurnProgress, "callsByTool" | "phase">,
  tool: Tool,
): string | undefined {
  if (tool.callsPerTurn !== undefined && (callsByTool.get(tool.name) ?? 0) >= tool.callsPerTurn)
    return `Not run: “${tool.name}” may be called ${tool.callsPerTurn === 1 ? "once" : `${tool.callsPerTurn} times`} a turn.`;
  if (tool.states && !tool.states.includes(phase))
    return `Not run: “${tool.name}” runs only while the agent is ${tool.states.join(" or ")}.`;
  return undefined;
}

async function beforeTool(
  { hooks, id }: TurnIdentity,
  tool: Tool,
  call: ToolCall,
  parsed: ToolArguments,
): Promise<ParsedArguments> {
  let refused: string | undefined;
  const given = { turn: id, tool: tool.name, call: call.id, input: parsed.input };
  const after = await hooks.run("before-tool", given, (now, change, hook) => {
    if (change.refuse !== undefined) {
      if (typeof change.refuse !== "string") return "its refusal is no text";
      refused ??= `Not run: ${hook} refused the call. ${change.refuse}`;
    }
    return change.input === undefined ? now : { ...now, input: change.input };
  });
  if (refused !== undefined) return { fault: refused };
  return after.input === parsed.input ? parsed : checkToolInput(tool, after.input);
}

async function run(deps: AgentDeps, running: TurnState, { tool, call, input }: AllowedCall): Promise<ToolRunResult> {
  const seconds = running.terms.limits.toolSeconds;
  const giveUp = new AbortController();
  const signal = AbortSignal.any([running.who.signal, giveUp.signal]);
  const late = (): ToolRunResult => {
    const why = running.who.signal.aborted ? "when the turn was stopped" : `within ${seconds} s`;
    giveUp.abort();
    return failure(`It had not finished ${why}; whether it took effect is not known.`);
  };
  const work = async () =>
    toolRunResultOf(await tool.run(input as never, { ...toolContextOf(deps, running, call), signal }));
  try {
    return await withTimeout(seconds * 1000, work(), late, running.who.signal);
  } catch (error) {
    const hint = error instanceof Problem ? ` ${error.hint}` : "";
    return failure(`It failed: ${reasonOf(error)}${hint}`);
  }
}

/** Other people's words stand behind a fence; what is too long is cut, and the model is told. */
function shownOutput(
  running: TurnState,
  { tool, call }: { readonly tool: Tool; readonly call: ToolCall },
  { text, foreign, own }: ToolRunResult,
): string {
  const shorter = firstCharacters(text, running.terms.limits.toolChars);
  const missing = countCharacters(text.slice(shorter.length));
  const told = missing === 0 ? "" : `\n(cut here: ${missing} more characters; ask for less at once)`;
  const theirs = tool.foreign && !own;
  if (theirs || foreign) taint(running, `“${tool.name}” brought untrusted text.`, broughtText(call, text));
  return (theirs ? fenced(shorter, tool.name) : shorter) + told;
}

/** What is kept before it is delivered is kept as it will be sent: nobody but the system speaks behind its mark. */
export function withoutSessionMark(who: Pick<TurnIdentity, "session" | "emit">, words: string): string {
  const secret = who.session.baseline?.secret;
  if (secret === undefined) return words;
  const plain = withoutMark(words, markOf(secret, sha256));
  if (plain !== words) noticeMarkRemoved(who);
  return plain;
}
