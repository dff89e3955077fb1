import { loadPackage } from "../../packages/load-package.ts";
import { grouped, Problem } from "../../prompt/problem.ts";
import { isWhole } from "../../prompt/sound.ts";

const { createHmac } = process.getBuiltinModule("node:crypto");

/** Kind of event that holds a memory (NIP-AE). */
export const memoryKind = 30174;

/**
 * Key of an agent's memories, with the one it shares with its owner. Both are kept inside the functions, so that printing or
 * storing this object does not reveal them.
 */
export type MemoryKey = {
  /** Public key of the agent, as hex and as an npub. */
  readonly agent: string;
  readonly npub: string;
  /** Public key of the owner, as hex. */
  readonly owner: string;
  /** Returns the `d` tag of a slug's events. */
  readonly dTag: (slug: string) => string;
  /** Returns the address of a slug's events: kind, agent and `d` tag. */
  readonly address: (slug: string) => string;
  /** Signs an event as the agent. */
  readonly sign: (template: EventTemplate) => NostrEvent;
  /** Checks an event's id and signature. */
  readonly verify: (event: NostrEvent) => boolean;
  /** Decrypts an event of the agent's, byte for byte; undefined if this key cannot. */
  readonly open: (event: NostrEvent) => string | undefined;
  /** Makes the signed event of a memory; null as its text deletes it. Throws a Problem if the text cannot be published. */
  readonly makeEvent: (memory: MemoryText) => NostrEvent;
};

/** A memory to publish. `createdAt` is in seconds since 1970. */
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

/** Length of the encrypted data before the text: version, nonce and the text's length. */
const headerBytes = 1 + 32 + 2;

/**
 * Decrypts a text and checks it by encrypting it again with the same nonce. The library drops a byte-order mark and repairs
 * invalid UTF-8, and other programs reject such an event; the bytes are the same only if it changed nothing.
 */
function decryptExactly(nostr: Nostr, content: string, conversationKey: Uint8Array): string | undefined {
  try {
    const text = nostr.decrypt(content, conversationKey);
    const bytes = Buffer.from(content, "base64");
    const again = Buffer.from(nostr.encrypt(text, conversationKey, bytes.subarray(1, 33)), "base64");
    const length = headerBytes + Buffer.byteLength(text);
    return bytes.subarray(0, length).equals(again.subarray(0, length)) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Slug of an agent's core memory: the only one that is not `mem/…`. */
export const coreSlug = "core";

const memorySlug = /^mem\/[a-z0-9][a-z0-9_-]{0,63}(?:\/[a-z0-9][a-z0-9_-]{0,63})*$/;

/** Checks whether a memory can have this name: `core`, or as in `mem/people/ada`. */
export function isSlug(given: unknown): given is string {
  return typeof given === "string" && (given === coreSlug || (given.length <= 255 && memorySlug.test(given)));
}

/** Tag a memory is stored under: without the conversation key nobody can tell its slug. */
export function dTag(conversationKey: Uint8Array, slug: string): string {
  return createHmac("sha256", conversationKey).update(`agent-memory/v1/d-tag\0${slug}`, "utf8").digest("hex");
}

/** Maximum bytes NIP-44 can encrypt. The library takes more, but then others cannot decrypt it. */
const maxBodyBytes = 65_535;

/** Decrypted content of an event. `text` is null if it says that the memory was deleted. */
type MemoryBody = { readonly slug: string; readonly text: string | null };

/** JSON of a memory before encryption; or why it cannot be published. */
export function makeBody(slug: string, text: string | null): string | Problem {
  if (!isSlug(slug))
    return new Problem(
      "bad-slug",
      "A memory's name is neither “core” nor in the form of “mem/name”.",
      "Give lower-case letters, digits, “-” and “_”, with “/” between parts, 255 in all, as in mem/people/ada.",
    );
  if (slug === coreSlug && text === null)
    return badMemory(slug, "cannot be deleted", "Rewrite it; only memories under mem/ can be deleted.");
  if (text !== null && !isWhole(text))
    return badMemory(slug, "holds half a character or a NUL", "Fix the text where it comes from.");
  const body = JSON.stringify(slug === coreSlug ? { slug, profile: text } : { slug, value: text });
  const size = Buffer.byteLength(body);
  if (size <= maxBodyBytes) return body;
  return badMemory(
    slug,
    `would be ${grouped(size)} bytes as JSON; at most ${grouped(maxBodyBytes)} can be published`,
    "Shorten it.",
  );
}

function badMemory(slug: string, fault: string, hint: string): Problem {
  return new Problem("bad-memory", `The memory “${slug}” ${fault}.`, hint);
}

/**
 * Reads the JSON of a memory. `isAddressed` checks that the event is stored where its slug belongs, before anything else of it
 * counts.
 */
export function readBody(
  json: string,
  isAddressed: (slug: string) => boolean,
): MemoryBody | { readonly fault: string } {
  if (Buffer.byteLength(json) > maxBodyBytes) return { fault: `it has more than ${grouped(maxBodyBytes)} bytes` };
  const parsed = parseStrict(json);
  if ("fault" in parsed) return parsed;
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { fault: "it is no object" };
  const body = value as { readonly slug?: unknown; readonly profile?: unknown; readonly value?: unknown };
  const slug = Object.hasOwn(body, "slug") ? body.slug : undefined;
  if (!isSlug(slug)) return { fault: "its slug is none" };
  if (!isAddressed(slug)) return { fault: "its slug belongs under another d tag" };
  const field = slug === coreSlug ? "profile" : "value";
  const text = Object.hasOwn(body, field) ? body[field] : undefined;
  if (typeof text === "string")
    return isWhole(text) ? { slug, text } : { fault: `its “${field}” holds a NUL, which cannot be kept` };
  if (text === null && slug !== coreSlug) return { slug, text };
  return { fault: `its “${field}” is no text` };
}

const deepest = 128;

/** Value of a JSON text, or its fault. */
type StrictJson = { readonly value: unknown } | { readonly fault: string };

/**
 * Parses JSON that every reader understands alike: no name twice in an object, at any depth and however it is escaped, and no
 * half characters.
 */
export function parseStrict(text: string): StrictJson {
  if (!text.isWellFormed()) return { fault: "it holds half a character" };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: "it is no JSON" };
  }
  const fault = faultIn(text);
  return fault === undefined ? { value } : { fault };
}

/** Tokens of JSON: a string, with its colon if it is a name; or the beginning or end of an object or a list. */
const token = /("[^"\\]*(?:\\.[^"\\]*)*")([ \t\n\r]*:)?|[[\]{}]/g;

/** Finds repeated names in valid JSON, where a string before a colon is a name in the innermost open object. */
function faultIn(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [mark, string, colon] of text.matchAll(token)) {
    if (string !== undefined) {
      const words = string.includes("\\") ? (JSON.parse(string) as string) : string.slice(1, -1);
      if (!words.isWellFormed()) return "it holds half a character";
      if (colon === undefined) continue;
      const names = open.at(-1) as Set<string>;
      if (names.has(words)) return "a name occurs twice in one object";
      names.add(words);
    } else if (mark === "{" || mark === "[") {
      if (open.push(new Set()) > deepest) return `it is nested more than ${deepest} deep`;
    } else open.pop();
  }
  return undefined;
}

/** An event before it is signed: its author and id follow from the key. */
export type EventTemplate = Pick<NostrEvent, "kind" | "created_at" | "tags" | "content">;

/** Functions of nostr-tools that are used. */
export type Nostr = {
  readonly newSecret: () => Uint8Array;
  /** Returns the public key, as hex. Throws if the secret is invalid. */
  readonly publicKey: (secret: Uint8Array) => string;
  readonly sign: (template: EventTemplate, secret: Uint8Array) => NostrEvent;
  /** Checks that the id is that of the event, and the signature its author's. */
  readonly verify: (event: NostrEvent) => boolean;
  /** Derives the key that two parties share (NIP-44). Throws if the public key is invalid. */
  readonly conversationKey: (secret: Uint8Array, publicKey: string) => Uint8Array;
  /** Encrypts with a random nonce by default, as is required for anything that is published. */
  readonly encrypt: (text: string, conversationKey: Uint8Array, nonce?: Uint8Array) => string;
  /** Decrypts; throws if it cannot. */
  readonly decrypt: (content: string, conversationKey: Uint8Array) => string;
  readonly npub: (publicKey: string) => string;
  readonly nsec: (secret: Uint8Array) => string;
  /** Returns the bytes behind an npub (as hex) or an nsec. Throws for anything else. */
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
    // The library marks an event as verified, and copies carry the mark along: so a clean copy is verified.
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
  /** Time in seconds since 1970. */
  readonly created_at: number;
  readonly kind: number;
  readonly tags: readonly (readonly string[])[];
  readonly content: string;
  readonly sig: string;
};

/** Filter for events on a relay (NIP-01): by kinds, authors and tags. */
export type NostrFilter = {
  readonly kinds: readonly number[];
  readonly authors: readonly string[];
  readonly [tag: `#${string}`]: readonly string[];
  readonly until?: number;
  readonly limit?: number;
};

const isHex = (given: unknown, length: number): given is string =>
  typeof given === "string" && given.length === length && /^[0-9a-f]*$/.test(given);
/** JSON may contain -0, which no signed event does. */
const isWholeNumber = (given: unknown): given is number =>
  Number.isSafeInteger(given) && (given as number) >= 0 && !Object.is(given, -0);
const isTag = (given: unknown): given is readonly string[] =>
  Array.isArray(given) && given.every((value) => typeof value === "string");

/** Reads an event as a copy of its seven fields; undefined if it is none. Its signature is not checked here. */
export function readEvent(given: unknown): NostrEvent | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const { id, pubkey, created_at, kind, tags, content, sig } = given as Partial<Record<keyof NostrEvent, unknown>>;
  if (!isHex(id, 64) || !isHex(pubkey, 64) || !isHex(sig, 128)) return undefined;
  if (!isWholeNumber(created_at) || !isWholeNumber(kind) || typeof content !== "string") return undefined;
  if (!Array.isArray(tags) || !tags.every(isTag)) return undefined;
  return { id, pubkey, created_at, kind, tags: tags.map((tag) => [...tag]), content, sig };
}

/** Fields that decide which of two events is current. */
export type EventRank = Pick<NostrEvent, "id" | "created_at">;

/** Compares two events of a slug: the later one is current; of two in the same second, the one with the lower id. */
export function isNewer(one: EventRank, other: EventRank): boolean {
  return one.created_at === other.created_at ? one.id < other.id : one.created_at > other.created_at;
}

/** Picks the current event; of the same one twice, the first. */
export function newestOf<Head extends { readonly event: EventRank }>(heads: Iterable<Head>): Head | undefined {
  let newest: Head | undefined;
  for (const head of heads) if (newest === undefined || isNewer(head.event, newest.event)) newest = head;
  return newest;
}
