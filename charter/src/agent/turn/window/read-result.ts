import { z } from "zod";
import type { Baseline } from "../../../delivery/baseline.ts";
import { historyOf, type PastTurn } from "../../../delivery/history.ts";
import type { Message, ToolOffer } from "../../../delivery/model.ts";
import { toldLine } from "../../../delivery/show-attachments.ts";
import { defineTool, type Tool, type ToolContext, type ToolOutput } from "../../tool.ts";
import type { Toolset } from "../../toolset.ts";
import type { AgentDeps } from "../agent-deps.ts";
import { messagesOf } from "../live-session.ts";
import type { KeptResult, StepResult } from "../step-result.ts";
import type { TurnState, TurnView } from "../turn-state.ts";
import { cutWithin, readResultName, resultRoom, toldRest } from "./room.ts";

const about =
  "Reads on in the result of an earlier tool call that was too long to be shown whole, or in what was said before and left out.";
const ofHint = "Which one: as the line that tells of it says.";
const fromHint = "From which character on.";

export const readResultOffer: ToolOffer = {
  name: readResultName,
  description: about,
  input: {
    type: "object",
    properties: {
      of: { type: "string", description: ofHint },
      from: { type: "integer", minimum: 0, description: fromHint },
    },
    required: ["of", "from"],
    additionalProperties: false,
  },
};

const withOffer = new WeakMap<Toolset, readonly ToolOffer[]>();

/**
 * The tools a model is offered in the next step. Reading on is offered while a result that was shortened is among the
 * messages, or what was said before is left out: so nobody pays for it who does not need it.
 */
export function offersNow({ who: { session, toolset }, progress }: Pick<TurnView, "who" | "progress">) {
  const isLeftOut = session.baseline?.summary?.leftOut;
  if (!isLeftOut && !isNeeded(messagesOf(session.stretches)) && !isNeeded(progress.messages)) return toolset.offers;
  if (toolset.byName.has(readResultName)) return toolset.offers;
  const offers = withOffer.get(toolset) ?? [...toolset.offers, readResultOffer];
  withOffer.set(toolset, offers);
  return offers;
}

function isNeeded(messages: readonly Message[]): boolean {
  return messages.some(
    (message) =>
      message.role === "tool" && message.results.some(({ shortened, name }) => shortened || name === readResultName),
  );
}

const input = z.object({ of: z.string(), from: z.int().min(0) });

/** The tool itself, for one turn: how much of a result it shows depends on what is left. */
export function readResult(deps: AgentDeps, running: TurnState): Tool {
  return defineTool({
    name: readResultName,
    input,
    description: about,
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
      // A quoted line that is continued is quoted still.
      return { text: text[from - 1] === "\n" || from === 0 ? piece : `> ${piece}`, foreign };
    },
  });
}

/** What was kept of a result, if it is of this conversation. */
async function wholeOf(of: string, { store, scope, turn }: ToolContext): Promise<KeptResult["whole"]> {
  const [, from = "", step, index] = /^(.+)\/(\d+)\/(\d+)$/s.exec(of) ?? [];
  const { session } = await store.turns.get(turn, scope);
  const other = await store.turns.get(from, scope).catch(() => undefined);
  if (!other || other.session !== session || session === null) return undefined;
  const found = (await store.steps.of(from, scope)).find((one) => one.step === Number(step));
  return (found?.result as StepResult | null | undefined)?.results?.[Number(index)]?.whole;
}

/** What `read_result` reads a history by that was left out. No result has this name. */
const historyName = "history";

const line = `(More was said before this. It is left out here, since it was not summed up: ${readResultName} ${JSON.stringify({ of: historyName, from: 0 })} reads it from the beginning.)`;

/** What is left of a history that nobody summed up: the notes there were, behind the line that says what is missing. */
export function leftOutText(notes: string): string {
  return [line, notes.replaceAll(line, "").trim()].filter((part) => part !== "").join("\n");
}

/** Everything that was said up to where the session goes on, as it is on record. */
async function leftOutHistory(
  { store }: AgentDeps,
  { who: { session }, seat: { model } }: Pick<TurnState, "who" | "seat">,
): Promise<KeptResult["whole"]> {
  const { baseline } = session;
  const summary = baseline?.summary;
  if (!summary?.leftOut) return undefined;
  const all = await store.sessions.history(session.id);
  const told = all.slice(0, all.findIndex(({ id }) => id === summary.until) + 1).map((turn) => {
    if (turn.id !== summary.until || summary.step === undefined) return turn;
    const steps = turn.steps.filter(({ step }) => step <= (summary.step as number));
    return { ...turn, state: "answered", reply: null, steps };
  });
  const plain: Baseline = { ...baseline, summary: null, updates: [] } as Baseline;
  const stretches = historyOf(told as readonly PastTurn[], plain, model.receiver);
  const text = stretches.flatMap(({ messages }) => messages.map(written)).join("\n\n");
  return { text, ...(stretches.some(({ tainted }) => tainted) ? { foreign: true } : {}) };
}

function written(message: Message): string {
  if (message.role === "tool")
    return message.results.map(({ name, output }) => `${name} returned: ${output}`).join("\n");
  if (message.role === "assistant") {
    const calls = message.calls.map(({ name, input }) => `You called ${name} ${input}`);
    return [...(message.text === "" ? [] : [`You: ${message.text}`]), ...calls].join("\n");
  }
  const files = (message.attachments ?? []).map((one) => toldLine(one, "was shown"));
  return [`Person: ${message.text}`, ...files].join("\n");
}
