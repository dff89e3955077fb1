import { toldLine } from "../../delivery/attachments.ts";
import type { Baseline } from "../../delivery/baseline.ts";
import { historyOf, type PastTurn } from "../../delivery/history.ts";
import type { Message } from "../../delivery/model.ts";
import { defineTool, type Tool, type ToolContext, type ToolOutput, toolInput } from "../tool.ts";
import { cutWithin, historyName, readResultName, readResultOffer, resultRoom, toldRest } from "./room.ts";
import type { AgentDeps, KeptResult, StepResult, TurnState } from "./turn-state.ts";

const input = toolInput((z) => ({ of: z.string(), from: z.int().min(0) }));

/** Makes the tool for one turn: how much of a result it shows depends on the room left. */
export function readResult(deps: AgentDeps, running: TurnState): Tool {
  return defineTool({
    name: readResultName,
    input,
    description: readResultOffer.description,
    run: async ({ of, from }, context): Promise<ToolOutput> => {
      const whole = of === historyName ? await leftOutHistory(deps, running) : await wholeOf(of, context);
      if (!whole) return { text: `There is no result “${of}” in this conversation that was shortened.`, failed: true };
      const { text, foreign } = whole;
      if (from >= text.length)
        return { text: `“${of}” has ${text.length} characters: there is nothing from ${from} on.` };
      const { tokenizer } = running.who;
      const end = from + cutWithin(text.slice(from), Math.max(40, resultRoom(running) - 60), tokenizer);
      const piece = text.slice(from, end) + toldRest(of, text, end);
      if (!foreign) return { text: piece };
      // Quoted lines stay quoted when they are continued.
      return { text: text[from - 1] === "\n" || from === 0 ? piece : `> ${piece}`, foreign };
    },
  });
}

/** Finds the whole text of a result, if it belongs to this conversation. */
async function wholeOf(of: string, { store, scope, turn }: ToolContext): Promise<KeptResult["whole"]> {
  const [, from = "", step, index] = /^(.+)\/(\d+)\/(\d+)$/s.exec(of) ?? [];
  const { session } = await store.turns.get(turn, scope);
  const other = await store.turns.get(from, scope).catch(() => undefined);
  if (!other || other.session !== session || session === null) return undefined;
  const recorded = (await store.steps.of(from, scope)).find((one) => one.step === Number(step));
  return (recorded?.result as StepResult | null | undefined)?.results?.[Number(index)]?.whole;
}

/** Writes out the history up to where the session goes on, from the record. */
async function leftOutHistory(
  { store }: AgentDeps,
  { who: { session }, seat: { model } }: Pick<TurnState, "who" | "seat">,
): Promise<KeptResult["whole"]> {
  const { baseline } = session;
  const summary = baseline?.summary;
  if (!summary?.leftOut) return undefined;
  const all = await store.sessions.history(session.id);
  const past = all.slice(0, all.findIndex(({ id }) => id === summary.until) + 1).map((turn) => {
    if (turn.id !== summary.until || summary.step === undefined) return turn;
    const steps = turn.steps.filter(({ step }) => step <= (summary.step as number));
    return { ...turn, state: "answered", reply: null, steps };
  });
  const plain: Baseline = { ...baseline, summary: null, updates: [] } as Baseline;
  const stretches = historyOf(past as readonly PastTurn[], plain, model.receiver);
  const text = stretches.flatMap(({ messages }) => messages.map(messageText)).join("\n\n");
  return { text, ...(stretches.some(({ tainted }) => tainted) ? { foreign: true } : {}) };
}

function messageText(message: Message): string {
  if (message.role === "tool")
    return message.results.map(({ name, output }) => `${name} returned: ${output}`).join("\n");
  if (message.role === "assistant") {
    const calls = message.calls.map(({ name, input }) => `You called ${name} ${input}`);
    return [...(message.text === "" ? [] : [`You: ${message.text}`]), ...calls].join("\n");
  }
  const files = (message.attachments ?? []).map((one) => toldLine(one, "was shown"));
  return [`Person: ${message.text}`, ...files].join("\n");
}
