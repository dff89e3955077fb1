import type { LanguageModelV4 } from "@ai-sdk/provider";
import { badArgument, isText, kindOf } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Model, ModelResult } from "../model.ts";
import { receiverOf } from "../providers.ts";
import type { Receiver } from "../receiver.ts";
import { readAnswer } from "./answer.ts";
import { dialectOf } from "./dialect.ts";
import { abortedFault, cutFault, faultOf, tooLongFault } from "./fault.ts";
import { isLanguageModel, type LanguageModel, languageModelName } from "./language-model.ts";
import { callOptions } from "./wire.ts";

/**
 * Makes a `Model` of a language model of the AI SDK. A request is sent as it is, once; nothing is retried. Unless a
 * receiver is given, it is what is known about a model of that provider and name. `secrets` are removed from what
 * faults say.
 */
export function modelOf(given: LanguageModel, known?: Receiver, secrets: readonly string[] = []): Model {
  if (!isLanguageModel(given) || (known !== undefined && !isText(known?.name))) throw notLanguageModel(given);
  const receiver = known ?? receiverOf(languageModelName(given));
  // Of what is asked and read here, the versions differ in how a tool call goes back and how a stream ends.
  const language = given as unknown as LanguageModelV4;
  const { name } = receiver;
  const dialect = dialectOf(given, receiver);
  return {
    receiver,
    async ask(request, { signal, onText = () => {} }): Promise<ModelResult> {
      if (signal.aborted) return { fault: abortedFault(name) };
      const options = { ...callOptions(request, name, dialect), abortSignal: signal };
      const started = await attempt(() => language.doStream(options));
      if ("error" in started)
        return { fault: signal.aborted ? abortedFault(name) : faultOf(started.error, name, secrets) };
      const read = await readAnswer(started.value.stream, name, onText);
      if (read.answer) return { answer: read.answer };
      if (signal.aborted) return { fault: abortedFault(name) };
      const tooLong = read.began ? undefined : tooLongFault(read.error, name, secrets);
      if (tooLong) return { fault: tooLong };
      const refused = !read.began && hasStatus(read.error);
      return { fault: refused ? faultOf(read.error, name, secrets) : cutFault(name, read.error, secrets) };
    },
  };
}

function notLanguageModel(given: unknown): Problem {
  const wanted =
    'modelOf(language, receiver): a model of the AI SDK, and receiverOf("provider/model") where you know more of it.';
  if (isLanguageModel(given)) return badArgument("The receiver that modelOf was given is none.", `Give ${wanted}`);
  return new Problem("bad-model", `The model that modelOf was given is ${kindOf(given)}.`, `Give ${wanted}`);
}

/** Providers report some errors inside a stream that opened well; before the first word they are as good as a status. */
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
