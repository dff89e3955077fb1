import { readEvent } from "../event/read-event.ts";
import { newestOf } from "../head.ts";
import type { MemoryKey } from "../memory-key.ts";
import type { NostrEvent } from "../nostr-event.ts";
import { distinctRelays, readRelayAddress } from "./relay-address.ts";

/** The kind of event an agent's list of relays is kept in (NIP-65). */
export const relayListKind = 10002;

/** So many of a list are asked: one that names more keeps nobody busy with them. */
export const mostRelays = 10;

/** Where the agent says that it writes: entries for writing, or for both, of relays that speak WebSocket. */
export function writeRelaysOf({ tags }: NostrEvent): string[] {
  const entries = tags.filter(
    ([name, relay = "", marker = ""]) =>
      name === "r" && (marker === "write" || marker === "") && readRelayAddress(relay)?.isHttp === false,
  );
  return distinctRelays(entries.map(([, relay]) => relay as string));
}

/** A relay keeps one list of an agent; one that goes on giving them only keeps us busy. */
const mostLists = 20;

/** What a relay gave, without the agent's own lists of relays, and the newest of these. Whatever is no list of the agent's stays. */
export function takeRelayList(
  given: readonly unknown[],
  key: MemoryKey,
): { readonly events: readonly unknown[]; readonly list: NostrEvent | undefined } {
  const lists: { event: NostrEvent }[] = [];
  let verified = 0;
  const events = given.filter((one) => {
    const event = readEvent(one);
    if (event?.kind !== relayListKind || event.pubkey !== key.agent || verified === mostLists) return true;
    verified += 1;
    if (!key.verify(event)) return true;
    lists.push({ event });
    return false;
  });
  return { events, list: newestOf(lists)?.event };
}
