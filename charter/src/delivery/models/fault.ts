import { defined, isRecord } from "../../prompt/argument.ts";
import { reasonOf } from "../../prompt/problem.ts";
import type { AttachmentKind } from "../../prompt/step-result.ts";
import type { Fault } from "../model.ts";

/** The fields of the AI SDK's errors about a response: by their shape, since the package that makes them is loaded late. */
type Failure = {
  readonly message?: unknown;
  readonly statusCode?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
  readonly data?: unknown;
  readonly cause?: unknown;
};

/** Makes the fault of a failed request. The provider's own text is part of it, a key never is. */
export function faultOf(error: unknown, name: string, secrets: readonly string[]): Fault {
  const failure = (typeof error === "object" && error !== null ? error : {}) as Failure;
  const status = failure.statusCode;
  const text = errorText(error, secrets);
  const afterMs = retryAfterMs(failure);
  const after = afterMs === undefined ? {} : { afterMs };
  const tooLong = tooLongFault(error, name, secrets);
  if (tooLong) return tooLong;
  if (status === undefined) return withoutStatus(failure, name, text);
  if (status === 429 && isOutOfQuota(failure))
    return rejected(`“${name}” has no quota left (429): ${text}`, { outage: true });
  if (status === 429 || status === 503 || status === 529)
    return { code: "model-busy", message: `“${name}” is busy (${status}): ${text}`, retry: true, ...after };
  if (status >= 300 && status < 400) {
    const message = `“${name}” cannot be reached: its server sends requests elsewhere (${status}), and they do not go there.`;
    return { code: "model-unreachable", message, retry: false };
  }
  // The response itself was good: its body broke off.
  if (status < 400) return cutFault(name, error, secrets);
  // Some providers answer with status 500 what they will never take.
  const refusedKind = refusedKindOf({ status, body: failure.responseBody, said: error });
  const isFailure = status === 408 || status === 409 || status >= 500;
  if (isFailure && !(status === 500 && refusedKind))
    return { code: "model-failed", message: `“${name}” failed (${status}): ${text}`, retry: true, ...after };
  const message = `“${name}” rejected the request (${status}): ${text}`;
  if (refusedKind) return rejected(message, { refusedKind });
  if (isBound(failure)) return rejected(message, { bound: true });
  return rejected(message, isRefused(failure) ? { outage: true } : {});
}

function rejected(message: string, about: Partial<Fault>): Fault {
  return { code: "model-rejected", message, retry: false, ...about };
}

/** Returns true for Anthropic's refusal of reasoning after other messages than those it was made after. */
function isBound({ responseBody, message }: Failure): boolean {
  return errorWords([responseBody, message]).texts.some((text) => /bound to a different conversation/i.test(text));
}

/**
 * Returns true for a rejected key, an account without money, or an unknown model. Some providers say so with 400 and in words.
 */
function isRefused({ statusCode = 0, responseBody = "", message }: Failure): boolean {
  if ([401, 402, 403, 404].includes(statusCode)) return true;
  const [text = ""] = errorWords(responseBody).texts;
  return statusCode === 400 && refusals.some((words) => words.test(`${text} ${String(message)}`));
}

const refusals = [
  /\b(?:api|access)[ _-]?key\b/i,
  /\bmodel\b.*\b(?:not found|does not exist|not exist|unknown|not supported|no longer)\b/i,
  /\b(?:unknown|invalid|not a valid) model\b/i,
];

/** Returns the fault of a request with too many tokens, if the provider reported that: with a status, or in its stream. */
export function tooLongFault(error: unknown, name: string, secrets: readonly string[]): Fault | undefined {
  const { statusCode, responseBody } = Object(error) as Failure;
  const tooLong = tooLongOf({ status: statusCode, body: responseBody, said: error });
  if (!tooLong) return undefined;
  const status = statusCode === undefined || statusCode < 400 ? "" : ` (${statusCode})`;
  // Prefers the body's text: a package that does not know the form of an error only names its status.
  const [words] = errorWords(responseBody).texts;
  const message = `“${name}” rejected the request${status}: ${errorText(words ?? error, secrets)}`;
  return rejected(message, { tooLong });
}

export function abortedFault(name: string): Fault {
  return { code: "model-aborted", message: `The request to “${name}” was called off.`, retry: false };
}

export function cutFault(name: string, error: unknown, secrets: readonly string[]): Fault {
  const cause = (error as Failure | undefined)?.cause ?? error;
  const text = cause === undefined ? "" : errorText(cause, secrets);
  // Drops “terminated”, which fetch says of every lost connection.
  const why = text === "" || text === "terminated" ? "." : `: ${text}`;
  return { code: "model-cut", message: `The answer of “${name}” broke off before its end${why}`, retry: true };
}

/** The message of Anthropic's SDK where there is no key. */
const noKey = /^Could not resolve authentication method/;

/** Makes the fault of a request without a status: no response at all, half of one, or a request the AI SDK would not send. */
function withoutStatus(failure: Failure, name: string, text: string): Fault {
  const kind = failure instanceof Error ? failure.name : "";
  if (kind === "AI_UnsupportedFunctionalityError" || kind === "AI_InvalidPromptError")
    return rejected(
      `“${name}” cannot be asked this: ${text}`,
      /image/i.test(text) ? { refusedKind: "image" } : /pdf|file part/i.test(text) ? { refusedKind: "pdf" } : {},
    );
  if (kind === "AI_LoadAPIKeyError" || noKey.test(text))
    return rejected(`“${name}” was not asked: ${text}`, { outage: true });
  if (text === "terminated") return cutFault(name, undefined, []);
  if (kind === "AI_APICallError" || failure instanceof TypeError)
    return { code: "model-unreachable", message: `“${name}” cannot be reached: ${text}`, retry: true };
  return { code: "model-failed", message: `“${name}” failed: ${text}`, retry: true };
}

function errorText(error: unknown, secrets: readonly string[]): string {
  const { message, cause } = (error ?? {}) as Failure;
  const own = typeof message === "string" ? message : reasonOf(error);
  const text = own || (cause instanceof Error ? cause.message : "");
  return redact(text, secrets).slice(0, 500) || "it did not say why";
}

/** Removes keys: some providers repeat a part of the key in their messages. */
export function redact(words: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length > 0);
  const without = known.reduce((text, secret) => text.replaceAll(secret, () => "(the key)"), words);
  return without.replace(/\b(?:sk-|pk-|AIza)[-*\w]{6,}/g, () => "(the key)");
}

/** Returns true if the account is spent, so that a retry would not help. */
function isOutOfQuota({ data, responseBody }: Failure): boolean {
  return `${JSON.stringify(data ?? "")}${responseBody ?? ""}`.includes("insufficient_quota");
}

/** Returns how long the provider asks to wait: by a header, or, with Google, in the body. */
function retryAfterMs({ responseHeaders = {}, responseBody = "" }: Failure): number | undefined {
  const milliseconds = responseHeaders["retry-after-ms"];
  if (milliseconds !== undefined) return duration(Number(milliseconds));
  const after = responseHeaders["retry-after"];
  if (after === undefined) return duration(1000 * Number(/"retryDelay":\s*"([\d.]+)s"/.exec(responseBody)?.[1]));
  if (/^[\d.]+$/.test(after)) return duration(1000 * Number(after));
  // Compares a date with the provider's own clock.
  return duration(Date.parse(after) - Date.parse(responseHeaders.date ?? ""));
}

function duration(milliseconds: number): number | undefined {
  return Number.isFinite(milliseconds) ? Math.max(0, Math.round(milliseconds)) : undefined;
}

/** A provider's error: the status, the raw body, and the error its package made of it. */
type ErrorAnswer = {
  readonly status?: number | undefined;
  readonly body?: string | undefined;
  readonly said?: unknown;
};

/** Statuses that mean something else, whatever the message: keys, money, an unknown name, too many requests. */
const neverTooLong: readonly number[] = [401, 402, 403, 404, 429, 503, 529];

/** Pattern of a limit per minute or day. It mentions tokens too, but is no window. */
const isRateLimit = /tokens? per (?:minute|min|hour|day)|\((?:TPM|TPD|ITPM)\)|rate[ _]?limit/i;

const codes: readonly string[] = ["context_length_exceeded", "exceed_context_size_error", "request_too_large"];

/**
 * Providers' messages about too many tokens, as of November 2026. `window` is the most they take, `output` the part of it
 * reserved for the answer, `input` the most that is left then.
 */
const wordings: readonly RegExp[] = [
  // OpenAI, DeepSeek, vLLM, OpenRouter, Together, llama-cpp-python, and whoever speaks like them.
  /maximum context length is (?<window>[\d,]+) tokens and your request has [\d,]+ input tokens \((?<output>[\d,]+) > /i,
  /maximum context length is (?<window>[\d,]+)(?: tokens)?(?:.{0,120}?(?<output>[\d,]+) (?:in|for) the (?:completion|output))?/is,
  /context length is only (?<window>[\d,]+) tokens(?:, resulting in a maximum input length of (?<input>[\d,]+) tokens)?/i,
  /input exceeds the context window of this model/i,
  /reduce the length of the messages(?: or completion)?(?:\. Current length is [\d,]+ while limit is (?<window>[\d,]+))?/i,
  // Anthropic.
  /prompt is too long(?:: [\d,]+ tokens > (?<window>[\d,]+) maximum)?/i,
  /input length and `max_tokens` exceed context limit: [\d,]+ \+ (?<output>[\d,]+) > (?<window>[\d,]+)/i,
  // Google.
  /input token count(?: \([\d,]+\))? exceeds the maximum number of tokens allowed(?: \((?<window>[\d,]+)\))?/i,
  // llama.cpp, also behind Ollama; LM Studio.
  /exceeds? the available context size(?: \((?<window>[\d,]+) tokens\))?/i,
  /n_keep:? \(?[\d,]+\)? ?>= n_ctx:? \(?(?<window>[\d,]+)\)?/i,
  /tokens to keep from the initial prompt is greater than the context length/i,
  /loaded with context length of only (?<window>[\d,]+) tokens/i,
  /exceed context window of (?<window>[\d,]+)/i,
  /exceeds? (?:the )?(?:model's )?max(?:imum)? context length/i,
  // xAI, Mistral, Moonshot, GitHub, MiniMax, Bedrock, Hugging Face.
  /maximum prompt length is (?<window>[\d,]+)/i,
  /too large for model with (?<window>[\d,]+) maximum context length/i,
  /exceeded model token limit:? (?<window>[\d,]+)/i,
  /prompt token count of [\d,]+ exceeds the limit of (?<window>[\d,]+)/i,
  /context window exceeds limit/i,
  /input is too long for (?:the )?requested model/i,
  /`inputs` tokens \+ `max_new_tokens` must be <= (?<window>[\d,]+)\. Given: [\d,]+ `inputs` tokens and (?<output>[\d,]+) `max_new_tokens`/i,
  /`inputs` must have less than (?<window>[\d,]+) tokens/i,
];

/** Returns whether a refusal means that the request has too many tokens, with the most it may have if that is said. */
export function tooLongOf({ status, body, said }: ErrorAnswer): { readonly window?: number } | undefined {
  if (status !== undefined && neverTooLong.includes(status)) return undefined;
  const errors = errorWords([said, body]);
  const words = errors.texts.join("\n");
  if (isRateLimit.test(words) || errors.codes.some((code) => isRateLimit.test(code))) return undefined;
  const matches = wordings.map((wording) => wording.exec(words)).filter((match) => match !== null);
  const statedLimit = matches.map(({ groups }) => inputLimit(groups ?? {})).find((limit) => limit !== undefined);
  // Ignores a limit that the answer's reserve uses up: a shorter request would be refused as well.
  if (statedLimit !== undefined && statedLimit <= 0) return undefined;
  const window = errors.window ?? statedLimit;
  const isSaid = matches.length > 0 || errors.codes.some((code) => codes.includes(code));
  if (!isSaid && status !== 413) return undefined;
  return window === undefined ? {} : { window };
}

function inputLimit({ window, output, input }: Readonly<Record<string, string | undefined>>): number | undefined {
  const [whole, reserve, maxInput] = [window, output, input].map((one) => Number(one?.replaceAll(",", "")));
  if (maxInput) return maxInput;
  return whole ? whole - (reserve || 0) : undefined;
}

/** Statuses that mean something else, whatever the message: keys, money, too many requests. */
const neverRefusedKind: readonly number[] = [401, 402, 403, 429, 503, 529];

/** Providers' messages about a model that takes no pictures, as of November 2026. */
const noPictures: readonly RegExp[] = [
  // OpenAI, and others that repeat its messages.
  /image_url is only supported by certain models/i,
  /(?:model|it) does not support (?:image|vision)/i,
  // Ollama, LM Studio, llama.cpp.
  /does not support images?\b/i,
  /missing data required for image input/i,
  /image input is not supported/i,
  // vLLM.
  /is not a multimodal model/i,
  /at most 0 image/i,
  // OpenRouter, Mistral, Google, Groq, DeepSeek.
  /no endpoints found that support image input/i,
  /image input (?:modality )?is not enabled/i,
  /does not support (?:the )?image input/i,
  /unknown variant `image_url`/i,
  /content must be a string/i,
];

const noDocuments: readonly RegExp[] = [
  /does not support (?:pdf|document|file)/i,
  /(?:pdf|document|file) input (?:modality )?is not (?:supported|enabled)/i,
  /unknown variant `file`/i,
  /invalid content type\. (?:input_)?file is only supported/i,
];

/** Returns the kind of attachment a model refused, if the provider said so. */
function refusedKindOf({ status, body, said }: ErrorAnswer): AttachmentKind | undefined {
  if (status !== undefined && neverRefusedKind.includes(status)) return undefined;
  const { texts } = errorWords([body, said]);
  if (texts.some((text) => noPictures.some((wording) => wording.test(text)))) return "image";
  return texts.some((text) => noDocuments.some((wording) => wording.test(text))) ? "pdf" : undefined;
}

/** The texts and codes of an error, and the window where it has a field for that. */
type ErrorWords = { readonly texts: readonly string[]; readonly codes: readonly string[]; readonly window?: number };

/**
 * Collects the texts and codes of an error, without what it repeats of the request: a user could have written that. An error that
 * one service passes on from another is a text inside its own.
 */
export function errorWords(value: unknown, depth = 0): ErrorWords {
  if (depth > 12 || value === null || value === undefined) return { texts: [], codes: [] };
  if (Array.isArray(value)) return joined(value.slice(0, 8).map((one) => errorWords(one, depth + 1)));
  if (typeof value === "string") {
    const text = value.slice(0, 20_000);
    const held = jsonIn(text);
    return held === undefined ? { texts: [text.slice(0, 2000)], codes: [] } : errorWords(held, depth + 1);
  }
  if (!isRecord(value)) return { texts: [], codes: [] };
  const { error, message, detail, code, type, n_ctx: window, metadata, cause } = value;
  const raw = isRecord(metadata) ? metadata.raw : undefined;
  const own: ErrorWords = {
    texts: [],
    codes: [code, type].filter((one) => typeof one === "string"),
    ...(isCount(window) ? { window } : {}),
  };
  return joined([own, ...[message, error, detail, raw, cause].map((one) => errorWords(one, depth + 1))]);
}

function joined(parts: readonly ErrorWords[]): ErrorWords {
  const window = parts.find((part) => part.window !== undefined)?.window;
  return {
    texts: parts.flatMap(({ texts }) => texts),
    codes: parts.flatMap(({ codes: some }) => some),
    ...defined({ window }),
  };
}

/** Returns the JSON in a text that is or ends in JSON: “OpenAIException - {…}”. */
function jsonIn(text: string): unknown {
  const start = text.search(/[{[]/);
  if (start === -1) return undefined;
  try {
    const held: unknown = JSON.parse(text.slice(start, Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1));
    return isRecord(held) || Array.isArray(held) ? held : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}
