import { z } from "zod";
import type { Message, ToolOffer } from "../../../delivery/model.ts";
import { defineTool, type Tool, type ToolContext, type ToolOutput } from "../../tool.ts";
import type { Toolset } from "../../toolset.ts";
import { messagesOf } from "../live-session.ts";
import type { KeptResult, StepResult } from "../step-result.ts";
import type { AgentDeps, TurnState, TurnView } from "../turn-state.ts";
import { historyName, leftOutHistory } from "./left-out.ts";
import { cutWithin, readResultName, resultRoom, toldRest } from "./result-room.ts";

const about =
  "Reads on in the result of an earlier tool call that was too long to be shown whole, or in what was said before and left out.";
const ofHint = "Which one: as the line that tells of it says.";
const fromHint = "From which character on.";

const offer: ToolOffer = {
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
  const offers = withOffer.get(toolset) ?? [...toolset.offers, offer];
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
