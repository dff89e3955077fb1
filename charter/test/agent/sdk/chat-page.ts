import { AbstractChat, type ChatInit, type ChatTransport, streamText, toUIMessageStream, type UIMessage } from "ai";
import type { aiLoopOf } from "./sdk-stage.ts";

type Loop = ReturnType<typeof aiLoopOf>;

/** What `useChat` does with a page's messages, without the page: the SDK's own, over a route that asks our agent. */
export class ChatPage extends AbstractChat<UIMessage> {
  constructor(ada: Loop, init: Omit<ChatInit<UIMessage>, "transport"> = {}, user: string | null = "eva") {
    const messages: UIMessage[] = [];
    const waiting: (() => void)[] = [];
    super({
      ...init,
      onFinish: () => waiting.splice(0).forEach((go) => void go()),
      transport: routeTo(ada, user),
      state: {
        ...{ status: "ready", error: undefined, messages },
        pushMessage: (one) => void messages.push(one),
        popMessage: () => void messages.pop(),
        replaceMessage: (index, one) => void messages.splice(index, 1, one),
        snapshot: structuredClone,
      },
    });
    this.answered = () => new Promise((resolve) => void waiting.push(resolve));
  }

  /** The next answer has come, or an error in its place. */
  readonly answered: () => Promise<void>;

  /** What its person reads last. */
  get shown(): string {
    const parts = this.lastMessage?.parts ?? [];
    return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("|");
  }
}

/** A page's request ends when its reader goes: so does the turn. */
function routeTo(ada: Loop, user: string | null): ChatTransport<UIMessage> {
  return {
    sendMessages: async ({ messages, abortSignal }) => {
      const signal = abortSignal ?? new AbortController().signal;
      const turn = await ada.turn({ messages, signal, ...(user === null ? {} : { user }) });
      const { stream } = streamText({ ...turn.settings, onError: () => {} });
      return toUIMessageStream({ stream, originalMessages: messages, messageMetadata: turn.metadata });
    },
    reconnectToStream: async () => null,
  };
}
