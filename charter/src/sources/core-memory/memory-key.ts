import { loadPackage } from "../../packages/load-package.ts";
import { grouped, Problem } from "../../prompt/problem.ts";
import { isWhole } from "../../prompt/sound.ts";

const { createHmac } = process.getBuiltinModule("node:crypto");

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

/** Where the core memory of an agent is: the one slug that is no `mem/…`. */
export const coreSlug = "core";

const memorySlug = /^mem\/[a-z0-9][a-z0-9_-]{0,63}(?:\/[a-z0-9][a-z0-9_-]{0,63})*$/;

/** Is this a name a memory can have? `core`, or as in `mem/people/ada`. */
export function isSlug(given: unknown): given is string {
  return typeof given === "string" && (given === coreSlug || (given.length <= 255 && memorySlug.test(given)));
}

/** What a memory is kept under: only who holds the conversation key can tell which slug it stands for. */
export function dTag(conversationKey: Uint8Array, slug: string): string {
  return createHmac("sha256", conversationKey).update(`agent-memory/v1/d-tag\0${slug}`, "utf8").digest("hex");
}

/** What NIP-44 lets be encrypted. The library takes more: what it then makes, others cannot read. */
const largestBody = 65_535;

/** What stands in an event of a slug, decrypted. `text` is null where it says that the memory was deleted. */
type MemoryBody = { readonly slug: string; readonly text: string | null };

/** The JSON of a memory, as it is encrypted; or why it cannot be published. */
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
  if (size <= largestBody) return body;
  return badMemory(
    slug,
    `would be ${grouped(size)} bytes as JSON; at most ${grouped(largestBody)} can be published`,
    "Shorten it.",
  );
}

function badMemory(slug: string, fault: string, hint: string): Problem {
  return new Problem("bad-memory", `The memory “${slug}” ${fault}.`, hint);
}

/**
 * Reads the JSON of a memory. `isAddressed` says whether the event is kept where its slug belongs: asked before
 * anything else of the body counts.
 */
export function readBody(
  json: string,
  isAddressed: (slug: string) => boolean,
): MemoryBody | { readonly fault: string } {
  if (Buffer.byteLength(json) > largestBody) return { fault: `it has more than ${grouped(largestBody)} bytes` };
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

/** The value of a JSON text, or what is wrong with it. */
type StrictJson = { readonly value: unknown } | { readonly fault: string };

/**
 * Reads JSON that every reader takes for the same: no name twice in an object, at any depth and however it is written,
 * and no half characters.
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

/** A string, with its colon where it is a name; or where an object or a list begins or ends. */
const token = /("[^"\\]*(?:\\.[^"\\]*)*")([ \t\n\r]*:)?|[[\]{}]/g;

/** Goes through JSON that is valid: then a string before a colon is a name of the innermost object that is open. */
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
