import { readFileSync } from "node:fs";
import { schnorr } from "@noble/curves/secp256k1.js";
import { expect, test } from "vitest";
import { createMemoryKey, loadNostr, type Nostr } from "../../../src/sources/core-memory/memory-key.ts";
import { checkEvent } from "../../../src/sources/core-memory/read-memory.ts";

/** The test vectors that NIP-AE publishes. The keys are for tests only. */
const vectors = JSON.parse(readFileSync(new URL("nip-ae.json", import.meta.url), "utf8")) as {
  readonly agentSecret: string;
  readonly ownerSecret: string;
  readonly agent: string;
  readonly owner: string;
  readonly conversationKey: string;
  readonly d: Readonly<Record<string, string>>;
  readonly events: readonly {
    readonly created_at: number;
    readonly nonce: string;
    readonly body: string;
    readonly content: string;
    readonly id: string;
    readonly sig: string;
  }[];
};
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"));
const hex = (given: Uint8Array) => Buffer.from(given).toString("hex");

const nostr = await loadNostr();
const agentSecret = bytes(vectors.agentSecret);
const key = createMemoryKey(nostr, agentSecret, vectors.owner);

/** The vectors were made with nonces that are known, and signed without any randomness. */
const made = (nonce: string): Nostr => ({
  ...nostr,
  encrypt: (text, conversationKey) => nostr.encrypt(text, conversationKey, bytes(nonce)),
  sign: (template, secret) => {
    const event = nostr.sign(template, secret);
    return { ...event, sig: hex(schnorr.sign(bytes(event.id), secret, new Uint8Array(32))) };
  },
});
const slugOf = (body: string) => (JSON.parse(body) as { slug: string }).slug;
const textOf = (body: string) => {
  const { profile, value } = JSON.parse(body) as { profile?: string; value?: string | null };
  return profile ?? value ?? null;
};

test("agent and owner have the same key between them, as published", () => {
  const ownerSecret = bytes(vectors.ownerSecret);
  expect({
    agent: key.agent,
    owner: nostr.publicKey(ownerSecret),
    conversationKeys: [
      hex(nostr.conversationKey(agentSecret, vectors.owner)),
      hex(nostr.conversationKey(ownerSecret, vectors.agent)),
    ],
  }).toEqual({
    agent: vectors.agent,
    owner: vectors.owner,
    conversationKeys: [vectors.conversationKey, vectors.conversationKey],
  });
});

test("the d tags of three slugs are as published", () => {
  expect(Object.fromEntries(Object.keys(vectors.d).map((slug) => [slug, key.dTag(slug)]))).toEqual(vectors.d);
  expect(Object.keys(vectors.d)).toHaveLength(3);
  expect(key.address("core")).toBe(`30174:${vectors.agent}:${vectors.d.core}`);
});

test.each(vectors.events)(
  "the event $id is made to the byte, and read",
  ({ created_at, nonce, body, ...published }) => {
    const slug = slugOf(body);
    const text = textOf(body);
    const event = {
      ...published,
      kind: 30174,
      pubkey: vectors.agent,
      created_at,
      tags: [
        ["d", vectors.d[slug]],
        ["p", vectors.owner],
      ],
    };
    const maker = createMemoryKey(made(nonce), agentSecret, vectors.owner);
    expect(maker.makeEvent({ slug, text, createdAt: created_at })).toEqual(event);
    expect(key.open(event as never)).toBe(body);
    expect(checkEvent(event, key, slug)).toEqual({ usable: { slug, text, event } });
    expect(checkEvent(event, key)).toEqual({ usable: { slug, text, event } });
  },
);
