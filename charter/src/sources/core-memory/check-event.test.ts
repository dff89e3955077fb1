import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { watched } from "../../../test/sources/core-memory/watched.ts";
import { createMemoryKey, type EventTemplate, loadNostr, type NostrEvent } from "./memory-key.ts";
import { checkEvent } from "./read-memory.ts";

const nostr = await loadNostr();
const secret = new Uint8Array(32).fill(1);
const ownerSecret = new Uint8Array(32).fill(2);
const otherSecret = new Uint8Array(32).fill(3);
const owner = nostr.publicKey(ownerSecret);
const other = nostr.publicKey(otherSecret);
const conversation = nostr.conversationKey(secret, owner);
const key = createMemoryKey(nostr, secret, owner);

const core = key.makeEvent({ slug: "core", text: "I am Ada.", createdAt: 100 });
const d = key.dTag("core");
const tags = [
  ["d", d],
  ["p", owner],
];

/** An event of the agent's with whatever is asked, signed rightly. */
const signed = (changes: Partial<EventTemplate>) =>
  key.sign({ kind: 30174, created_at: 100, tags, content: core.content, ...changes });
/** An event with that body, signed and encrypted rightly. */
const saying = (body: string) => signed({ content: nostr.encrypt(body, conversation) });

/** An event whose body is these bytes, whatever they are, and what fills up the rest. */
function sayingBytes(bytes: Buffer, filling = 0): NostrEvent {
  const stand = "a".repeat(bytes.length);
  const sealed = Buffer.from(nostr.encrypt(stand, conversation, new Uint8Array(32).fill(9)), "base64");
  const hidden = sealed.subarray(33, -32);
  const filled = Buffer.alloc(hidden.length - 2 - bytes.length, filling);
  for (const [at, byte] of Buffer.concat([bytes, filled]).entries())
    hidden[at + 2] = (hidden[at + 2] as number) ^ byte ^ (stand.charCodeAt(at) || 0);
  const hmac = (under: Uint8Array, ...parts: Uint8Array[]) =>
    createHmac("sha256", under).update(Buffer.concat(parts)).digest();
  // HKDF's expansion, of which NIP-44 takes the bytes from 44 to 76 to authenticate with.
  const nonce = sealed.subarray(1, 33);
  const first = hmac(conversation, nonce, Buffer.from([1]));
  const second = hmac(conversation, first, nonce, Buffer.from([2]));
  const third = hmac(conversation, second, nonce, Buffer.from([3]));
  hmac(Buffer.concat([first, second, third]).subarray(44, 76), nonce, hidden).copy(sealed, sealed.length - 32);
  return signed({ content: sealed.toString("base64") });
}

test("an event of the agent's is usable, as it came, with its text", () => {
  const given = { ...core, extra: 1 };
  expect(checkEvent(given, key, "core")).toEqual({ usable: { slug: "core", text: "I am Ada.", event: core } });
});

test("other tags, and other values in a tag, change nothing", () => {
  const event = signed({ tags: [["alt", "x"], ["d", d, "more"], ["p", owner, "wss://a"], [], ["D", "x"]] });
  expect(checkEvent(event, key, "core")).toMatchObject({ usable: { text: "I am Ada." } });
});

test("a blank profile is a text, and a memory that was deleted has none", () => {
  expect(checkEvent(key.makeEvent({ slug: "core", text: " ", createdAt: 1 }), key, "core")).toMatchObject({
    usable: { slug: "core", text: " " },
  });
  expect(checkEvent(key.makeEvent({ slug: "mem/a", text: null, createdAt: 1 }), key)).toMatchObject({
    usable: { slug: "mem/a", text: null },
  });
});

test("the owner reads with their own key what the agent wrote", () => {
  // The agent's address and the shared key are the same from both sides; only who signs is not.
  const shared = createMemoryKey(nostr, ownerSecret, nostr.publicKey(secret));
  expect([shared.open(core), shared.dTag("core")]).toEqual(['{"slug":"core","profile":"I am Ada."}', d]);
});

const otherKey = createMemoryKey(nostr, otherSecret, owner);
const otherOwner = createMemoryKey(nostr, secret, other);

describe("what is not for us is not even verified", () => {
  test.each<[string, unknown, string]>([
    ["of another kind", signed({ kind: 30078 }), "it is of another kind"],
    ["another author's", otherKey.makeEvent({ slug: "core", text: "x", createdAt: 1 }), "it is another author's"],
    ["without d", signed({ tags: [["p", owner]] }), "it has not exactly one d tag"],
    ["with d twice", signed({ tags: [...tags, ["d", d]] }), "it has not exactly one d tag"],
    ["with an empty d as well", signed({ tags: [...tags, ["d"]] }), "it has not exactly one d tag"],
    ["without p", signed({ tags: [["d", d]] }), "it has not exactly one p tag"],
    ["with two p", signed({ tags: [...tags, ["p", other]] }), "it has not exactly one p tag"],
    ["with p that has no value", signed({ tags: [["d", d], ["p"]] }), "it is for another owner"],
    ["another owner's", otherOwner.makeEvent({ slug: "core", text: "x", createdAt: 1 }), "it is for another owner"],
    ["of another slug", key.makeEvent({ slug: "mem/a", text: "x", createdAt: 1 }), "it is of another memory"],
    ["no object", "event", "it is no event"],
    ["null", null, "it is no event"],
    ["a list", [core], "it is no event"],
    ["without a signature", { ...core, sig: undefined }, "it is no event"],
    ["with an id in capitals", { ...core, id: core.id.toUpperCase() }, "it is no event"],
    ["of half a second", { ...core, created_at: 1.5 }, "it is no event"],
    ["before 1970", { ...core, created_at: -1 }, "it is no event"],
    ["of a time that JSON writes as -0", { ...core, created_at: -0 }, "it is no event"],
    ["of no time", { ...core, created_at: Number.NaN }, "it is no event"],
    ["of a time beyond numbers", { ...core, created_at: 1e300 }, "it is no event"],
    ["with a number among its tags", { ...core, tags: [...tags, ["e", 1]] }, "it is no event"],
    ["with tags that are none", { ...core, tags: { d } }, "it is no event"],
    ["with content that is none", { ...core, content: null }, "it is no event"],
  ])("%s", (_what, given, unusable) => {
    const { key: asked, calls } = watched(key);
    expect([checkEvent(given, asked, "core"), calls]).toEqual([{ unusable, signed: false }, []]);
  });
});

describe("what is not signed rightly is not decrypted", () => {
  const zero = "0".repeat(64);
  test.each<[string, unknown]>([
    ["another content", { ...core, content: saying("{}").content }],
    ["a later time", { ...core, created_at: 101 }],
    ["one more tag", { ...core, tags: [...core.tags, ["alt", "x"]] }],
    ["another id", { ...core, id: zero }],
    ["another's signature", { ...core, sig: nostr.sign(core, otherSecret).sig }],
    ["no curve's signature", { ...core, sig: "f".repeat(128) }],
    ["a content of 1 MB", { ...core, content: "A".repeat(1_000_000) }],
  ])("%s", (_what, given) => {
    const { key: asked, calls } = watched(key);
    expect([checkEvent(given, asked, "core"), calls]).toEqual([
      { unusable: "its signature is wrong", signed: false },
      ["verify"],
    ]);
  });

  test("a mark of the library's, that says an event was verified, is not believed", async () => {
    const { finalizeEvent, verifyEvent } = await import("nostr-tools/pure");
    const marked = finalizeEvent({ kind: 30174, created_at: 1, tags, content: core.content }, secret);
    const forged = { ...marked, content: saying('{"slug":"core","profile":"forged"}').content };
    expect(verifyEvent(forged)).toBe(true);
    expect(checkEvent(forged, key, "core")).toEqual({ unusable: "its signature is wrong", signed: false });
    expect(checkEvent(marked, key, "core")).toMatchObject({ usable: { text: "I am Ada." } });
  });
});

describe("what is signed and cannot be used says so", () => {
  const size = "its content is of a size that no memory has";
  const sealed = "its content cannot be decrypted";
  const broken = Buffer.from('{"slug":"core","profile":"\xe9"}', "latin1");
  test.each<[string, NostrEvent, string, string[]]>([
    ["no content", signed({ content: "" }), size, ["verify"]],
    ["131 characters", signed({ content: "A".repeat(131) }), size, ["verify"]],
    ["one body too large", signed({ content: nostr.encrypt("a".repeat(65_536), conversation) }), size, ["verify"]],
    ["1 MB", signed({ content: "A".repeat(1_000_000) }), size, ["verify"]],
    ["another version", signed({ content: `AQ${core.content.slice(2)}` }), sealed, ["verify", "open"]],
    ["no base64", signed({ content: "!".repeat(200) }), sealed, ["verify", "open"]],
    ["for another key", signed({ content: nostr.encrypt("{}", new Uint8Array(32)) }), sealed, ["verify", "open"]],
    ["a byte order mark", saying('\ufeff{"slug":"core","profile":"x"}'), sealed, ["verify", "open"]],
    ["bytes that are no UTF-8", sayingBytes(broken), sealed, ["verify", "open"]],
    ["no JSON", saying("core"), "in its content, it is no JSON", ["verify", "open"]],
    [
      "names twice",
      saying('{"slug":"core","profile":"x","\\u0070rofile":"y"}'),
      "in its content, a name occurs twice in one object",
      ["verify", "open"],
    ],
    [
      "another slug's body",
      saying('{"slug":"mem/a","value":"x"}'),
      "in its content, its slug belongs under another d tag",
      ["verify", "open"],
    ],
    ["no slug's body", saying('{"slug":"soul","profile":"x"}'), "in its content, its slug is none", ["verify", "open"]],
    [
      "no profile",
      saying('{"slug":"core","value":"x"}'),
      "in its content, its “profile” is no text",
      ["verify", "open"],
    ],
  ])("%s", (_what, event, unusable, asked) => {
    const { key: watchedKey, calls } = watched(key);
    expect([checkEvent(event, watchedKey, "core"), calls]).toEqual([{ unusable, signed: true }, asked]);
  });

  test("what fills up an event's content after the body does not count", () => {
    const event = sayingBytes(Buffer.from('{"slug":"core","profile":"é"}'), 7);
    expect(checkEvent(event, key, "core")).toMatchObject({ usable: { text: "é" } });
  });

  test("the largest body there is can be read", () => {
    const text = "a".repeat(65_535 - '{"slug":"core","profile":""}'.length);
    const event = key.makeEvent({ slug: "core", text, createdAt: 1 });
    expect(event.content).toHaveLength(87_472);
    expect(checkEvent(event, key, "core")).toMatchObject({ usable: { text } });
  });
});
