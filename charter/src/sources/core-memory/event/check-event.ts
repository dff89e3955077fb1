import type { MemoryHead } from "../finding.ts";
import { type MemoryKey, memoryKind } from "../memory-key.ts";
import type { NostrEvent } from "../nostr-event.ts";
import { readBody } from "./body.ts";
import { readEvent } from "./read-event.ts";

/** What an event says; or why it cannot be used, and whether it was signed as this agent's memory all the same. */
export type EventCheck =
  | { readonly usable: Omit<MemoryHead, "relay"> }
  | { readonly unusable: string; readonly signed: boolean };

export const wrongSignature = "its signature is wrong";

/** The most characters that 65,535 bytes can become when they are encrypted, and the fewest. */
const largestContent = 87_472;
const smallestContent = 132;

/**
 * Is this an event of the agent's memory, of this slug or of any? What costs little is looked at first: nothing is
 * verified that is not for us, and nothing decrypted that is not signed. Takes anything, throws nothing.
 */
export function checkEvent(given: unknown, key: MemoryKey, slug?: string): EventCheck {
  const event = readEvent(given);
  if (event === undefined) return { unusable: "it is no event", signed: false };
  const fault = envelopeFault(event, key, slug);
  if (fault !== undefined) return { unusable: fault, signed: false };
  if (!key.verify(event)) return { unusable: wrongSignature, signed: false };
  const { length } = event.content;
  if (length < smallestContent || length > largestContent)
    return { unusable: "its content is of a size that no memory has", signed: true };
  const json = key.open(event);
  if (json === undefined) return { unusable: "its content cannot be decrypted", signed: true };
  const body = readBody(json, (named) => key.dTag(named) === tagValue(event, "d"));
  if ("fault" in body) return { unusable: `in its content, ${body.fault}`, signed: true };
  return { usable: { ...body, event } };
}

function envelopeFault(event: NostrEvent, { agent, owner, dTag }: MemoryKey, slug?: string): string | undefined {
  if (event.kind !== memoryKind) return "it is of another kind";
  if (event.pubkey !== agent) return "it is another author's";
  for (const name of ["d", "p"])
    if (event.tags.filter((tag) => tag[0] === name).length !== 1) return `it has not exactly one ${name} tag`;
  if (tagValue(event, "p") !== owner) return "it is for another owner";
  if (slug !== undefined && tagValue(event, "d") !== dTag(slug)) return "it is of another memory";
  return undefined;
}

function tagValue({ tags }: NostrEvent, name: string): string | undefined {
  return tags.find((tag) => tag[0] === name)?.[1];
}
