import { createHash, createHmac, randomBytes } from "node:crypto";
import type { Nostr } from "../../src/sources/core-memory/memory-key.ts";

const digest = (...parts: (string | Uint8Array)[]) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
};
const signatureOf = (id: string, author: string) => digest("signed", id, author).repeat(2);
const idOf = (event: { pubkey: string; created_at: number; kind: number; tags: unknown; content: string }) =>
  digest(JSON.stringify([0, event.pubkey, event.created_at, event.kind, event.tags, event.content]));
const macOf = (key: Uint8Array, sealed: Uint8Array) => createHmac("sha256", key).update(sealed).digest();
const notHere = () => {
  throw new Error("A world of made-up keys has none of these.");
};

/**
 * Nostr with made-up cryptography, a thousand times as fast: whoever knows a key signs and decrypts, nobody else does,
 * and everything is as long as it really is. For ten thousand histories; what a real relay takes has real signatures.
 */
export const lightNostr: Nostr = {
  newSecret: () => randomBytes(32),
  publicKey: (secret) => digest("public", secret),
  sign: ({ kind, created_at, tags, content }, secret) => {
    const pubkey = digest("public", secret);
    const id = idOf({ pubkey, created_at, kind, tags, content });
    return { id, pubkey, created_at, kind, tags, content, sig: signatureOf(id, pubkey) };
  },
  verify: (event) => idOf(event) === event.id && signatureOf(event.id, event.pubkey) === event.sig,
  conversationKey: (secret, publicKey) => Buffer.from(digest(...[digest("public", secret), publicKey].sort()), "hex"),
  encrypt: (text, key, nonce = randomBytes(32)) => {
    const words = Buffer.from(text);
    const length = Buffer.from([words.length >> 8, words.length & 255]);
    const sealed = Buffer.concat([
      Buffer.from([2]),
      nonce,
      length,
      words,
      Buffer.alloc(Math.max(0, 32 - words.length)),
    ]);
    return Buffer.concat([sealed, macOf(key, sealed)]).toString("base64");
  },
  decrypt: (content, key) => {
    const given = Buffer.from(content, "base64");
    const sealed = given.subarray(0, -32);
    if (given.length < 99 || !macOf(key, sealed).equals(given.subarray(-32)))
      throw new Error("It is not for this key.");
    return sealed.subarray(35, 35 + sealed.readUInt16BE(33)).toString();
  },
  npub: (publicKey) => `npub-${publicKey.slice(0, 8)}`,
  nsec: notHere,
  publicKeyOf: notHere,
  secretOf: notHere,
};
