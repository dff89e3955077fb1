import type { Context } from "hono";
import type { InputPart } from "../../agent/attachments.ts";
import { type InvalidField, readField } from "../../operations/read-input.ts";
import { type ChatTurn, chatTurn, maxInputChars, newTurn } from "../../operations/turns/turn-input.ts";
import { countCharacters } from "../../prompt/character.ts";
import { grouped, Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";
import { invalidAnswer, readJson } from "../operation-routes.ts";
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
  const body = await readJson(context);
  const invalid: InvalidField[] = [];
  const isChat = typeof body === "object" && body !== null && "messages" in body;
  const read = readField(isChat ? chatTurn : newTurn, body, { at: "body", isText: false, invalid });
  if (invalid.length > 0) return invalidAnswer(context, invalid);
  if (isChat) {
    const chat = read as ChatTurn;
    const { typed, user, channel = "web", session, context: given } = chat;
    return { input: checkedParts(chatInputOf(chat)), typed, user, channel, session, context: given, chat };
  }
  const { input, typed, user, channel = "web", session, context: given, output } = read as (typeof newTurn)["holds"];
  const words = typeof input === "string" ? checked(input) : checkedParts(input);
  return { input: words, typed, user, channel, session, context: given, output };
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
