import type { NostrEvent } from "../nostr-event.ts";

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
