import type { NostrEvent, NostrFilter } from "./nostr-event.ts";

/**
 * Why a relay did not finish its answer. `unreachable`: no connection was made, so it did not answer at all. All others
 * did answer, and what they hold is unknown.
 */
export type RelayTrouble = "unreachable" | "late" | "refused" | "closed" | "cut" | "nonsense";

/** What a relay answered. Its events are not looked at yet: they may be anything. */
export type RelayAnswer = {
  readonly relay: string;
  readonly events: readonly unknown[];
  /** Nothing where it finished: it said that these are all it has. */
  readonly trouble?: { readonly kind: RelayTrouble; readonly reason: string };
};

/** Whether a relay took an event, in its own words where it did not. */
export type RelayReceipt =
  | { readonly relay: string; readonly ok: true }
  | { readonly relay: string; readonly ok: false; readonly reason: string };

/** How relays are asked and told. Never throws: what goes wrong is in the answer. */
export type RelayClient = {
  readonly ask: (relay: string, filters: readonly NostrFilter[], signal: AbortSignal) => Promise<RelayAnswer>;
  readonly send: (relay: string, event: NostrEvent, signal: AbortSignal) => Promise<RelayReceipt>;
};
