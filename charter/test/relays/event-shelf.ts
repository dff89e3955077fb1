import { EventRepository } from "@nostr-relay/common";
import type { Event, Filter } from "nostr-tools";
import { matchFilter } from "nostr-tools/filter";
import type { NostrEvent } from "../../src/sources/core-memory/memory-key.ts";

/** Where a relay of the tests keeps its events: in memory, the newest of an address only, as NIP-01 wants it. */
export class EventShelf extends EventRepository {
  readonly events = new Map<string, NostrEvent>();
  asked = 0;

  isSearchSupported(): boolean {
    return false;
  }

  upsert(event: NostrEvent): { isDuplicate: boolean } {
    const address = addressOf(event);
    const before = this.events.get(address);
    if (before && !isLater(event, before)) return { isDuplicate: before.id === event.id };
    this.events.set(address, event);
    return { isDuplicate: false };
  }

  find(filter: object): Event[] {
    const { limit = 500, ...rest } = filter as Filter;
    return [...this.events.values()]
      .map((event) => event as Event)
      .filter((event) => matchFilter(rest, event))
      .sort((one, other) => (isLater(one, other) ? -1 : 1))
      .slice(0, limit);
  }

  async destroy(): Promise<void> {
    this.events.clear();
  }
}

function isLater(one: NostrEvent, other: NostrEvent): boolean {
  return one.created_at === other.created_at ? one.id < other.id : one.created_at > other.created_at;
}

function addressOf({ id, kind, pubkey, tags }: NostrEvent): string {
  if (kind >= 30_000 && kind < 40_000) return `${kind}:${pubkey}:${tags.find(([name]) => name === "d")?.[1] ?? ""}`;
  return kind === 0 || kind === 3 || (kind >= 10_000 && kind < 20_000) ? `${kind}:${pubkey}` : id;
}
