import { badArgument, isList, isPromise, kindOf } from "../../prompt/argument.ts";
import type { ModelRequest } from "../model.ts";
import { escapedRequest } from "../models/escape/escaped-request.ts";
import { mergeMessages } from "../models/merge-messages.ts";
import { withOutputWords } from "../output-words.ts";
import { splitModelName } from "../providers.ts";
import { isReceiver, type Receiver } from "../receiver.ts";

/** A form that a request can be given. */
type RequestForm = "toAiSdk" | "toAnthropic" | "toOpenAIResponses" | "toOpenAIChat";

/** The forms that these providers take. A provider that is not among them is not known well enough to say. */
const forms: Readonly<Record<string, readonly RequestForm[]>> = {
  acp: [],
  anthropic: ["toAnthropic", "toAiSdk"],
  azure: ["toOpenAIResponses", "toOpenAIChat", "toAiSdk"],
  google: ["toOpenAIChat", "toAiSdk"],
  openai: ["toOpenAIResponses", "toOpenAIChat", "toAiSdk"],
  "openai-chat": ["toOpenAIResponses", "toOpenAIChat", "toAiSdk"],
};

/**
 * The request of a delivery, checked to be one for this receiver, as it is given another form: escaped where who reads it
 * does not guard itself, its roles in turn where they must be. What the answer must be is said in words, which nobody refuses.
 */
export function checkedRequest(form: RequestForm, request: ModelRequest, receiver: Receiver): ModelRequest {
  const { system, messages, tools } = Object(request) as Partial<ModelRequest>;
  if (!isList(system) || !isList(messages) || !isList(tools))
    throw badArgument(
      `The request that ${form} was given is ${kindOf(request)}.`,
      `${isPromise(request) ? "Await it first. " : ""}Give the \`request\` of what deliver gave: ${form}(delivery.request, receiver).`,
    );
  if (!isReceiver(receiver))
    throw badArgument(
      `The receiver that ${form} was given is ${kindOf(receiver)}.`,
      'Give the one the prompt was delivered to: receiverOf("provider/model").',
    );
  checkForm(form, receiver);
  checkDelivery(form, request, receiver);
  const sent = receiver.guardsTokens ? request : escapedRequest(request);
  const worded = withOutputWords(sent);
  return receiver.roles === "alternate" ? { ...worded, messages: mergeMessages(worded.messages) } : worded;
}

function checkForm(form: RequestForm, { name }: Receiver): void {
  const { provider, model } = splitModelName(name);
  const taken = Object.hasOwn(forms, provider) ? forms[provider] : undefined;
  if (!taken || taken.includes(form)) return;
  const [own] = taken;
  const hint = own
    ? `Use ${own}. If a server of another protocol passes the model on, name that server: receiverOf("openai-compatible/${model}").`
    : "An agent over ACP keeps the conversation itself: give it to createAgent as a model.";
  throw badArgument(`${form} makes a body that “${name}” does not take.`, hint);
}

/** What was delivered to one receiver and is sent to another: its cache would be off, or its roles refused. */
function checkDelivery(form: RequestForm, { system, messages }: ModelRequest, receiver: Receiver): void {
  const { name, voice, cache, slots } = receiver;
  const marks = [...system, ...messages].some(({ breakpoint }) => breakpoint);
  const wantsMarks = cache.kind === "breakpoint" && cache.maxBreakpoints > 0 && slots === "layered";
  const wrong =
    voice === "user" && messages.some(({ role }) => role === "system")
      ? "has a message in the system's role, which this one takes as the user's"
      : marks && cache.kind !== "breakpoint"
        ? "has cache breakpoints, which this one has none of"
        : !marks && wantsMarks && messages.some(({ role }) => role !== "system")
          ? "has no cache breakpoint, so nothing of it would be cached"
          : undefined;
  if (wrong === undefined) return;
  throw badArgument(
    `The request that ${form} was given was made for another receiver than “${name}”: it ${wrong}.`,
    "Deliver the prompt to the receiver it is sent to: deliver({ receiver, … }).",
  );
}
