import { grouped, Problem } from "../../prompt/problem.ts";
import { isWhole } from "../../prompt/sound.ts";
import type { EventTemplate, Nostr, NostrEvent } from "./nostr.ts";

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
