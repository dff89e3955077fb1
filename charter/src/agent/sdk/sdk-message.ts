import { badArgument, isRecord, isText, kindOf } from "../../prompt/argument.ts";
import type { Store } from "../../store/store.ts";
import type { InputPart } from "../attachments/input-part.ts";

/** A message of `useChat`, or a model message of the AI SDK. */
export type ChatMessage = {
  readonly role: string;
  readonly parts?: readonly object[];
  readonly content?: string | readonly object[];
  readonly metadata?: unknown;
};

/** What is new in the messages of a chat page or a loop. */
type NewMessage = {
  readonly input: readonly InputPart[];
  /** What the user said before it, as whoever sent the messages has it. */
  readonly before: string | undefined;
  /** The session that `turn.metadata` named in an answer before. */
  readonly session: string | undefined;
};

/** The store has the history: of what is sent along only the last message is taken, which is the user's. */
export function newMessageOf(messages: unknown): NewMessage {
  if (!Array.isArray(messages) || messages.length === 0)
    throw bad(
      `The \`messages\` of turn are ${kindOf(messages)}${Array.isArray(messages) ? " without any" : ""}.`,
      "Give messages of useChat, or model messages.",
    );
  const last: unknown = messages.at(-1);
  if (!isRecord(last) || last.role !== "user")
    throw bad(
      "The last of the `messages` is not the user's.",
      "Give the messages up to what the user says now. A held call is approved with charter approve.",
    );
  const earlier = messages.slice(0, -1).filter(isRecord);
  const user = earlier.findLast(({ role }) => role === "user");
  const named = earlier.findLast(({ role, metadata }) => role === "assistant" && isText(sessionIn(metadata)));
  const isPage = "parts" in last;
  return {
    input: inputOf(last),
    before: user && wordsOf(inputOf(user)),
    // A page with nothing before it is a new conversation.
    session: (named && (sessionIn(named.metadata) as string)) ?? (isPage && earlier.length === 0 ? "new" : undefined),
  };
}

function sessionIn(metadata: unknown): unknown {
  return (Object(metadata) as { readonly session?: unknown }).session;
}

/** Words as an input keeps them. */
function wordsOf(parts: readonly InputPart[]): string {
  return parts.flatMap((part) => ("text" in part && part.text !== "" ? [part.text] : [])).join("\n\n");
}

type SentPart = Readonly<Record<string, unknown>>;

function inputOf(message: Readonly<Record<string, unknown>>): InputPart[] {
  const content = (message as ChatMessage).parts ?? (message as ChatMessage).content;
  if (typeof content === "string") return [{ text: content }];
  if (!Array.isArray(content)) throw bad("A message of the user has no content.", "Give its text, or its parts.");
  return (content as readonly SentPart[]).flatMap((part): InputPart[] => {
    if (part.type === "text") return [{ text: String(part.text) }];
    if (part.type === "file" || part.type === "image") return [fileOf(part)];
    // Steps and data of a page are not said.
    if (String(part.type).startsWith("data-") || part.type === "step-start") return [];
    throw bad(`A message of the user has a part “${String(part.type)}”.`, "Give text and files.");
  });
}

function fileOf({ data, image, url, mediaType, filename }: SentPart): InputPart {
  const file = bytesOf(data ?? image ?? url);
  return {
    file,
    ...(isText(mediaType) && mediaType.includes("/") ? { mediaType } : {}),
    ...(isText(filename) ? { name: filename } : {}),
  };
}

function bytesOf(given: unknown): Uint8Array {
  if (given instanceof Uint8Array) return given;
  if (given instanceof ArrayBuffer) return new Uint8Array(given);
  if (isRecord(given) && "data" in given) return bytesOf(given.data);
  const text = given instanceof URL ? given.href : given;
  if (!isText(text)) throw bad(`A file of the user is ${kindOf(given)}.`, "Give its bytes, or a data: address.");
  if (/^https?:/.test(text))
    throw bad("A file of the user is only an address.", "Load it first, and give its bytes: nothing is fetched here.");
  const base64 = text.startsWith("data:") ? text.slice(text.indexOf(",") + 1) : text;
  return Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
}

type ChatPast = {
  readonly store: Store;
  readonly agent: string;
  readonly user?: string | undefined;
  readonly channel?: string | undefined;
};

/**
 * Is what was said last another thing in the store than for whoever sent the messages? Then the past was edited. Asking
 * the same again is not: that is another turn.
 */
export async function isPastEdited(
  { input, before }: NewMessage,
  session: string | undefined,
  { store, agent, user, channel }: ChatPast,
): Promise<boolean> {
  if (before === undefined || session === "new" || session === "none") return false;
  const scope = { agent, ...(user === undefined ? {} : { user }) };
  const id = session ?? (await store.sessions.latest(scope, channel))?.id;
  const newest = id === undefined ? undefined : await store.sessions.newestTurn(id, scope);
  // Of a turn that failed, a page may show the message or not.
  if (newest?.state !== "answered") return false;
  const { input: said } = await store.turns.get(newest.id, scope);
  return said !== before && said !== wordsOf(input);
}

function bad(message: string, hint: string) {
  return badArgument(message, hint);
}
