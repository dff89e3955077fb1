import { askRelays, type RelaySearch } from "./ask-relays.ts";
import { judgeAnswers } from "./judge-answers.ts";
import type { MemoryRead } from "./look-at-core.ts";
import { memoryKind } from "./memory-key.ts";

/** Reads one memory from all relays at once. Whatever they do, it is over within `timeoutMs`, and throws nothing. */
export async function readMemory(search: RelaySearch & { readonly slug: string }): Promise<MemoryRead> {
  const { key, slug } = search;
  const filter = { kinds: [memoryKind], authors: [key.agent], "#d": [key.dTag(slug)], "#p": [key.owner] };
  const { answers, writeRelays } = await askRelays(search, (relay, list, signal) =>
    search.client.ask(relay, [filter, list], signal),
  );
  return { ...judgeAnswers(answers, key, slug), writeRelays };
}
