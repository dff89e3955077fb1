import { faultFrom } from "../delivery/converters/sdk-call.ts";
import type { Answer, Fault, Model, ModelRequest, ModelResult } from "../delivery/model.ts";
import type { Receiver } from "../delivery/receiver.ts";
import { badArgument, isFunction, isObject, isText, kindOf } from "../prompt/argument.ts";
import { agentPartsOf } from "./agent.ts";
import { type AgentOptions, checkAgentOptions } from "./agent-options.ts";
import type { SchemaInput, StandardSchema } from "./schema.ts";
import { type OpenTurn, openTurnOf } from "./turn/open-turn.ts";
import { takeTurn } from "./turn/run-turn.ts";
import type { RunTurnOptions, TurnInput } from "./turn-interface.ts";

export type { CallVerdict, OpenTurn, TurnRequest, TurnStop } from "./turn/open-turn.ts";

/** An agent whose model a loop of your own asks: what `createAgent` takes, with a receiver in place of the model. */
export type OwnLoop<Context extends StandardSchema = StandardSchema> = Omit<
  AgentOptions<Context>,
  "model" | "loadModel"
> & {
  /** The receivers that requests are made for (`receiverOf`). Of a list, the first; on an outage the next. */
  readonly receiver: Receiver | readonly [Receiver, ...Receiver[]];
  /** Says that its model takes an answer's schema beside the words; without it, the schema is described in words. */
  readonly takesOutput?: true;
  /**
   * Asks the model to summarise a history that has become too long. A fault, or an error an SDK threw, is handled like one of an
   * answer: the same model is asked again, or the next. Without this function the oldest messages are left out, with a line that
   * says so.
   */
  readonly summarise?: (
    request: ModelRequest,
    about: { readonly receiver: Receiver; readonly signal: AbortSignal },
  ) => Promise<Answer | string | { readonly fault: Fault }>;
};

type LoopParts = ReturnType<typeof agentPartsOf>;

/** The parts of each loop, kept so that the history is not read from the store again with every turn. */
const partsByLoop = new WeakMap<object, LoopParts>();

/**
 * Opens a turn for a loop of your own: `createAgent` runs on the same. It holds its session until it ends, and is recorded from
 * now on; one that is left, or whose process dies, is interrupted when its time is up.
 */
export async function openTurn<Context extends StandardSchema = StandardSchema>(
  loop: OwnLoop<Context>,
  asked: TurnInput<SchemaInput<Context>>,
  watching: RunTurnOptions = {},
): Promise<OpenTurn> {
  const parts = partsByLoop.get(loop) ?? loopParts(loop as OwnLoop);
  partsByLoop.set(loop, parts);
  await parts.prepared();
  return openTurnOf(parts.deps, await takeTurn(parts.deps, asked, watching, "openTurn"));
}

function loopParts(loop: OwnLoop): LoopParts {
  if (!isObject(loop))
    throw badArgument(`What openTurn was given is ${kindOf(loop)}.`, "Give { charter, receiver, store }.");
  const { receiver, summarise, takesOutput, ...options } = loop;
  if (summarise !== undefined && !isFunction(summarise))
    throw badArgument(`The \`summarise\` of openTurn is ${kindOf(summarise)}.`, "Give a function that asks the model.");
  const [first, ...others] = (Array.isArray(receiver) ? receiver : [receiver]) as readonly Receiver[];
  const seats = [first, ...others].map((one) => seatModel(one, summarise, takesOutput)) as [Model, ...Model[]];
  checkAgentOptions({ ...options, model: seats[0] });
  return agentPartsOf({ ...options, models: seats, summarises: summarise !== undefined }, "openTurn");
}

/** Makes a model that is only asked for summaries: the loop asks its own model for answers. */
function seatModel(receiver: unknown, summarise: OwnLoop["summarise"], takesOutput: true | undefined): Model {
  if (!isReceiver(receiver))
    throw badArgument(
      `The \`receiver\` of openTurn is ${kindOf(receiver)}.`,
      'Give receiverOf("anthropic/claude-sonnet-4-5") of charter/delivery.',
    );
  return {
    receiver,
    takesToolChoice: true,
    ...(takesOutput ? { takesOutput } : {}),
    ask: async (request, { signal }): Promise<ModelResult> => {
      try {
        const summary = (await summarise?.(request, { receiver, signal })) ?? "";
        if (typeof summary === "string") return { answer: { ...noUse, text: summary } };
        return "fault" in summary ? summary : { answer: summary };
      } catch (error) {
        return { fault: faultFrom(error, receiver) };
      }
    },
  };
}

const noCounts = { input: null, read: null, written: null, output: null };
const noUse = { calls: [], finish: "stop", usage: noCounts } as const;

function isReceiver(value: unknown): value is Receiver {
  const { name, window, cache } = Object(value) as Partial<Receiver>;
  return isText(name) && window !== undefined && isObject(cache);
}
