import { badArgument, isList, isPromise, isRecord, isText, kindOf } from "../../prompt/argument.ts";
import type { Answer, Fault, ModelRequest } from "../model.ts";
import { plainNative, wholeAnswer } from "../models/answer.ts";
import { changeJson, escapedRequest, unescapeTokens } from "../models/escape.ts";
import { abortedFault, errorWords, faultOf } from "../models/fault.ts";
import { mergeMessages, withOutputWords } from "../models/wire.ts";
import { isReceiver, type Receiver, splitModelName } from "../receiver.ts";

/** Names of the functions that convert a request. */
type RequestForm = "toAiSdk" | "toAnthropic" | "toOpenAIResponses" | "toOpenAIChat";

/** The conversions that each provider takes. Of an unlisted provider this is not known, so all are allowed. */
const forms: Readonly<Record<string, readonly RequestForm[]>> = {
  acp: [],
  anthropic: ["toAnthropic", "toAiSdk"],
  azure: ["toOpenAIResponses", "toOpenAIChat", "toAiSdk"],
  google: ["toOpenAIChat", "toAiSdk"],
  openai: ["toOpenAIResponses", "toOpenAIChat", "toAiSdk"],
  "openai-chat": ["toOpenAIResponses", "toOpenAIChat", "toAiSdk"],
};

/**
 * Checks that a request fits this receiver, and prepares it for conversion: control tokens are escaped where the receiver does
 * not guard itself, and roles alternate where they must. The form of the answer is stated in words, which every receiver takes.
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

/** Rejects a request that was delivered for another receiver: its cache would be off, or its roles refused. */
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

type KeptContent = {
  readonly receiver: Receiver;
  readonly form: string;
  readonly content: readonly object[];
  /** Shows that text and calls are all there is. */
  readonly isPlain: boolean;
};

/** Makes an answer that keeps its native content as it came. Text that was escaped on the way there is turned back. */
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

/** Removes what the helpers of OpenAI's package add to a response: OpenAI refuses the parsed fields when they come back. */
export function withoutParsed<Value>(value: Value): Value {
  const isAdded = (field: string) => field === "parsed" || field === "parsed_arguments";
  return JSON.parse(JSON.stringify(value), (field, one) => (isAdded(field) ? undefined : one)) as Value;
}

/** Checks a response: one of another SDK, or of an unfinished stream, looks alike and would be read as an empty answer. */
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

/** Makes the Problem of a response that reports a failure, and so is no answer. */
export function failedResponse(name: string, why: string): Error {
  return badArgument(
    `The response that ${name} was given is no answer: ${why}.`,
    "Read what is wrong with faultFrom(response.error, receiver).",
  );
}

/** The common fields of the SDKs' errors. OpenAI's and Anthropic's have `status`, `headers` and the body as `error`. */
type SdkError = {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly headers?: unknown;
  readonly error?: unknown;
  readonly lastError?: unknown;
  readonly cause?: unknown;
};

/**
 * Explains why there is no answer, from the error of an SDK: Anthropic's, OpenAI's (and so LangChain's), the AI SDK's, or of
 * `fetch` itself. The provider's own text is part of it; a key never is, nor are `secrets`.
 */
export function faultFrom(error: unknown, receiver: Pick<Receiver, "name">, secrets: readonly string[] = []): Fault {
  const { name } = Object(receiver) as Receiver;
  if (!isText(name))
    throw badArgument(
      `The receiver that faultFrom was given is ${kindOf(receiver)}.`,
      "Give faultFrom(error, receiver).",
    );
  const met = innermost(error) ?? new Error();
  return isAbort(met) ? abortedFault(name) : faultOf(failureOf(met), name, secrets);
}

/** Unwraps an error: the AI SDK retries by itself and wraps the last error; others wrap one as its cause. */
function innermost(error: unknown, depth = 0): unknown {
  const { lastError, cause } = Object(error) as SdkError;
  if (depth > 4 || statusOf(error) !== undefined) return error;
  if (lastError !== undefined) return innermost(lastError, depth + 1);
  return statusOf(cause) === undefined && !isAbort(cause) ? error : innermost(cause, depth + 1);
}

function isAbort(error: unknown): boolean {
  const { name, message } = Object(error) as SdkError;
  // OpenAI's own errors have no name of their own.
  return name === "AbortError" || name === "APIUserAbortError" || message === "Request was aborted.";
}

/** Converts an error to the shape of the AI SDK's. */
function failureOf(error: unknown): unknown {
  const { status: _status, statusCode, headers, error: body, message } = Object(error) as SdkError;
  if (statusCode !== undefined) return error;
  const status = statusOf(error);
  if (status === undefined) return isConnection(error) ? new TypeError(connectionWords(error)) : error;
  const [text = typeof message === "string" ? message : ""] = errorWords(body).texts;
  return {
    message: text,
    statusCode: status,
    responseHeaders: headersOf(headers),
    responseBody: JSON.stringify(body ?? error),
  };
}

function statusOf(error: unknown): number | undefined {
  const { status, statusCode, error: body } = Object(error) as SdkError;
  const number = [status, statusCode].find((one) => typeof one === "number");
  if (number !== undefined) return number;
  // Looks for a code in place of a status, as in an error inside a stream or in the body of a response that is no answer.
  const { codes } = errorWords([error instanceof Error ? undefined : error, body]);
  return codes.map((code) => statuses[code]).find((one) => one !== undefined);
}

const statuses: Readonly<Record<string, number>> = {
  authentication_error: 401,
  invalid_api_key: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  model_not_found: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  api_error: 500,
  server_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** Returns true if no response came: the SDKs say so in these words, and give the error of `fetch` as the cause. */
function isConnection(error: unknown): boolean {
  const { name, message } = Object(error) as SdkError;
  return /^APIConnection/.test(String(name)) || /^(?:Connection error|Request timed out)\.$/.test(String(message));
}

function connectionWords(error: unknown): string {
  const { message, cause } = Object(error) as SdkError;
  const inner = isRecord(cause) || cause instanceof Error ? (cause as SdkError) : {};
  const deepest = inner.cause instanceof Error ? inner.cause.message : inner.message;
  return String(deepest || message);
}

function headersOf(headers: unknown): Readonly<Record<string, string>> {
  if (headers instanceof Headers) return Object.fromEntries(headers);
  return isRecord(headers) ? (headers as Record<string, string>) : {};
}
