import { Problem } from "../../prompt/problem.ts";
import { makeBody } from "./event/body.ts";
import type { EventTemplate, Nostr } from "./nostr.ts";
import type { NostrEvent } from "./nostr-event.ts";
import { dTag } from "./slug.ts";

/** The kind of event a memory is kept in (NIP-AE). */
export const memoryKind = 30174;

/**
 * What an agent's memories are read and written with: its key, and the one it shares with its owner. Both keys are
 * only in the functions, so that nothing which prints or keeps this object shows them.
 */
export type MemoryKey = {
  /** The agent's public key, as hex and as an npub. */
  readonly agent: string;
  readonly npub: string;
  /** The owner's public key, as hex. */
  readonly owner: string;
  /** The `d` tag of a slug's events. */
  readonly dTag: (slug: string) => string;
  /** The address of a slug's events: kind, agent and `d` tag. */
  readonly address: (slug: string) => string;
  /** Signs an event as the agent. */
  readonly sign: (template: EventTemplate) => NostrEvent;
  /** Whether an event's id and signature are right. */
  readonly verify: (event: NostrEvent) => boolean;
  /** What an event of the agent's says, byte for byte; nothing where it cannot be decrypted with this key. */
  readonly open: (event: NostrEvent) => string | undefined;
  /** The signed event of a memory. Throws a Problem where the text cannot be published; null deletes a memory. */
  readonly makeEvent: (memory: MemoryText) => NostrEvent;
};

/** A memory that is to be published. `createdAt` is in seconds since 1970. */
type MemoryText = { readonly slug: string; readonly text: string | null; readonly createdAt: number };

/** Makes the key of an agent's memories from its secret key and its owner's public key, as hex. */
export function createMemoryKey(nostr: Nostr, secret: Uint8Array, owner: string): MemoryKey {
  const own = secret.slice();
  const agent = nostr.publicKey(own);
  const conversationKey = nostr.conversationKey(own, owner);
  const tagOf = (slug: string) => dTag(conversationKey, slug);
  const sign = (template: EventTemplate) => nostr.sign(template, own);
  return Object.freeze({
    agent,
    npub: nostr.npub(agent),
    owner,
    dTag: tagOf,
    address: (slug: string) => `${memoryKind}:${agent}:${tagOf(slug)}`,
    sign,
    verify: nostr.verify,
    open: ({ content }: NostrEvent) => decryptExactly(nostr, content, conversationKey),
    makeEvent: ({ slug, text, createdAt }: MemoryText) => {
      const body = makeBody(slug, text);
      if (body instanceof Problem) throw body;
      return sign({
        kind: memoryKind,
        created_at: createdAt,
        tags: [
          ["d", tagOf(slug)],
          ["p", owner],
        ],
        content: nostr.encrypt(body, conversationKey),
      });
    },
  });
}

/** Version, nonce and the length of the text: what stands before the text in what was encrypted. */
const opening = 1 + 32 + 2;

/**
 * The library drops a byte order mark and mends bytes that are no UTF-8, and others take such an event for none. So what
 * it read is encrypted again, with the same nonce: the same bytes come out only where it changed nothing.
 */
function decryptExactly(nostr: Nostr, content: string, conversationKey: Uint8Array): string | undefined {
  try {
    const text = nostr.decrypt(content, conversationKey);
    const given = Buffer.from(content, "base64");
    const again = Buffer.from(nostr.encrypt(text, conversationKey, given.subarray(1, 33)), "base64");
    const length = opening + Buffer.byteLength(text);
    return given.subarray(0, length).equals(again.subarray(0, length)) ? text : undefined;
  } catch {
    return undefined;
  }
}
