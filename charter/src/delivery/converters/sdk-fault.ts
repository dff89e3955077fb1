import { badArgument, isRecord, isText, kindOf } from "../../prompt/argument.ts";
import type { Fault } from "../model.ts";
import { errorWords } from "../models/error-words.ts";
import { abortedFault, faultOf } from "../models/fault.ts";
import type { Receiver } from "../receiver.ts";

/** What errors of the SDKs have in common. OpenAI's and Anthropic's have `status`, `headers` and the body as `error`. */
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
 * Why there is no answer, read from what an SDK threw: Anthropic's, OpenAI's (and so LangChain's), the AI SDK's, or `fetch`
 * itself. The provider's own words are in it; a key never is, nor are `secrets`.
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

/** The AI SDK tries again by itself and wraps the last error; others wrap one as its cause. */
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

/** An error in the shape that the AI SDK's have. */
function failureOf(error: unknown): unknown {
  const { status: _status, statusCode, headers, error: body, message } = Object(error) as SdkError;
  if (statusCode !== undefined) return error;
  const status = statusOf(error);
  if (status === undefined) return isConnection(error) ? new TypeError(connectionWords(error)) : error;
  const [said = typeof message === "string" ? message : ""] = errorWords(body).texts;
  return {
    message: said,
    statusCode: status,
    responseHeaders: headersOf(headers),
    responseBody: JSON.stringify(body ?? error),
  };
}

function statusOf(error: unknown): number | undefined {
  const { status, statusCode, error: body } = Object(error) as SdkError;
  const found = [status, statusCode].find((one) => typeof one === "number");
  if (found !== undefined) return found;
  // What is told inside a stream, or in the body of a response that is no answer, has a word in place of a status.
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

/** No response came: the SDKs say so in these words, and give what fetch said as the cause. */
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
