import { AbstractChat, type ChatInit, type ChatTransport, streamText, toUIMessageStream, type UIMessage } from "ai";
import type { aiLoopOf } from "./sdk-stage.ts";

type Loop = ReturnType<typeof aiLoopOf>;

/** What `useChat` does with a page's messages, without the page: the SDK's own, over a route that asks our agent. */
export class ChatPage extends AbstractChat<UIMessage> {
  constructor(ada: Loop, init: Omit<ChatInit<UIMessage>, "transport"> = {}, user: string | null = "eva") {
    const messages: UIMessage[] = [];
    const waiting: { words: string; go: () => void }[] = [];
    const look = () => {
      for (const { words, go } of waiting) if (this.shown.includes(words)) go();
    };
    super({
      ...init,
      transport: routeTo(ada, user),
      state: {
        ...{ status: "ready", error: undefined, messages },
        pushMessage: (one) => void messages.push(one),
        popMessage: () => void messages.pop(),
        replaceMessage: (index, one) => {
          messages.splice(index, 1, one);
          look();
        },
        snapshot: structuredClone,
      },
    });
    this.until = async (words) => {
      await new Promise<void>((go) => void waiting.push({ words, go }));
    };
  }

  /** These words are in the last answer. */
  readonly until: (words: string) => Promise<void>;

  /** Whatever it sent by itself is answered. */
  async ready(): Promise<void> {
    while (this.status !== "ready") await new Promise(setImmediate);
  }

  /** What its person reads of the last answer, a stroke between its parts. */
  get shown(): string {
    const { role, parts = [] } = this.lastMessage ?? {};
    return role === "assistant" ? parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("|") : "";
  }
}

/** When the page goes, its request is aborted, and so is the turn. */
function routeTo(ada: Loop, user: string | null): ChatTransport<UIMessage> {
  return {
    sendMessages: async ({ messages, abortSignal }) => {
      const signal = abortSignal ?? new AbortController().signal;
      const turn = await ada.turn({ messages, signal, user });
      const { stream } = streamText({ ...turn.settings, onError: () => {} });
      return toUIMessageStream({ stream, originalMessages: messages, messageMetadata: turn.metadata });
    },
    reconnectToStream: async () => null,
  };
}
