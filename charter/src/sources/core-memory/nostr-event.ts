/** A signed event of Nostr (NIP-01), as it is on the wire. */
export type NostrEvent = {
  readonly id: string;
  readonly pubkey: string;
  /** Seconds since 1970. */
  readonly created_at: number;
  readonly kind: number;
  readonly tags: readonly (readonly string[])[];
  readonly content: string;
  readonly sig: string;
};

/** What is asked of a relay (NIP-01): events of these kinds, authors and tags. */
export type NostrFilter = {
  readonly kinds: readonly number[];
  readonly authors: readonly string[];
  readonly [tag: `#${string}`]: readonly string[];
  readonly until?: number;
  readonly limit?: number;
};
