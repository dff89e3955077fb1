import type { LanguageModelV4 } from "@ai-sdk/provider";
import { badArgument, isText, kindOf } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Fault, Model, ModelRequest, ModelResult } from "../model.ts";
import { providerNames, type Receiver, splitModelName } from "../receiver.ts";
import { readAnswer } from "./answer.ts";
import { escapedRequest } from "./escape.ts";
import { abortedFault, cutFault, faultOf, tooLongFault } from "./fault.ts";
import { givenReceiver, heardBy } from "./find-model.ts";
import { isLanguageModel, type LanguageModel, specificationVersions } from "./model-entry.ts";
import { callOptions, dialectOf, hasFormatField, refusesFormat, unescapedStream, withOutputWords } from "./wire.ts";

/**
 * Makes a `Model` of a language model of the AI SDK. A request is sent as it is, once; nothing is retried. For a server that is
 * not known to guard itself, control tokens are escaped, and turned back in its answer. The receiver is by default what is known
 * about a model of that provider and name. `secrets` are removed from the texts of faults.
 */
export function modelOf(given: LanguageModel, known?: Receiver, secrets: readonly string[] = []): Model {
  if (!isLanguageModel(given) || (known !== undefined && !isText(known?.name))) throw notLanguageModel(given);
  const receiver = known === undefined ? givenReceiver(given) : heardBy(given, known);
  // Treats all versions as v4: in what is used here, they differ only in how a tool call goes back and how a stream ends.
  const language = given as unknown as LanguageModelV4;
  const { name } = receiver;
  const dialect = dialectOf(given, receiver);
  const refused = createRefused();
  return {
    receiver,
    takesOutput: true,
    takesToolChoice: true,
    async ask(given, { signal, onText = () => {} }): Promise<ModelResult> {
      if (signal.aborted) return { fault: abortedFault(name) };
      const start = (request: ModelRequest) => {
        const sent = receiver.guardsTokens ? request : escapedRequest(request);
        const options = { ...callOptions(sent, receiver, dialect), abortSignal: signal };
        return attempt(() => language.doStream(options));
      };
      const { output } = given;
      const field = output && !refused.has(output) && hasFormatField(language, given) ? output : undefined;
      let started = await start(field ? given : withOutputWords(given));
      if (field && "error" in started && refusesFormat(started.error) && !signal.aborted) {
        started = await start(withOutputWords(given));
        if (!("error" in started)) refused.add(field);
      }
      if ("error" in started)
        return { fault: signal.aborted ? abortedFault(name) : faultOf(started.error, name, secrets) };
      const { stream } = started.value;
      const read = await readAnswer(receiver.guardsTokens ? stream : unescapedStream(stream), name, onText);
      if (read.answer) return { answer: read.answer };
      if (signal.aborted) return { fault: abortedFault(name) };
      return { fault: brokenFault(read, name, secrets) };
    },
  };
}

type BrokenStream = { readonly error: unknown; readonly began: boolean };

/** Makes the fault of a stream that opened well but brought no answer. */
export function brokenFault({ error, began }: BrokenStream, name: string, secrets: readonly string[] = []): Fault {
  const tooLong = began ? undefined : tooLongFault(error, name, secrets);
  if (tooLong) return tooLong;
  return !began && hasStatus(error) ? faultOf(error, name, secrets) : cutFault(name, error, secrets);
}

type Output = NonNullable<ModelRequest["output"]>;

/** Remembers the schemas a model refused in its own field: the next request states them in words at once. */
function createRefused() {
  const known = new Set<string>();
  return {
    has: ({ schema }: Output) => known.has(JSON.stringify(schema)),
    add: ({ schema }: Output) => {
      if (known.size >= 100) known.clear();
      known.add(JSON.stringify(schema));
    },
  };
}

function notLanguageModel(given: unknown): Problem {
  const wanted =
    'modelOf(language, receiver): a model of the AI SDK, and receiverOf("provider/model") where you know more of it.';
  if (isLanguageModel(given)) return badArgument("The receiver that modelOf was given is none.", `Give ${wanted}`);
  return new Problem("bad-model", `The model that modelOf was given is ${kindOf(given)}.`, `Give ${wanted}`);
}

/**
 * Returns true for an error inside a stream with a status: before the first word it is as good as a response with that status.
 */
function hasStatus(error: unknown): boolean {
  return typeof (error as { statusCode?: unknown } | undefined)?.statusCode === "number";
}

async function attempt<Value>(
  act: () => PromiseLike<Value>,
): Promise<{ readonly value: Value } | { readonly error: unknown }> {
  try {
    return { value: await act() };
  } catch (error) {
    return { error };
  }
}

/** Returns a given model as one that can be asked: ours as it is, one of the AI SDK converted. */
export function givenModel(given: Model | LanguageModel, label: string): Model {
  if (isModel(given)) return given;
  if (isLanguageModel(given) && specificationVersions.includes(given.specificationVersion)) return modelOf(given);
  throw notModel(given, label);
}

/** Loads a model by its name. */
export type ModelLoader = (name: string) => Model | LanguageModel | Promise<Model | LanguageModel>;

/** Wraps a loader so that it returns a model that can be asked. */
export function modelLoader(load: ModelLoader): (name: string) => Promise<Model> {
  return async (name) => givenModel(await load(name), `What loadModel gave for “${name}”`);
}

function isModel(given: unknown): given is Model {
  const { ask, receiver } = Object(given) as Partial<Model>;
  return typeof ask === "function" && typeof receiver?.name === "string";
}

const howToLoad = '`await loadModel("provider/model", { env: process.env })` of charter/delivery';

function notModel(given: unknown, label: string): Problem {
  if (given === undefined || given === null)
    return new Problem("no-model", `${label} is not given.`, `Give ${howToLoad}, or a model of the AI SDK.`);
  const bad = (is: string, hint: string) => new Problem("bad-model", `${label} is ${is}.`, hint);
  // Repeats only a plain model name in the message: another text may be a key.
  if (typeof given === "string" && !providerNames.includes(splitModelName(given).provider))
    return bad("a text", `Give ${howToLoad}, or a model of the AI SDK.`);
  if (typeof given === "string")
    return bad(
      `the name “${given}”`,
      `Load it: \`await loadModel("${given}", { env: process.env })\` of charter/delivery.`,
    );
  if (typeof (given as { then?: unknown }).then === "function")
    return bad("a promise", "Await it: `model: await loadModel(…)`.");
  if (isLanguageModel(given))
    return bad(
      `“${given.modelId}” of ${given.provider}, made for version “${given.specificationVersion}” of the AI SDK's models`,
      `The versions that are known are ${specificationVersions.join(", ")}: use a provider package of AI SDK 5, 6 or 7.`,
    );
  if (typeof given === "function")
    return bad(
      "a function",
      'Give a model. A provider of the AI SDK is called with a model\'s name: `openai("gpt-…")`.',
    );
  return bad("no model", `Give ${howToLoad}, a model of the AI SDK, or an object with \`receiver\` and \`ask\`.`);
}
