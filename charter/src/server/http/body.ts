import type { Context } from "hono";
import { grouped, Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";

/** Maximum depth of JSON: far more than any request needs, far less than what overflows a parser's stack. */
const maxDepth = 64;
/** Maximum number of values in JSON: finding fault with more of them, one by one, would take seconds. */
const maxValues = 50_000;

/**
 * Reads a request's body once, up to a limit. A body with a larger content-length is not read at all; without one, reading stops
 * at the limit. Later readers get the text that was read.
 */
export async function readBody(context: Context<ApiEnv>, maxBytes: number): Promise<string> {
  const { raw, method } = { raw: context.req.raw, method: context.req.method };
  if (method === "GET" || method === "HEAD") return "";
  checkCharset(raw.headers);
  const length = raw.headers.get("content-length");
  if (length !== null && !(Number(length) <= maxBytes)) throw tooLarge(maxBytes);
  const measured = length !== null && context.env?.incoming !== undefined && !raw.headers.has("transfer-encoding");
  const bytes = await (measured ? raw.arrayBuffer() : readStream(raw.body, maxBytes)).catch(rethrowCutOff);
  const text = decode(bytes);
  keep(context, text);
  checkShape(text);
  return text;
}

const charsets: readonly string[] = ["utf-8", "utf8", "us-ascii", "ascii"];

/** Refuses charsets other than UTF-8: decoded as UTF-8, their text would be another. */
export function checkCharset(headers: Headers): void {
  const charsetsNamed = (headers.get("content-type") ?? "").matchAll(/;\s*charset\s*=\s*"?([^\s;"]*)/gi);
  const other = [...charsetsNamed].map(([, name = ""]) => name).find((name) => !charsets.includes(name.toLowerCase()));
  if (other === undefined) return;
  throw new Problem(
    "bad-content-type",
    `The body is said to be in the charset “${other}”.`,
    "Send it as UTF-8, with the header “content-type: application/json”.",
  );
}

/** Stores the text where the router looks for it: as a promise, although its types say otherwise. */
function keep(context: Context<ApiEnv>, text: string): void {
  const cached: { text?: unknown } = context.req.bodyCache;
  cached.text = Promise.resolve(text);
}

async function readStream(body: ReadableStream<Uint8Array> | null, max: number): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    size += value.length;
    if (size > max) {
      await reader.cancel().catch(() => {});
      throw tooLarge(max);
    }
    chunks.push(value);
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Decodes UTF-8 and refuses invalid bytes: text is never changed silently by a guess. */
function decode(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Problem("bad-request", "The body is not UTF-8.", "Send JSON as UTF-8, which it always is.");
  }
}

/**
 * Checks depth and number of values before parsing: excess of either costs everyone who walks the result, not only the parser.
 */
function checkShape(text: string): void {
  let depth = 0;
  let values = 1;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) quoted = !quoted;
    else if (quoted) at += unit === 0x5c ? 1 : 0;
    else if (unit === 0x5b || unit === 0x7b) {
      if (++depth > maxDepth)
        throw new Problem("bad-request", `The body nests deeper than ${maxDepth} levels.`, "Send flatter JSON.");
    } else if (unit === 0x5d || unit === 0x7d) depth--;
    else if (unit === 0x2c && ++values > maxValues)
      throw new Problem("too-large", `The body has more than ${grouped(maxValues)} values.`, "Send fewer at once.");
  }
}

/** Turns an aborted upload into a refusal: it is the client's doing, and no fault of the server's. */
function rethrowCutOff(thrown: unknown): never {
  if (thrown instanceof Problem) throw thrown;
  throw new Problem("bad-request", "The body was cut off.", "Send it whole.");
}

function tooLarge(max: number): Problem {
  return new Problem(
    "too-large",
    `The body has more than ${grouped(max)} bytes.`,
    "Send less at once; the operator can raise the limit.",
  );
}
