import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { InputPart } from "../../agent/attachments/input-part.ts";
import { countCharacters } from "../../prompt/character.ts";
import { grouped, Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";
import { validationErrorAnswer } from "../http/validation-error.ts";
import { type ChatTurn, chatTurn, maxInputChars, newTurn } from "../schemas/turn.ts";
import { chatInputOf } from "./chat-turn.ts";

/** What a turn is asked, in either of two shapes: our own, or an AI SDK chat's. */
type TurnBody = {
  readonly input: string | readonly InputPart[];
  /** What of it the person typed, as the client says. */
  readonly typed: string | undefined;
  readonly user: string | undefined;
  readonly channel: string;
  readonly session: string | undefined;
  /** It is the operator's to give. */
  readonly context: unknown;
  /** A JSON Schema of the answer. */
  readonly output?: Readonly<Record<string, unknown>> | undefined;
  readonly chat?: ChatTurn;
};

/** Reads what is asked; where it is not as it has to be, the answer that says so. */
export async function turnBody(context: Context<ApiEnv>): Promise<TurnBody | Response> {
  const body = await jsonOf(context);
  if (typeof body !== "object" || body === null || !("messages" in body)) {
    const read = newTurn.safeParse(body);
    if (!read.success) return faulty(read.error, context);
    const { input, typed, user, channel = "web", session, context: given, output } = read.data;
    const words = typeof input === "string" ? checked(input) : checkedParts(input);
    return { input: words, typed, user, channel, session, context: given, output };
  }
  const read = chatTurn.safeParse(body);
  if (!read.success) return faulty(read.error, context);
  const { typed, user, channel = "web", session, context: given } = read.data;
  const input = checkedParts(chatInputOf(read.data));
  return { input, typed, user, channel, session, context: given, chat: read.data };
}

async function jsonOf(context: Context<ApiEnv>): Promise<unknown> {
  if (!/^application\/json\b/i.test(context.req.header("content-type") ?? "")) throw new HTTPException(415);
  try {
    return await context.req.json();
  } catch {
    throw new HTTPException(400);
  }
}

function faulty(error: z.ZodError, context: Context<ApiEnv>): Response {
  return validationErrorAnswer({ success: false, error, target: "json" } as never, context) as Response;
}

type GivenPart = ReturnType<typeof chatInputOf>[number];

/** Words alone are a text; with files their bytes are read. What they may be is the agent's to say. */
function checkedParts(parts: readonly GivenPart[]): string | readonly InputPart[] {
  const words = parts.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n");
  const files = parts.filter((part) => "file" in part);
  if (files.length === 0 || words !== "") checked(words);
  if (files.length === 0) return words;
  return parts.map((part) => {
    if ("text" in part) return part;
    const { file, mediaType, name } = part;
    const bytes = new Uint8Array(Buffer.from(file, "base64"));
    return { file: bytes, ...(mediaType === undefined ? {} : { mediaType }), ...(name === undefined ? {} : { name }) };
  });
}

function checked(input: string): string {
  if (input.trim() === "") throw new Problem("bad-input", "The input has no words.", "Give what the user says.");
  // Where the units are few enough, so are the characters.
  const long = input.length > maxInputChars ? countCharacters(input) : 0;
  if (long <= maxInputChars) return input;
  throw new Problem(
    "too-large",
    `The input has ${grouped(long)} characters; the limit is ${grouped(maxInputChars)}.`,
    "Say less at once, or give the agent a tool that reads the rest.",
  );
}
