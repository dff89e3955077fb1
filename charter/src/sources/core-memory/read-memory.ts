import { askRelays, type RelaySearch } from "./ask-relays.ts";
import type { Finding } from "./finding.ts";
import { judgeAnswers } from "./judge-answers.ts";
import { memoryKind } from "./memory-key.ts";

/** What was found, and where the agent's memories are to be published. */
export type MemoryLookup = Finding & { readonly writeRelays: readonly string[] };

/** Reads one memory from all relays at once. Whatever they do, it is over within `timeoutMs`, and throws nothing. */
export async function readMemory(search: RelaySearch & { readonly slug: string }): Promise<MemoryLookup> {
  const { key, slug } = search;
  const filter = { kinds: [memoryKind], authors: [key.agent], "#d": [key.dTag(slug)], "#p": [key.owner] };
  const { answers, writeRelays, isAnswered, isCut } = await askRelays(search, (relay, list, signal) =>
    search.client.ask(relay, [filter, list], signal),
  );
  const found = judgeAnswers(answers, key, slug);
  if (found.status === "empty" && isCut) {
    const reason = "the agent's own list names more relays than are asked";
    return { status: "unavailable", reason, signed: false, blank: isAnswered, relays: found.relays, writeRelays };
  }
  if (found.status !== "unavailable") return { ...found, writeRelays };
  return { ...found, blank: found.blank && isAnswered, writeRelays };
}
