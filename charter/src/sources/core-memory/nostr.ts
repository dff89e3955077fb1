import { loadPackage } from "../../packages/load-package.ts";

/** An event before it is signed: its author and id follow from the key. */
export type EventTemplate = Pick<NostrEvent, "kind" | "created_at" | "tags" | "content">;

/** The few functions of nostr-tools that are used. */
export type Nostr = {
  readonly newSecret: () => Uint8Array;
  /** The public key, as hex. Throws where the secret is none. */
  readonly publicKey: (secret: Uint8Array) => string;
  readonly sign: (template: EventTemplate, secret: Uint8Array) => NostrEvent;
  /** Whether the id is that of the event, and the signature its author's. */
  readonly verify: (event: NostrEvent) => boolean;
  /** The key that two parties share (NIP-44). Throws where the public key is none. */
  readonly conversationKey: (secret: Uint8Array, publicKey: string) => Uint8Array;
  /** Without a nonce a random one is taken, as it must be for anything that is published. */
  readonly encrypt: (text: string, conversationKey: Uint8Array, nonce?: Uint8Array) => string;
  /** Throws where it cannot be decrypted. */
  readonly decrypt: (content: string, conversationKey: Uint8Array) => string;
  readonly npub: (publicKey: string) => string;
  readonly nsec: (secret: Uint8Array) => string;
  /** The bytes behind an npub or nsec, as hex or as they are. Throws where it is neither. */
  readonly publicKeyOf: (npub: string) => string;
  readonly secretOf: (nsec: string) => Uint8Array;
};

const purpose = { purpose: "A core memory on Nostr" };

/** Loads nostr-tools, which only an agent with a core memory on relays needs. */
export async function loadNostr(): Promise<Nostr> {
  const [pure, nip44, nip19] = await Promise.all([
    loadPackage("nostr-tools/pure", purpose),
    loadPackage("nostr-tools/nip44", purpose),
    loadPackage("nostr-tools/nip19", purpose),
  ]);
  return {
    newSecret: pure.generateSecretKey,
    publicKey: pure.getPublicKey,
    sign: (template, secret) => plain(pure.finalizeEvent(mutable(template), secret)),
    // The library marks an event as verified, and copies of it carry that mark: only what has none is looked at.
    verify: (event) => pure.verifyEvent({ ...mutable(event), ...identity(event) }),
    conversationKey: nip44.getConversationKey,
    encrypt: nip44.encrypt,
    decrypt: nip44.decrypt,
    npub: nip19.npubEncode,
    nsec: nip19.nsecEncode,
    publicKeyOf: (npub) => {
      const decoded = nip19.decode(npub);
      if (decoded.type !== "npub") throw new Error("This is no npub.");
      return decoded.data;
    },
    secretOf: (nsec) => {
      const decoded = nip19.decode(nsec);
      if (decoded.type !== "nsec") throw new Error("This is no nsec.");
      return decoded.data;
    },
  };
}

function plain(event: NostrEvent): NostrEvent {
  const { kind, created_at, tags, content } = event;
  return { ...identity(event), kind, created_at, tags, content };
}

function identity({ id, pubkey, sig }: NostrEvent) {
  return { id, pubkey, sig };
}

function mutable({ kind, created_at, tags, content }: EventTemplate) {
  return { kind, created_at, tags: tags.map((tag) => [...tag]), content };
}

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

const isHex = (given: unknown, length: number): given is string =>
  typeof given === "string" && given.length === length && /^[0-9a-f]*$/.test(given);
/** JSON may say -0: no event that was signed with 0 says so. */
const isWholeNumber = (given: unknown): given is number =>
  Number.isSafeInteger(given) && (given as number) >= 0 && !Object.is(given, -0);
const isTag = (given: unknown): given is readonly string[] =>
  Array.isArray(given) && given.every((value) => typeof value === "string");

/**
 * What a relay gave, as an event and nothing more: a copy of its seven fields. Nothing where it is none. Whether it is
 * signed rightly is another matter.
 */
export function readEvent(given: unknown): NostrEvent | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const { id, pubkey, created_at, kind, tags, content, sig } = given as Partial<Record<keyof NostrEvent, unknown>>;
  if (!isHex(id, 64) || !isHex(pubkey, 64) || !isHex(sig, 128)) return undefined;
  if (!isWholeNumber(created_at) || !isWholeNumber(kind) || typeof content !== "string") return undefined;
  if (!Array.isArray(tags) || !tags.every(isTag)) return undefined;
  return { id, pubkey, created_at, kind, tags: tags.map((tag) => [...tag]), content, sig };
}

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
