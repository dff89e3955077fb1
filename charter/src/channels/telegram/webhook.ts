import type { Update } from "grammy/types";
import { Problem } from "../../prompt/problem.ts";
import { isAgentRemoved, type Presence } from "../presence.ts";
import type { Bot } from "./bot.ts";
import { isTelegramUpdate } from "./incoming.ts";
import type { Receive } from "./receive.ts";

/** Larger than any update of Telegram's. */
const maxBytes = 1_000_000;

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
 * Takes in what Telegram posts. Only whoever knows the secret is heard, and before that nothing is read. 200 is said when
 * the update is kept: after anything else Telegram posts it again. What came whole and is no update will be none the next
 * time either, so that is taken too, and told to the operator. So is what comes for an agent that was removed.
 */
export function createWebhook(
  { log }: Pick<Bot, "log">,
  { isThere }: Pick<Presence, "isThere">,
  receive: Receive,
  secret: string | undefined,
) {
  return async (request: Request): Promise<Response> => {
    if (request.method !== "POST") return answer(405, "Only POST is heard here.", { allow: "POST" });
    const given = request.headers.get("x-telegram-bot-api-secret-token") ?? "";
    if (secret === undefined || !isSame(given, secret)) return answer(401, "The secret is missing or wrong.");
    let body: string | undefined;
    try {
      body = await textOf(request);
    } catch {
      return answer(400, "It was cut off; post it again.");
    }
    const update = updateIn(body);
    if (!update) {
      log("update-unreadable");
      return answer(200, "This is no update.");
    }
    try {
      if (!(await isThere())) return answer(200, noAgent);
      await receive(update);
    } catch (error) {
      if (isAgentRemoved(error)) return answer(200, noAgent);
      log("update-failed", { reason: error instanceof Problem ? error.code : "internal" });
      return answer(503, "It could not be kept; post it again.", { "retry-after": "5" });
    }
    return answer(200, "ok");
  };
}

const noAgent = "Its agent was removed.";

function answer(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers: { "content-type": "text/plain", ...headers } });
}

/** In the same time whether much of it is right or nothing. */
function isSame(given: string, secret: string): boolean {
  const { createHash, timingSafeEqual } = process.getBuiltinModule("node:crypto");
  const digest = (words: string) => createHash("sha256").update(words).digest();
  return timingSafeEqual(digest(given), digest(secret));
}

function updateIn(body: string | undefined): Update | undefined {
  try {
    const update: unknown = JSON.parse(body ?? "");
    return isTelegramUpdate(update) ? update : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Nothing where it is too long or no UTF-8; throws where it does not come to its end. What is too long is read all the
 * same, and not kept: a sender who is not heard out does not hear the answer either.
 */
async function textOf({ body }: Request): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  }
  const { isUtf8 } = process.getBuiltinModule("node:buffer");
  const whole = Buffer.concat(chunks);
  return bytes <= maxBytes && isUtf8(whole) ? whole.toString("utf8") : undefined;
}
