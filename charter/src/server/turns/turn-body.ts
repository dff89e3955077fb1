import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { countCharacters } from "../../prompt/character.ts";
import { grouped, Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";
import { validationErrorAnswer } from "../http/validation-error.ts";
import { type ChatTurn, chatTurn, maxInputChars, newTurn } from "../schemas/turn.ts";
import { chatInputOf } from "./chat-turn.ts";

/** What a turn is asked, in either of two shapes: our own, or an AI SDK chat's. */
type TurnBody = {
  readonly input: string;
  readonly user: string | undefined;
  readonly channel: string;
  readonly session: string | undefined;
  readonly chat?: ChatTurn;
};

/** Reads what is asked; where it is not as it has to be, the answer that says so. */
export async function turnBody(context: Context<ApiEnv>): Promise<TurnBody | Response> {
  const body = await jsonOf(context);
  if (typeof body !== "object" || body === null || !("messages" in body)) {
    const read = newTurn.safeParse(body);
    if (!read.success) return faulty(read.error, context);
    const { input, user, channel = "web", session } = read.data;
    return { input: checked(input), user, channel, session };
  }
  const read = chatTurn.safeParse(body);
  if (!read.success) return faulty(read.error, context);
  const { user, channel = "web", session } = read.data;
  return { input: checked(chatInputOf(read.data)), user, channel, session, chat: read.data };
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

function checked(input: string): string {
  if (input.trim() === "") throw new Problem("bad-input", "The input has no words.", "Give what the user says.");
  // Where the units are few enough, so are the characters.
  const long = input.length > maxInputChars ? countCharacters(input) : 0;
  if (long <= maxInputChars) return input;
  throw new Problem(
    "too-large",
    `The input has ${grouped(long)} characters; ${grouped(maxInputChars)} are the most.`,
    "Say less at once, or give the agent a tool that reads the rest.",
  );
}
