import type { Context } from "hono";
import type { InputPart } from "../../agent/attachments.ts";
import type { Scope } from "../../amend/amendment.ts";
import { checkChannel, checkOperator, ownScopeFor } from "../../operations/caller.ts";
import { type InvalidField, readField } from "../../operations/read-input.ts";
import { type ChatTurn, chatTurn, maxInputChars, newTurn } from "../../operations/turns/turn-fields.ts";
import { takeTurn } from "../../operations/turns/turns.ts";
import { defined } from "../../prompt/argument.ts";
import { countCharacters } from "../../prompt/character.ts";
import { grouped, Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import type { ApiEnv } from "../api.ts";
import { problemAnswer } from "../http/error.ts";
import { invalidAnswer, jsonAnswer, type RouteHandler, readJson } from "../operation-routes.ts";
import { shutOut, startTurn, streamTurn, type TurnHandle } from "./turn-stream.ts";
import { readerNotices } from "./ui-stream.ts";

/** Runs a turn, and answers with JSON or a stream. */
export const answerTurn: RouteHandler = async (context, serving, { agent }) => {
  const caller = context.get("caller");
  const { host, operator, stoppable } = serving;
  const body = await turnBody(context);
  if (body instanceof Response) return body;
  checkChannel(caller, body.channel);
  if (body.context !== undefined) checkOperator(caller, "giving a turn its context");
  const turnContext = caller.kind === "operator" ? body.context : caller.context;
  const scope = await ownScopeFor({ store: host.store, caller, operator }, agent as string, body.user);
  const session = body.chat && (await sessionOf(host.store, scope, body.chat));
  const { input, typed, channel, output } = body;
  const sessionId = session?.id ?? body.session;
  const turnInput = {
    ...scope,
    input,
    channel,
    ...defined({ typed, session: sessionId, context: turnContext, output }),
  };
  const about = { host, stoppable, caller, access: context.get("access") };
  if (body.chat || context.req.header("accept")?.includes("text/event-stream"))
    return streamTurn(context, {
      start: (watching) => startTurn(turnInput, { ...about, ...watching }),
      renewsSession: session?.named === false,
      log: serving.log,
    });
  return answered(context, startTurn(turnInput, about));
};

async function answered(context: Context<ApiEnv>, taken: TurnHandle): Promise<Response> {
  context.get("hold")(taken.outcome);
  try {
    const outcome = await Promise.race([taken.outcome, shutOut(context)]);
    if (outcome.problem?.code === "bad-output") return failed(context, taken, taken.problemOf(outcome), outcome.reply);
    if (outcome.state === "failed") return failed(context, taken, taken.problemOf(outcome));
    const { problem: _, notices, ...facts } = outcome;
    const operator = context.get("caller").kind === "operator";
    const readable = notices.filter(({ code }) => operator || readerNotices.has(code));
    return jsonAnswer(takeTurn, context, { ...facts, notices: readable });
  } catch (thrown) {
    if (!(thrown instanceof Problem) || taken.id() === undefined || context.get("access").ended.aborted) throw thrown;
    return failed(context, taken, taken.problemOf({ thrown }));
  }
}

function failed(
  context: Context<ApiEnv>,
  taken: TurnHandle,
  because: ReturnType<TurnHandle["problemOf"]>,
  reply?: string | null,
): Response {
  const turn = taken.id();
  const replyField = reply === undefined ? {} : { reply };
  return problemAnswer(context, because, { more: turn === undefined ? {} : { turn, ...replyField } });
}

/** Request of a turn, from either of two bodies: our own, or an AI SDK chat's. */
type TurnBody = {
  readonly input: string | readonly InputPart[];
  /** Part of the input that the person typed, as the client says. */
  readonly typed: string | undefined;
  readonly user: string | undefined;
  readonly channel: string;
  readonly session: string | undefined;
  /** Context of the turn, which only an operator may give. */
  readonly context: unknown;
  /** JSON Schema of the answer. */
  readonly output?: Readonly<Record<string, unknown>> | undefined;
  readonly chat?: ChatTurn;
};

/** Reads the request; if it is not valid, returns the answer that says so. */
async function turnBody(context: Context<ApiEnv>): Promise<TurnBody | Response> {
  const body = await readJson(context);
  const invalid: InvalidField[] = [];
  const isChat = typeof body === "object" && body !== null && "messages" in body;
  const read = readField(isChat ? chatTurn : newTurn, body, { at: "body", isText: false, invalid });
  if (invalid.length > 0) return invalidAnswer(context, invalid);
  if (isChat) {
    const chat = read as ChatTurn;
    const { typed, user, channel = "web", session, context: turnContext } = chat;
    return { input: checkedParts(chatInputOf(chat)), typed, user, channel, session, context: turnContext, chat };
  }
  const {
    input,
    typed,
    user,
    channel = "web",
    session,
    context: turnContext,
    output,
  } = read as (typeof newTurn)["holds"];
  const words = typeof input === "string" ? checked(input) : checkedParts(input);
  return { input: words, typed, user, channel, session, context: turnContext, output };
}

type GivenPart = ReturnType<typeof chatInputOf>[number];

/** Joins the parts of an input to a text, or decodes its files. The agent's settings say which files are accepted. */
export function checkedParts(parts: readonly GivenPart[]): string | readonly InputPart[] {
  const words = parts.flatMap((part) => ("text" in part ? [part.text] : [])).join("\n");
  const files = parts.filter((part) => "file" in part);
  if (files.length === 0 || words !== "") checked(words);
  if (files.length === 0) return words;
  return parts.map((part) => {
    if ("text" in part) return part;
    const { file, mediaType, name, picked } = part;
    const bytes = new Uint8Array(Buffer.from(file, "base64"));
    return { file: bytes, ...defined({ mediaType, name, picked: picked || undefined }) };
  });
}

function checked(input: string): string {
  if (input.trim() === "") throw new Problem("bad-input", "The input has no words.", "Give what the user says.");
  // A string within the limit in UTF-16 units is within it in characters too, so it need not be counted.
  const long = input.length > maxInputChars ? countCharacters(input) : 0;
  if (long <= maxInputChars) return input;
  throw new Problem(
    "too-large",
    `The input has ${grouped(long)} characters; the limit is ${grouped(maxInputChars)}.`,
    "Say less at once, or give the agent a tool that reads the rest.",
  );
}

type ChatPart =
  | { readonly text: string }
  | {
      readonly file: string;
      readonly mediaType?: string | undefined;
      readonly name?: string | undefined;
      readonly picked?: boolean | undefined;
    };

/** Input of an AI SDK chat: text and files of the last message. Earlier ones are stored here already. */
function chatInputOf({ messages }: ChatTurn): readonly ChatPart[] {
  const last = messages.at(-1);
  if (last?.role !== "user")
    throw new Problem(
      "bad-input",
      "The last message of the chat is not the user's.",
      "Tools run here, so nothing is sent back for them: send the user's next message.",
    );
  return last.parts.flatMap((part): ChatPart[] => {
    if (part.type === "text") return typeof part.text === "string" ? [{ text: part.text }] : [];
    if (part.type === "file") return [filePart(part)];
    throw new Problem(
      "bad-input",
      `The message has a part of the kind “${part.type}”; only words and files are taken.`,
      "Send text parts and file parts alone.",
    );
  });
}

/** A file of a chat message. It has to be a data URL, because nothing is fetched from elsewhere. */
function filePart({ url, mediaType, filename }: Readonly<Record<string, unknown>>): ChatPart {
  const [, said, file] = /^data:([^;,]*)(?:;[^;,]*)*;base64,([A-Za-z0-9+/=]*)$/.exec(String(url)) ?? [];
  if (file === undefined)
    throw new Problem(
      "bad-attachment",
      "A file part of the message has no data URL.",
      'Send its bytes: `url: "data:image/png;base64,…"`. Nothing is fetched from elsewhere.',
    );
  const type = typeof mediaType === "string" ? mediaType : said;
  const name = typeof filename === "string" ? filename : undefined;
  return { file, ...(type ? { mediaType: type } : {}), ...(name === undefined ? {} : { name }) };
}

/**
 * Finds the session a chat continues. The metadata of each answer names its session, and a chat sends its messages back whole: so
 * nothing is stored about chats, and any process can continue one. Before the first answer, the chat's id may be a session's;
 * otherwise the chat is new.
 */
async function sessionOf(store: Store, scope: Scope, { id, session, messages }: ChatTurn): Promise<ChatSession> {
  if (session !== undefined) return { id: session, named: true };
  const remembered = messages.map(({ role, metadata }) => (role === "assistant" ? sessionIn(metadata) : undefined));
  const last = remembered.findLast((one) => one !== undefined);
  if (last !== undefined) return { id: last, named: false };
  return { id: (await isOwn(store, scope, id)) ? id : "new", named: false };
}

/** Session of a chat. `named`: the caller gave it, and has to be told if it cannot go on. */
type ChatSession = { readonly id: string; readonly named: boolean };

function sessionIn(metadata: unknown): string | undefined {
  const session = (metadata as { readonly session?: unknown } | null | undefined)?.session;
  return typeof session === "string" && session !== "new" && session !== "none" ? session : undefined;
}

/**
 * Checks whether a chat's id is a session of this user. Clients make up ids, and one that equals another user's session must not
 * reveal it.
 */
async function isOwn(store: Store, { agent, user }: Scope, id: string): Promise<boolean> {
  try {
    const { scope } = await store.sessions.find(id);
    return scope.agent === agent && scope.user === user;
  } catch (error) {
    if (error instanceof Problem && error.code === "unknown-session") return false;
    throw error;
  }
}
