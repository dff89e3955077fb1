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
 * What the relays have of a slug. Empty only where every relay has finished and none gave anything; whatever else leaves
 * it unknown is unavailable.
 */
export type Finding = {
  readonly relays: readonly RelayReport[];
} /** `behind`: what relays have that do not have the head: the newest of each that is another, each once. */ & (
  | { readonly status: "present"; readonly head: MemoryHead; readonly behind: readonly MemoryHead[] }
  | { readonly status: "empty" }
  /**
   * `signed`: an event of the agent's own was among those that cannot be used, so there is a memory. `blank`: nothing
   * points to one, and a relay has answered in full that it has none: enough for a key that is known to be new.
   */
  | { readonly status: "unavailable"; readonly reason: string; readonly signed: boolean; readonly blank: boolean }
);
