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
  /** Whom requests are made for (`receiverOf`). Of a list, the first; on an outage the next. */
  readonly receiver: Receiver | readonly [Receiver, ...Receiver[]];
  /** Its model takes an answer's schema beside the words; it is told in words, unless given. */
  readonly takesOutput?: true;
  /**
   * Asks the model to sum up a history that has become too long, as it is asked for answers. A fault, or what an SDK threw,
   * is met as one of an answer is: the same model is asked again, or the next. Without this, the oldest is left out, which
   * is said.
   */
  readonly summarise?: (
    request: ModelRequest,
    about: { readonly receiver: Receiver; readonly signal: AbortSignal },
  ) => Promise<Answer | string | { readonly fault: Fault }>;
};

type LoopParts = ReturnType<typeof agentPartsOf>;

/** One loop has one set of parts: what was said is not read from the store again with every turn. */
const known = new WeakMap<object, LoopParts>();

/**
 * Opens a turn for a loop of your own: `createAgent` runs on the same. It holds its session until it ends, and is on record
 * from now on; one that is left, or whose process dies, is interrupted when its time is up.
 */
export async function openTurn<Context extends StandardSchema = StandardSchema>(
  loop: OwnLoop<Context>,
  asked: TurnInput<SchemaInput<Context>>,
  watching: RunTurnOptions = {},
): Promise<OpenTurn> {
  const parts = known.get(loop) ?? loopParts(loop as OwnLoop);
  known.set(loop, parts);
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

/** The loop asks its model itself; all that is asked of it here is to sum up. */
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
        const said = (await summarise?.(request, { receiver, signal })) ?? "";
        if (typeof said === "string") return { answer: { ...noUse, text: said } };
        return "fault" in said ? said : { answer: said };
      } catch (error) {
        return { fault: faultFrom(error, receiver) };
      }
    },
  };
}

const nothing = { input: null, read: null, written: null, output: null };
const noUse = { calls: [], finish: "stop", usage: nothing } as const;

function isReceiver(value: unknown): value is Receiver {
  const { name, window, cache } = Object(value) as Partial<Receiver>;
  return isText(name) && window !== undefined && isObject(cache);
}
