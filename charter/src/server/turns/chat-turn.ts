import type { Scope } from "../../amend/amendment.ts";
import type { ChatTurn } from "../../operations/turns/turn-input.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";

type ChatPart =
  | { readonly text: string }
  | { readonly file: string; readonly mediaType?: string | undefined; readonly name?: string | undefined };

/** What the user says in an AI SDK chat: words and files of the last message. The ones before it are on record here. */
export function chatInputOf({ messages }: ChatTurn): readonly ChatPart[] {
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

/** A file comes with its bytes, in a data URL: nothing is fetched from elsewhere. */
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
 * Which session a chat goes on with. The client's own messages remember it: each answer's metadata says in which session
 * it was given, and a chat sends its messages back whole. So nothing is kept here about a chat, and any process can go
 * on with it. Without an answer yet, a chat may be named by a session's id; else it is new.
 */
export async function sessionOf(store: Store, scope: Scope, { id, session, messages }: ChatTurn): Promise<ChatSession> {
  if (session !== undefined) return { id: session, named: true };
  const remembered = messages.map(({ role, metadata }) => (role === "assistant" ? sessionIn(metadata) : undefined));
  const last = remembered.findLast((one) => one !== undefined);
  if (last !== undefined) return { id: last, named: false };
  return { id: (await isOwn(store, scope, id)) ? id : "new", named: false };
}

/** `named`: by the caller, who has to know what happens to it. */
type ChatSession = { readonly id: string; readonly named: boolean };

function sessionIn(metadata: unknown): string | undefined {
  const session = (metadata as { readonly session?: unknown } | null | undefined)?.session;
  return typeof session === "string" && session !== "new" && session !== "none" ? session : undefined;
}

/** A chat's id is of the client's own making: that it happens to be someone else's session's is nobody's business. */
async function isOwn(store: Store, { agent, user }: Scope, id: string): Promise<boolean> {
  try {
    const { scope } = await store.sessions.get(id);
    return scope.agent === agent && scope.user === user;
  } catch (error) {
    if (error instanceof Problem && error.code === "unknown-session") return false;
    throw error;
  }
}
