import type { NostrEvent } from "./nostr-event.ts";
import type { RelayTrouble } from "./relay-client.ts";

/** The newest valid event of a slug, with its text. `text` is null for a memory that was deleted (a tombstone). */
export type MemoryHead = {
  readonly slug: string;
  readonly text: string | null;
  readonly event: NostrEvent;
  /** The first relay that had it. */
  readonly relay: string;
};

/** How one relay did: what it holds, or why that is not known. */
export type RelayReport = {
  readonly relay: string;
  readonly trouble?: { readonly kind: RelayTrouble; readonly reason: string };
  /** The newest valid event it has. */
  readonly head?: { readonly id: string; readonly createdAt: number };
  /** How many events it gave that cannot be used, and what is wrong with the first. */
  readonly unusable: number;
  readonly fault?: string;
};

/**
 * What the relays have of a slug. Empty only where every relay that answered finished and none gave anything; whatever
 * else leaves it unknown is unavailable.
 */
export type Finding = { readonly relays: readonly RelayReport[] } & (
  | { readonly status: "present"; readonly head: MemoryHead }
  | { readonly status: "empty" }
  /** `signed`: an event of the agent's own was among those that cannot be used, so there is a memory. */
  | { readonly status: "unavailable"; readonly reason: string; readonly signed: boolean }
);
