import type { Fault, Model, ToolCall } from "../../../charter/src/delivery/model.ts";
import { receiverOf } from "../../../charter/src/delivery/providers.ts";
import { standIn } from "../../../charter/src/delivery/stand-in.ts";
import { viewOf } from "../../../charter/src/delivery/stand-in-view.ts";

/** What a model does when it is asked these very words: tools, step by step, and then what it says; or why it fails. */
export type Told =
  | { readonly calls?: readonly (readonly (readonly [tool: string, input: object])[])[]; readonly says: string }
  | { readonly fault: Fault };

/**
 * The stand-in, which knows what to say where it was told so, under any model's name: it counts and is billed as that
 * one would be. The cache it reckons with is as old as the clock says.
 */
export function toldModel(name: string, clock: () => Date, told: ReadonlyMap<string, Told>): Model {
  const model = standIn({ now: clock });
  // The stand-in takes the last words in the user's voice for the user's.
  const receiver = name === model.receiver.name ? model.receiver : receiverOf(name, { voice: "system" });
  return {
    receiver,
    ask: async (request, asking) => {
      const { asked, steps } = viewOf(request);
      const line = told.get(asked);
      if (line === undefined) return model.ask(request, asking);
      if ("fault" in line) return { fault: line.fault };
      const { answer, fault } = await model.ask(request, { signal: asking.signal });
      if (fault) return { fault };
      const step = line.calls?.[steps.length];
      const calls = (step ?? []).map(
        ([tool, input], index): ToolCall => ({
          id: `call_${steps.length + 1}_${index + 1}`,
          name: tool,
          input: JSON.stringify(input),
        }),
      );
      const text = step ? "" : line.says;
      for (const piece of text.match(/\S+\s*/g) ?? []) asking.onText?.(piece);
      const written = text + calls.map(({ name: tool, input }) => tool + input).join("");
      const usage = { ...answer.usage, output: Math.ceil(written.length / 4) };
      return { answer: { text, calls, finish: step ? "tool-calls" : "stop", usage } };
    },
  };
}
