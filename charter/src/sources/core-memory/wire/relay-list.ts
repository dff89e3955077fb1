import { readEvent } from "../event/read-event.ts";
import { newestOf } from "../head.ts";
import type { MemoryKey } from "../memory-key.ts";
import type { NostrEvent } from "../nostr-event.ts";
import { distinctRelays, readRelayAddress } from "./relay-address.ts";

/** The kind of event an agent's list of relays is kept in (NIP-65). */
export const relayListKind = 10002;

const mostRelays = 10;

/** Where the agent says that it writes: entries for writing, or for both, of relays that speak WebSocket. */
export function writeRelaysOf({ tags }: NostrEvent): string[] {
  const entries = tags.filter(
    ([name, relay = "", marker = ""]) =>
      name === "r" && (marker === "write" || marker === "") && readRelayAddress(relay)?.isHttp === false,
  );
  return distinctRelays(entries.map(([, relay]) => relay as string)).slice(0, mostRelays);
}

/** What a relay gave, without the agent's own lists of relays, and the newest of these. Whatever is no list of the agent's stays. */
export function takeRelayList(
  given: readonly unknown[],
  key: MemoryKey,
): { readonly events: readonly unknown[]; readonly list: NostrEvent | undefined } {
  const lists: { event: NostrEvent }[] = [];
  const events = given.filter((one) => {
    const event = readList(one, key);
    if (event !== undefined) lists.push({ event });
    return event === undefined;
  });
  return { events, list: newestOf(lists)?.event };
}

function readList(given: unknown, key: MemoryKey): NostrEvent | undefined {
  const event = readEvent(given);
  return event?.kind === relayListKind && event.pubkey === key.agent && key.verify(event) ? event : undefined;
}
