import type { InboxMessage, Store } from "../../../src/store/index.ts";
import { answerMessage } from "../../store/answer-message.ts";

/** The agent answers whatever waits, as its turns do. */
export async function answerWaiting(
  store: Store,
  agent: string,
  reply: string | ((message: InboxMessage) => string),
): Promise<void> {
  for (;;) {
    const { id: turn } = await store.turns.open({ scope: { agent }, input: "Messages.", runner: "test" });
    const held = await store.inbox.claim(agent, turn);
    if (held.length === 0) return;
    for (const message of held) {
      const words = typeof reply === "string" ? reply : reply(message);
      await answerMessage(store.inbox, { agent, message: message.id, reply: words, turn });
    }
  }
}
