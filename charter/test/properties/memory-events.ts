import { hash } from "node:crypto";
import { schnorr } from "@noble/curves/secp256k1.js";
import fc from "fast-check";
import { getEventHash } from "nostr-tools/pure";
import {
  createMemoryKey,
  loadNostr,
  type MemoryKey,
  type NostrEvent,
} from "../../src/sources/core-memory/memory-key.ts";

/** What a relay might give, and what is true of it: whose words are in it, and whether a reader may have them. */
export type MadeEvent = {
  readonly event: NostrEvent;
  /** What a reader finds; nothing where it is nobody's, another's, or made wrongly. */
  readonly usable?: { readonly slug: string; readonly text: string | null };
  /** It is the agent's own, for this owner, and signed rightly: so something is there, whatever is wrong with it. */
  readonly own: boolean;
  /** The slug whose d tag it has. */
  readonly under?: string;
};

const nostr = await loadNostr();
const secretOf = (byte: number) => new Uint8Array(32).fill(byte);
const publicKeyOf = (byte: number) => nostr.publicKey(secretOf(byte));
const [agent, owner, otherAgent, otherOwner] = [1, 2, 3, 4] as const;

/** Who writes to whom, with the key between the two. */
const parties = [agent, otherAgent].flatMap((author) =>
  [owner, otherOwner].map((reader) => ({
    author,
    reader,
    by: createMemoryKey(nostr, secretOf(author), publicKeyOf(reader)),
    shared: nostr.conversationKey(secretOf(author), publicKeyOf(reader)),
  })),
);
const partiesOf = (author: number, reader: number) =>
  parties.find((one) => one.author === author && one.reader === reader) as (typeof parties)[number];

/** The agent's key. What was found to be signed rightly is not verified again: that is most of the time it would take. */
export const key: MemoryKey = rememberVerified(partiesOf(agent, owner).by);

function rememberVerified(known: MemoryKey): MemoryKey {
  const verified = new Set<string>();
  return {
    ...known,
    verify: (event) => {
      const digest = hash("sha256", JSON.stringify(event));
      if (!verified.has(digest) && known.verify(event)) verified.add(digest);
      return verified.has(digest);
    },
  };
}

/** The words of anybody else have this in them. */
export const foreignWord = "FOREIGN";

// A body, and what it says to a reader.

type Body = { readonly json: (slug: string, own: string) => string; readonly text?: string | null };

const words = fc
  .oneof(
    { weight: 4, arbitrary: fc.string({ unit: "grapheme", maxLength: 30 }) },
    fc.constantFrom("", " ", "\n", "é😀", '"}', '{"slug":"core"}', "\u2028\u0085\ufeff", "\\u0000", "x".repeat(60_000)),
  )
  .filter((text) => text.isWellFormed() && !text.includes("\0"));
const field = (slug: string) => (slug === "core" ? "profile" : "value");
const quoted = (text: string | null) => JSON.stringify(text);
/** A name or a text, with some of its characters written as escapes. */
const escaped = (text: string) =>
  `"${[...text].map((one) => (one.length === 1 && /[a-z]/.test(one) ? `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}` : quoted(one).slice(1, -1))).join("")}"`;

const usableBody: fc.Arbitrary<Body> = words.chain((text) =>
  fc.constantFrom<Body>(
    { text, json: (slug) => `{"slug":"${slug}","${field(slug)}":${quoted(text)}}` },
    { text, json: (slug) => `\t{ "${field(slug)}" : ${quoted(text)},\n"slug":"${slug}" }\r\n` },
    { text, json: (slug) => `{${escaped("slug")}:${escaped(slug)},"${field(slug)}":${quoted(text)}}` },
    { text, json: (slug) => `{"slug":"${slug}","more":[{"a":1},{"a":{"slug":1}}],"${field(slug)}":${quoted(text)}}` },
  ),
);
const deletedBody: Body = { text: null, json: (slug) => `{"slug":"${slug}","${field(slug)}":null}` };

const wrongBody: fc.Arbitrary<Body> = fc
  .constantFrom<(slug: string, own: string) => string>(
    (slug, own) => `{"slug":"${slug}","${field(slug)}":${own},"${field(slug)}":${own}}`,
    (slug, own) => `{"slug":"${slug}","${field(slug)}":${own},${escaped(field(slug))}:${own}}`,
    (slug, own) => `{"slug":"mem/other","slug":"${slug}","${field(slug)}":${own}}`,
    (slug, own) => `{"slug":"${slug}","${field(slug)}":${own},"more":[[{"b":1,"\\u0062":1}]]}`,
    (slug, own) => `{"slug":"${slug}","${field(slug)}":${own},"more":"\\ud800"}`,
    (slug, own) => `{"slug":"${slug}","${field(slug)}":${own},"more":${"[".repeat(5000)}${"]".repeat(5000)}}`,
    (slug, own) => `{"slug":"${slug}","${field(slug)}":${own}`,
    (slug, own) => `{"slug":"${slug}","${field(slug)}":[${own}]}`,
    (slug, own) => `{"slug":"${slug}","${slug === "core" ? "value" : "profile"}":${own}}`,
    (slug, own) => `[{"slug":"${slug}","${field(slug)}":${own}}]`,
    (_slug, own) => `{"slug":"mem/other","value":${own}}`,
    (_slug, own) => `{"slug":"Core","profile":${own}}`,
    (_slug, own) => own,
    (slug) => `{"slug":"${slug}","${field(slug)}":"\\u0000"}`,
    (slug) => `{"slug":"${slug}","${field(slug)}":7}`,
    (slug) => `{"slug":"${slug}"}`,
    () => "null",
    () => "{}",
    () => "slug",
    () => "[".repeat(60_000),
    () => '{"a":'.repeat(13_000),
  )
  .map((json) => ({ json }));

// An event around it.

const tagShapes: Readonly<
  Record<string, { readonly right: boolean; readonly make: (d: string, p: string) => string[][] }>
> = {
  usual: {
    right: true,
    make: (d, p) => [
      ["d", d],
      ["p", p],
    ],
  },
  turned: { right: true, make: (d, p) => [["p", p, "wss://a"], ["alt", "x"], [], ["d", d, ""]] },
  noD: { right: false, make: (_d, p) => [["p", p]] },
  noP: { right: false, make: (d) => [["d", d]] },
  none: { right: false, make: () => [] },
  twoD: {
    right: false,
    make: (d, p) => [
      ["d", d],
      ["p", p],
      ["d", d],
    ],
  },
  twoP: { right: false, make: (d, p) => [["d", d], ["p", p], ["p"]] },
  otherD: {
    right: false,
    make: (d, p) => [
      ["d", d.replace(/./, (one) => (one === "0" ? "1" : "0"))],
      ["p", p],
    ],
  },
  highD: {
    right: false,
    make: (d, p) => [
      ["d", `${d.toUpperCase()} `],
      ["p", p],
    ],
  },
};

type Wrapping = { readonly right: boolean; readonly make: (json: string, shared: Uint8Array) => string };
const wrappings: Readonly<Record<string, Wrapping>> = {
  usual: { right: true, make: (json, shared) => nostr.encrypt(json, shared) },
  otherKey: { right: false, make: (json) => nostr.encrypt(json, secretOf(9)) },
  plain: { right: false, make: (json) => json },
  cut: { right: false, make: (json, shared) => nostr.encrypt(json, shared).slice(0, -4) },
  changed: { right: false, make: (json, shared) => nostr.encrypt(json, shared).replace(/^(.{90})./, "$1!") },
  marked: { right: false, make: (json, shared) => nostr.encrypt(`\ufeff${json}`, shared) },
  empty: { right: false, make: () => "" },
  large: { right: false, make: (_json, shared) => nostr.encrypt("a".repeat(65_536), shared) },
  huge: { right: false, make: () => "A".repeat(300_000) },
};

const mostly = <Value>(usual: Value, ...others: Value[]): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 24, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary: fc.constantFrom(...others) });

/** All that an event is made of: most are right in most, and few in all. */
const recipe = fc.record({
  author: mostly<number>(agent, otherAgent),
  /** Another signs, in the agent's name. */
  forged: mostly(false, true),
  reader: mostly<number>(owner, otherOwner),
  kind: mostly(30174, 0, 10002, 30078, 30175),
  slug: fc.constantFrom("core", "core", "core", "mem/a", "mem/b/c"),
  createdAt: fc.oneof(fc.nat(3), fc.nat(), fc.constant(Number.MAX_SAFE_INTEGER)),
  tags: mostly("usual", ...Object.keys(tagShapes)),
  wrapping: mostly("usual", ...Object.keys(wrappings)),
  body: fc.oneof({ weight: 6, arbitrary: usableBody }, { weight: 2, arbitrary: wrongBody }, fc.constant(deletedBody)),
});
type Recipe = typeof recipe extends fc.Arbitrary<infer Made> ? Made : never;

/** That many events, signed. Signing is slow: properties take theirs from here, and change them. */
export function makeEvents(count: number): readonly MadeEvent[] {
  return fc.sample(recipe, count).map(made);
}

function made({ author, forged, reader, kind, slug, createdAt, tags, wrapping, body }: Recipe): MadeEvent {
  const isOurs = author === agent && reader === owner && !forged;
  const { by, shared } = partiesOf(author, reader);
  const shape = tagShapes[tags] as (typeof tagShapes)[string];
  const wrapped = wrappings[wrapping] as Wrapping;
  const text = isOurs ? body.text : body.text && `${foreignWord}${body.text.slice(0, 100)}`;
  const json =
    isOurs || body.text === undefined
      ? body.json(slug, quoted(isOurs ? "own" : foreignWord))
      : `{"slug":"${slug}","${field(slug)}":${quoted(text ?? null)}}`;
  const template = {
    kind: kind,
    created_at: createdAt,
    tags: shape.make(by.dTag(slug), by.owner),
    content: wrapped.make(json, shared),
  };
  const event = forged ? forge(template, by.agent) : by.sign(template);
  const own = isOurs && kind === 30174 && shape.right;
  const isUsable = own && wrapped.right && body.text !== undefined && !(slug === "core" && body.text === null);
  return {
    event,
    // What is under another d tag is signed, too: it is only not where its slug belongs.
    own: own || (isOurs && kind === 30174 && (tags === "otherD" || tags === "highD")),
    ...(shape.right && { under: slug }),
    ...(isUsable && { usable: { slug: slug, text: body.text as string | null } }),
  };
}

/** In another's name, with the id that the event has, and a signature of one's own. */
function forge(template: Omit<NostrEvent, "id" | "pubkey" | "sig">, pubkey: string): NostrEvent {
  const unsigned = { ...template, pubkey, tags: template.tags.map((tag) => [...tag]) };
  const id = getEventHash(unsigned);
  const sig = Buffer.from(schnorr.sign(Uint8Array.from(Buffer.from(id, "hex")), secretOf(8))).toString("hex");
  return { ...unsigned, id, sig };
}
