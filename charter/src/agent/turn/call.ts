import { markOf, withoutMark } from "../../delivery/mark.ts";
import type { ToolCall, ToolResult } from "../../delivery/model.ts";
import { countCharacters, firstCharacters } from "../../prompt/character.ts";
import { fenced } from "../../prompt/fence.ts";
import { counted, listed, Problem, reasonOf } from "../../prompt/problem.ts";
import { sha256 } from "../../store/texts/packing.ts";
import { withTimeout } from "../timeout.ts";
import type { Tool } from "../tool.ts";
import { checkToolInput, type ParsedArguments, parseToolInput, type ToolArguments } from "../tool-input.ts";
import { askReason } from "./asking/ask-mode.ts";
import { broughtText } from "./asking/foreign-text.ts";
import { holdCall, isAllowedNow } from "./asking/hold-call.ts";
import { failure, type ToolRunResult, toolRunResultOf } from "./calls/tool-run-result.ts";
import { survivalTier } from "./survival.ts";
import { toolContextOf } from "./tool-context.ts";
import {
  type AgentDeps,
  addNotice,
  noticeMarkRemoved,
  type TurnIdentity,
  type TurnProgress,
  type TurnState,
  taint,
} from "./turn-state.ts";
import { readResult } from "./window/read-result.ts";
import { readResultName } from "./window/result-room.ts";

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
  const done = (output: string, failed: boolean): ToolResult => {
    // Half a character is no text: a provider would reject this request, and every later one of the session.
    const words = withoutSessionMark(running.who, output);
    return {
      call: call.id,
      name: call.name,
      output: words.toWellFormed(),
      ...(failed ? { failed: true as const } : {}),
    };
  };
  const tool = toolNamed(deps, running, call.name);
  if (!tool)
    return done(`There is no tool “${call.name}”. The tools are ${listed(running.who.toolset.byName.keys())}.`, true);
  const refusal = approved ? undefined : callQuotaRefusal(running.progress, tool);
  if (refusal !== undefined) return done(refusal, true);
  const parsed = await parseToolInput(tool, call.input);
  if ("fault" in parsed) return done(parsed.fault, true);

  const hooked = await beforeTool(running.who, tool, call, parsed);
  if ("fault" in hooked) return done(hooked.fault, true);
  const tier = tool.sensitive ? await survivalTier(deps, running) : "Normal";
  if (tier !== "Normal")
    return done(`Not run: “${tool.name}” acts on the world outside, and cycles are too few for that (${tier}).`, true);
  const reason = approved ? undefined : askReason(tool, { tainted: running.progress.tainted, ask: running.who.ask });
  if (reason && !isAllowedNow(deps, running, tool)) {
    const held = await holdCall(deps, running, { tool, call, input: hooked.raw, given: hooked.input, reason });
    if (held.approved === undefined) return done(held.told, true);
    // Whoever was asked said yes to this very call, with these very arguments.
    const result = await runCall(deps, running, { ...call, input: JSON.stringify(hooked.raw) }, { approved: true });
    await deps.store.calls.finish(held.approved, { status: result.failed ? "failed" : "done", result: result.output });
    return result;
  }

  const agent = await deps.store.agents.find(deps.name);
  if (!agent || agent.frozen === "agent")
    return done(`Not run: “${deps.name}” ${agent ? "is frozen" : "was removed"}.`, true);

  if (!approved) running.progress.callsByTool.set(tool.name, (running.progress.callsByTool.get(tool.name) ?? 0) + 1);
  const ran = await run(deps, running, tool, call, hooked.input);
  // What brings other people's text says nothing to the user in our name.
  if (ran.notice && !tool.foreign) addNotice(running.who.emit, running.progress.notices, ran.notice);
  const shown = shownOutput(deps, running, { tool, call }, ran);
  const after = await running.who.hooks.run(
    "after-tool",
    {
      turn: running.who.id,
      tool: tool.name,
      call: call.id,
      input: hooked.input,
      output: shown,
      failed: ran.failed,
    },
    (now, { output = now.output, failed = now.failed }) => {
      if (typeof output !== "string") return "its output is no text";
      if (typeof failed !== "boolean") return "whether it failed is neither true nor false";
      return { ...now, output, failed };
    },
  );
  return done(after.output, after.failed);
}

function toolNamed(deps: AgentDeps, running: TurnState, name: string): Tool | undefined {
  return running.who.toolset.byName.get(name) ?? (name === readResultName ? readResult(deps, running) : undefined);
}

export function callLimitRefusal(
  { limits }: AgentDeps,
  { callCount }: Pick<TurnProgress, "callCount">,
): string | undefined {
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

async function run(
  deps: AgentDeps,
  running: TurnState,
  tool: Tool,
  call: ToolCall,
  input: unknown,
): Promise<ToolRunResult> {
  const seconds = deps.limits.toolSeconds;
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
  { limits }: AgentDeps,
  running: Pick<TurnState, "who" | "progress">,
  { tool, call }: { readonly tool: Tool; readonly call: ToolCall },
  { text, foreign, own }: ToolRunResult,
): string {
  const shorter = firstCharacters(text, limits.toolChars);
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
