import type { Update } from "grammy/types";
import { Problem } from "../../prompt/problem.ts";
import type { Bot } from "./bot.ts";
import type { Receive } from "./receive.ts";

/** Larger than any update of Telegram's. */
const mostBytes = 1_000_000;

/** Letters, digits, _ and -, as Telegram asks; and too many of them to be guessed. */
export function checkSecret(secret: string): void {
  if (/^[\w-]{16,256}$/.test(secret)) return;
  throw new Problem(
    "telegram-secret",
    "The secret of a Telegram webhook is too short or holds something else than letters, digits, _ and -.",
    "Give 16 to 256 of them, at random: openssl rand -hex 32.",
  );
}

/**
 * Takes in what Telegram posts. Only whoever knows the secret is heard, and 200 is said only when the update is kept:
 * after anything else Telegram posts it again.
 */
export function createWebhook({ note }: Pick<Bot, "note">, receive: Receive, secret: string | undefined) {
  return async (request: Request): Promise<Response> => {
    if (request.method !== "POST") return answer(405, "Only POST is heard here.", { allow: "POST" });
    const given = request.headers.get("x-telegram-bot-api-secret-token") ?? "";
    if (secret === undefined || !isSame(given, secret)) return answer(401, "The secret is missing or wrong.");
    const update = await updateOf(request);
    if (!update) return answer(400, "This is no update.");
    try {
      await receive(update);
    } catch (error) {
      note("update-failed", { because: error instanceof Problem ? error.code : "internal" });
      return answer(503, "It could not be kept; post it again.", { "retry-after": "5" });
    }
    return answer(200, "ok");
  };
}

function answer(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers: { "content-type": "text/plain", ...headers } });
}

/** In the same time whether much of it is right or nothing. */
function isSame(given: string, secret: string): boolean {
  const { createHash, timingSafeEqual } = process.getBuiltinModule("node:crypto");
  const digest = (words: string) => createHash("sha256").update(words).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

async function updateOf(request: Request): Promise<Update | undefined> {
  try {
    const text = await textOf(request);
    const update: unknown = text === undefined ? undefined : JSON.parse(text);
    if (typeof update !== "object" || update === null) return undefined;
    return Number.isSafeInteger((update as Update).update_id) ? (update as Update) : undefined;
  } catch {
    return undefined;
  }
}

async function textOf({ body }: Request): Promise<string | undefined> {
  if (!body) return undefined;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
