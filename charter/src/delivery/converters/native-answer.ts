import { badArgument, isPromise, kindOf } from "../../prompt/argument.ts";
import type { Answer } from "../model.ts";
import { wholeAnswer } from "../models/answer.ts";
import { changeJson, unescapeTokens } from "../models/escape/wire-token.ts";
import { plainNative } from "../models/native.ts";
import { isReceiver, type Receiver } from "../receiver.ts";

type KeptContent = {
  readonly receiver: Receiver;
  readonly form: string;
  readonly content: readonly object[];
  /** Its text and its calls say it all. */
  readonly isPlain: boolean;
};

/** An answer with what came, kept as it came. Words that were escaped on the way there are turned back. */
export function nativeAnswer(
  answer: Omit<Answer, "native">,
  { receiver: { name: model, guardsTokens }, form, content, isPlain }: KeptContent,
): Answer {
  const native = isPlain ? undefined : plainNative({ model, form, content });
  return wholeAnswer(guardsTokens ? answer : unescapedAnswer(answer), native);
}

function unescapedAnswer<Some extends Pick<Answer, "text" | "calls">>(answer: Some): Some {
  const calls = answer.calls.map((call) => ({ ...call, input: changeJson(call.input, unescapeTokens) }));
  return { ...answer, text: unescapeTokens(answer.text), calls };
}

/** As OpenAI sent it: the helpers of its package add what they parsed of it, and OpenAI refuses that when it comes back. */
export function withoutParsed<Value>(value: Value): Value {
  const isAdded = (field: string) => field === "parsed" || field === "parsed_arguments";
  return JSON.parse(JSON.stringify(value), (field, one) => (isAdded(field) ? undefined : one)) as Value;
}

/** A response of another SDK, or of a stream that is not at its end, looks alike and would be read as an empty answer. */
export function checkedResponse(
  name: string,
  receiver: Receiver,
  { fits, given, wanted }: { readonly fits: boolean; readonly given: unknown; readonly wanted: string },
): void {
  if (!fits)
    throw badArgument(
      `The response that ${name} was given is ${kindOf(given)}.`,
      `${isPromise(given) ? "Await it first. " : ""}Give ${wanted}.`,
    );
  if (!isReceiver(receiver))
    throw badArgument(
      `The receiver that ${name} was given is ${kindOf(receiver)}.`,
      'Give the one that was asked: receiverOf("provider/model").',
    );
}

/** A response that says it failed is no answer. */
export function failedResponse(name: string, why: string): Error {
  return badArgument(
    `The response that ${name} was given is no answer: ${why}.`,
    "Read what is wrong with faultFrom(response.error, receiver).",
  );
}
