import { repliesIn } from "../../agent/tools/reply.ts";
import type { Store } from "../../store/store.ts";

/** What a turn with several messages noted for each, by the message's id, from its steps on record. */
export async function readReplies(store: Store, turn: string): Promise<ReadonlyMap<string, string>> {
  return new Map(repliesIn(await store.steps.of(turn)).map(({ message, body }) => [message, body]));
}
