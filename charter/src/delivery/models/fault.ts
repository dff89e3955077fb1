import { reasonOf } from "../../prompt/problem.ts";
import type { Fault } from "../model.ts";
import { refusedKindOf } from "../refused-kind.ts";
import { errorWords } from "./error-words.ts";
import { tooLongOf } from "./too-long.ts";

/** What the AI SDK's errors say of a response: by their shape, since the package that makes them is loaded late. */
type Failure = {
  readonly message?: unknown;
  readonly statusCode?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
  readonly data?: unknown;
  readonly cause?: unknown;
};

/** Why a request came to nothing. The provider's own words are in it, a key never is. */
export function faultOf(error: unknown, name: string, secrets: readonly string[]): Fault {
  const failure = (typeof error === "object" && error !== null ? error : {}) as Failure;
  const status = failure.statusCode;
  const said = saidBy(error, secrets);
  const afterMs = retryAfterMs(failure);
  const after = afterMs === undefined ? {} : { afterMs };
  const tooLong = tooLongFault(error, name, secrets);
  if (tooLong) return tooLong;
  if (status === undefined) return withoutStatus(failure, name, said);
  if (status === 429 && isOutOfQuota(failure))
    return {
      code: "model-rejected",
      message: `“${name}” has no quota left (429): ${said}`,
      retry: false,
      outage: true,
    };
  if (status === 429 || status === 503 || status === 529)
    return { code: "model-busy", message: `“${name}” is busy (${status}): ${said}`, retry: true, ...after };
  if (status >= 300 && status < 400) {
    const message = `“${name}” cannot be reached: its server sends requests elsewhere (${status}), and they do not go there.`;
    return { code: "model-unreachable", message, retry: false };
  }
  // The response itself was good: it is what came after its head that did not hold.
  if (status < 400) return cutFault(name, error, secrets);
  // Some say with a status of failure what they will never take.
  const kind = status === 500 ? refusedKindOf({ status, body: failure.responseBody, said: error }) : undefined;
  if (kind)
    return {
      code: "model-rejected",
      message: `“${name}” rejected the request (500): ${said}`,
      retry: false,
      refusedKind: kind,
    };
  if (status === 408 || status === 409 || status >= 500)
    return { code: "model-failed", message: `“${name}” failed (${status}): ${said}`, retry: true, ...after };
  const message = `“${name}” rejected the request (${status}): ${said}`;
  const refusedKind = refusedKindOf({ status, body: failure.responseBody, said: error });
  if (refusedKind) return { code: "model-rejected", message, retry: false, refusedKind };
  return { code: "model-rejected", message, retry: false, ...(isRefused(failure) ? { outage: true } : {}) };
}

/** A key that is not taken, an account without money, a model nobody has there. Some say so with 400 and in words. */
function isRefused({ statusCode = 0, responseBody = "", message }: Failure): boolean {
  if ([401, 402, 403, 404].includes(statusCode)) return true;
  const [said = ""] = errorWords(responseBody).texts;
  return statusCode === 400 && refusals.some((words) => words.test(`${said} ${String(message)}`));
}

const refusals = [
  /\b(?:api|access)[ _-]?key\b/i,
  /\bmodel\b.*\b(?:not found|does not exist|not exist|unknown|not supported|no longer)\b/i,
  /\b(?:unknown|invalid|not a valid) model\b/i,
];

/** The fault of a request with too many tokens, if that is what the provider said: with a status, or in its stream. */
export function tooLongFault(error: unknown, name: string, secrets: readonly string[]): Fault | undefined {
  const { statusCode, responseBody } = Object(error) as Failure;
  const tooLong = tooLongOf({ status: statusCode, body: responseBody, said: error });
  if (!tooLong) return undefined;
  const status = statusCode === undefined || statusCode < 400 ? "" : ` (${statusCode})`;
  // A package that does not know the form of an error gives the name of its status.
  const [words] = errorWords(responseBody).texts;
  const message = `“${name}” rejected the request${status}: ${saidBy(words ?? error, secrets)}`;
  return { code: "model-rejected", message, retry: false, tooLong };
}

export function abortedFault(name: string): Fault {
  return { code: "model-aborted", message: `The request to “${name}” was called off.`, retry: false };
}

export function cutFault(name: string, error: unknown, secrets: readonly string[]): Fault {
  const cause = (error as Failure | undefined)?.cause ?? error;
  const said = cause === undefined ? "" : saidBy(cause, secrets);
  // That it was terminated is what fetch has to say of every connection that was lost.
  const why = said === "" || said === "terminated" ? "." : `: ${said}`;
  return { code: "model-cut", message: `The answer of “${name}” broke off before its end${why}`, retry: true };
}

/** What the SDK of Anthropic says where there is no key. */
const noKey = /^Could not resolve authentication method/;

/** No response at all, half of one, or a request the AI SDK would not even send. */
function withoutStatus(failure: Failure, name: string, said: string): Fault {
  const kind = failure instanceof Error ? failure.name : "";
  if (kind === "AI_UnsupportedFunctionalityError" || kind === "AI_InvalidPromptError")
    return {
      code: "model-rejected",
      message: `“${name}” cannot be asked this: ${said}`,
      retry: false,
      ...(/image/i.test(said)
        ? { refusedKind: "image" as const }
        : /pdf|file part/i.test(said)
          ? { refusedKind: "pdf" as const }
          : {}),
    };
  if (kind === "AI_LoadAPIKeyError" || noKey.test(said))
    return { code: "model-rejected", message: `“${name}” was not asked: ${said}`, retry: false, outage: true };
  if (said === "terminated") return cutFault(name, undefined, []);
  if (kind === "AI_APICallError" || failure instanceof TypeError)
    return { code: "model-unreachable", message: `“${name}” cannot be reached: ${said}`, retry: true };
  return { code: "model-failed", message: `“${name}” failed: ${said}`, retry: true };
}

function saidBy(error: unknown, secrets: readonly string[]): string {
  const { message, cause } = (error ?? {}) as Failure;
  const own = typeof message === "string" ? message : reasonOf(error);
  const said = own || (cause instanceof Error ? cause.message : "");
  return redact(said, secrets).slice(0, 500) || "it did not say why";
}

/** Some providers repeat a part of the key in what they say of it. */
export function redact(words: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length > 0);
  const without = known.reduce((text, secret) => text.replaceAll(secret, () => "(the key)"), words);
  return without.replace(/\b(?:sk-|pk-|AIza)[-*\w]{6,}/g, () => "(the key)");
}

/** Retrying does not help someone who has nothing left to spend. */
function isOutOfQuota({ data, responseBody }: Failure): boolean {
  return `${JSON.stringify(data ?? "")}${responseBody ?? ""}`.includes("insufficient_quota");
}

/** How long the provider wants to be left alone: a header says it, or, with Google, the body. */
function retryAfterMs({ responseHeaders = {}, responseBody = "" }: Failure): number | undefined {
  const milliseconds = responseHeaders["retry-after-ms"];
  if (milliseconds !== undefined) return duration(Number(milliseconds));
  const after = responseHeaders["retry-after"];
  if (after === undefined) return duration(1000 * Number(/"retryDelay":\s*"([\d.]+)s"/.exec(responseBody)?.[1]));
  if (/^[\d.]+$/.test(after)) return duration(1000 * Number(after));
  // A date: it is held against the provider's own clock.
  return duration(Date.parse(after) - Date.parse(responseHeaders.date ?? ""));
}

function duration(milliseconds: number): number | undefined {
  return Number.isFinite(milliseconds) ? Math.max(0, Math.round(milliseconds)) : undefined;
}
