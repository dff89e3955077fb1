import { prose, rng, sentence } from "../workloads/rng.ts";

/** A tool as a model is told of it; `input` is a JSON Schema. */
export type ToolOffer = {
  readonly name: string;
  readonly description: string;
  readonly input: {
    readonly type: "object";
    readonly properties: Readonly<Record<string, { readonly type: "string"; readonly description: string }>>;
    readonly required: readonly string[];
    readonly additionalProperties: false;
  };
};

/** What the model asks of a tool, its arguments as JSON, and what the tool says. */
export type Call = { readonly id: string; readonly name: string; readonly input: string; readonly output: string };

export type Talk = { readonly input: string; readonly calls: readonly Call[]; readonly reply: string };

/** Turn by turn the same words, however many turns there are: 300 tokens in, 400 out; 60 and 250 a call, or as said. */
export function talkOf(turn: number, calls: number, tools: readonly string[], resultLength = 1215): Talk {
  const random = rng(70_001 + turn);
  const input = prose(random, 1455);
  const reply = prose(random, 1940);
  return {
    input,
    reply,
    calls: Array.from({ length: calls }, (_, index) => ({
      id: `call-${turn}-${index}`,
      name: random.pick(tools),
      input: JSON.stringify({ subject: prose(random, 145), detail: prose(random, 110) }),
      output: prose(random, resultLength),
    })),
  };
}

/** Offers of 3,000 tokens together, however many tools they are for. */
export function offersOf(names: readonly string[]): ToolOffer[] {
  const random = rng(71);
  const words = Math.round(14_200 / names.length - 358);
  return names.map((name) => ({
    name,
    description: prose(random, words),
    input: {
      type: "object",
      properties: {
        subject: { type: "string", description: sentence(random) },
        detail: { type: "string", description: sentence(random) },
      },
      required: ["subject", "detail"],
      additionalProperties: false,
    },
  }));
}
