import type { NostrEvent } from "./nostr-event.ts";

/** What decides which of two events stands. */
export type EventRank = Pick<NostrEvent, "id" | "created_at">;

/** Of two events of a slug the later one stands; of two at the same second, the one with the lower id. */
export function isNewer(one: EventRank, other: EventRank): boolean {
  return one.created_at === other.created_at ? one.id < other.id : one.created_at > other.created_at;
}

/** The one that stands; of the same event twice, the first. */
export function newestOf<Head extends { readonly event: EventRank }>(heads: Iterable<Head>): Head | undefined {
  let newest: Head | undefined;
  for (const head of heads) if (newest === undefined || isNewer(head.event, newest.event)) newest = head;
  return newest;
}
