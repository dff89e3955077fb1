import { AbstractChat, type ChatState, type ChatStatus, DefaultChatTransport, type UIMessage } from "ai";

/** What `useChat` is inside, without React: the AI SDK's own chat, its own transport, and a state that is an array. */
class Chat extends AbstractChat<UIMessage> {
  constructor(about: { readonly id?: string; readonly api: string; readonly headers: Record<string, string> }) {
    const { id, api, headers } = about;
    super({
      ...(id === undefined ? {} : { id }),
      transport: new DefaultChatTransport({ api, headers }),
      state: newState(),
    });
  }
}

function newState(): ChatState<UIMessage> {
  let messages: UIMessage[] = [];
  return {
    status: "ready" as ChatStatus,
    error: undefined,
    get messages() {
      return messages;
    },
    set messages(all) {
      messages = [...all];
    },
    pushMessage: (message) => {
      messages = [...messages, message];
    },
    popMessage: () => {
      messages = messages.slice(0, -1);
    },
    replaceMessage: (index, message) => {
      messages = messages.with(index, structuredClone(message));
    },
    snapshot: (thing) => structuredClone(thing),
  };
}

export function newChat(about: {
  readonly url: string;
  readonly token: string;
  readonly id?: string;
  readonly query?: string;
}) {
  const { url, token, id, query = "" } = about;
  const api = `${url}/api/agents/assistant/turns${query}`;
  return new Chat({ ...(id === undefined ? {} : { id }), api, headers: { authorization: `Bearer ${token}` } });
}

export const textOf = (message: UIMessage | undefined): string =>
  (message?.parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");

/** The chat in short: who said what. */
export const said = ({ messages }: { readonly messages: readonly UIMessage[] }): string[] =>
  messages.map((message) => `${message.role}: ${textOf(message)}`);

export const metadataOf = (message: UIMessage | undefined) =>
  (message?.metadata ?? {}) as { readonly turn?: string; readonly session?: string; readonly state?: string };
