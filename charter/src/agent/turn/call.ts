import { markOf, withoutMark } from "../../delivery/mark.ts";
import type { ToolCall, ToolResult } from "../../delivery/model.ts";
import { countCharacters, firstCharacters } from "../../prompt/character.ts";
import { fenced } from "../../prompt/fence.ts";
import { listed, Problem, reasonOf } from "../../prompt/problem.ts";
import { sha256 } from "../../store/texts/sha256.ts";
import { within } from "../timeout.ts";
import type { Tool, ToolOutput } from "../tool.ts";
import { type Arguments, checkedInput, inputOf, type Parsed } from "../tool-input.ts";
import { contextOf } from "./tool-context.ts";
import {
  type Running,
  type TurnIdentity,
  type TurnProgress,
  type TurnView,
  taint,
  tellPlain,
  type Working,
} from "./turn-state.ts";

/** While tools run, an agent's loop is in this state. */
export const whileCalling = "ExecutingActions";

/**
 * Runs one call, or says why it did not. Whatever happens is a result for the model: nothing it asked for is silent.
 * `approved`: a person has said yes to this very call, so neither taint nor the turn's own count stands in its way.
 */
export async function runCall(
  working: Working,
  running: Running,
  call: ToolCall,
  { approved = false } = {},
): Promise<ToolResult> {
  const done = (output: string, failed: boolean): ToolResult => {
    // Half a character is no text: a provider would reject this request, and every later one of the session.
    const words = neutral(running.who, output);
    return {
      call: call.id,
      name: call.name,
      output: words.toWellFormed(),
      ...(failed ? { failed: true as const } : {}),
    };
  };
  const tool = running.who.toolset.byName.get(call.name);
  if (!tool)
    return done(`There is no tool “${call.name}”. The tools are ${listed(running.who.toolset.byName.keys())}.`, true);
  const refusal = approved ? undefined : overQuota(running.progress, tool);
  if (refusal !== undefined) return done(refusal, true);
  const parsed = inputOf(tool, call.input);
  if ("fault" in parsed) return done(parsed.fault, true);

  const hooked = await beforeTool(running.who, tool, call, parsed);
  if ("fault" in hooked) return done(hooked.fault, true);
  if (tool.sensitive && running.progress.tainted && !approved)
    return done(await hold(working, running, call, hooked.written), true);

  const { frozen } = (await working.store.agents.find(working.name)) ?? {};
  if (frozen === "agent") return done(`Not run: “${working.name}” is frozen.`, true);

  if (!approved) running.progress.called.set(tool.name, (running.progress.called.get(tool.name) ?? 0) + 1);
  const ran = await run(working, running, tool, call, hooked.input);
  const shown = shownOutput(working, running, tool, ran);
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

export function overCalls({ limits }: Working, { calls }: Pick<TurnProgress, "calls">): string | undefined {
  if (calls > limits.toolCalls) return `Not run: ${limits.toolCalls} calls a turn are the most.`;
  return undefined;
}

function overQuota({ called }: Pick<TurnProgress, "called">, tool: Tool): string | undefined {
  if (tool.perTurn !== undefined && (called.get(tool.name) ?? 0) >= tool.perTurn)
    return `Not run: “${tool.name}” may be called ${tool.perTurn === 1 ? "once" : `${tool.perTurn} times`} a turn.`;
  if (tool.states && !tool.states.includes(whileCalling))
    return `Not run: “${tool.name}” runs only while the agent is ${tool.states.join(" or ")}.`;
  return undefined;
}

async function beforeTool({ hooks, id }: TurnIdentity, tool: Tool, call: ToolCall, parsed: Arguments): Promise<Parsed> {
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
  return after.input === parsed.input ? parsed : checkedInput(tool, after.input);
}

async function hold({ store, tainted }: Working, running: TurnView, call: ToolCall, input: unknown): Promise<string> {
  const because = "Foreign words are in this turn's context, and the tool acts on the world outside.";
  if (tainted === "refuse") return JSON.stringify({ verdict: "refused", because });
  try {
    JSON.stringify(input);
  } catch (error) {
    return `Not run: a person must approve the call first, and its arguments cannot be kept (${reasonOf(error)}).`;
  }
  const { id, scope } = running.who;
  const { step } = running.progress;
  const asked = { turn: id, step, call: call.id, tool: call.name, input, because };
  const held = await store.calls.hold(scope, asked);
  running.who.tell({ kind: "tool-held", call, held: held.id });
  return JSON.stringify({
    verdict: "held",
    held: held.id,
    because: `${because} A person must approve the call first.`,
  });
}

type Ran = { readonly text: string; readonly foreign: boolean; readonly failed: boolean };

async function run(working: Working, running: Running, tool: Tool, call: ToolCall, input: unknown): Promise<Ran> {
  const seconds = working.limits.toolSeconds;
  const giveUp = new AbortController();
  const signal = AbortSignal.any([running.who.signal, giveUp.signal]);
  const late = (): Ran => {
    const why = running.who.signal.aborted ? "when the turn was stopped" : `within ${seconds} s`;
    giveUp.abort();
    return failure(`It had not finished ${why}; whether it took effect is not known.`);
  };
  const work = async () => ranTo(await tool.run(input as never, { ...contextOf(working, running, call), signal }));
  try {
    return await within(seconds * 1000, work(), late, running.who.signal);
  } catch (error) {
    const hint = error instanceof Problem ? ` ${error.hint}` : "";
    return failure(`It failed: ${reasonOf(error)}${hint}`);
  }
}

function failure(text: string): Ran {
  return { text, foreign: false, failed: true };
}

function ranTo(output: ToolOutput): Ran {
  if (typeof output === "string") return { text: output, foreign: false, failed: false };
  if (isText(output)) return { text: output.text, foreign: output.foreign === true, failed: output.failed === true };
  return { text: JSON.stringify(output) ?? "", foreign: false, failed: false };
}

function isText(
  output: ToolOutput,
): output is Exclude<ToolOutput, string> & { text: string; foreign?: true; failed?: true } {
  return typeof output === "object" && output !== null && typeof (output as { text?: unknown }).text === "string";
}

/** Other people's words stand behind a fence; what is too long is cut, and the model is told. */
function shownOutput(
  { limits }: Working,
  running: Pick<Running, "who" | "progress">,
  tool: Tool,
  { text, foreign }: Ran,
): string {
  const shorter = firstCharacters(text, limits.toolChars);
  const missing = countCharacters(text.slice(shorter.length));
  const told = missing === 0 ? "" : `\n(cut here: ${missing} more characters; ask for less at once)`;
  if (tool.foreign || foreign) taint(running, `“${tool.name}” brought foreign words.`);
  return (tool.foreign ? fenced(shorter, tool.name) : shorter) + told;
}

/** What is kept before it is delivered is kept as it will be sent: nobody but the system speaks behind its mark. */
export function neutral(who: Pick<TurnIdentity, "session" | "tell">, words: string): string {
  const secret = who.session.baseline?.secret;
  if (secret === undefined) return words;
  const plain = withoutMark(words, markOf(secret, sha256));
  if (plain !== words) tellPlain(who);
  return plain;
}
