import { loadPackage } from "../../packages/load-package.ts";
import type { NostrEvent } from "./nostr-event.ts";

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
