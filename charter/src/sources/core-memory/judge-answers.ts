import { readBody } from "./event/body.ts";
import { readEvent } from "./event/read-event.ts";
import type { Finding, MemoryHead, RelayReport } from "./finding.ts";
import { newestOf } from "./head.ts";
import { type MemoryKey, memoryKind } from "./memory-key.ts";
import type { NostrEvent } from "./nostr-event.ts";
import type { RelayAnswer, RelayTrouble } from "./relay-client.ts";

const { isDeepStrictEqual } = process.getBuiltinModule("node:util");

/** What the relays' answers say of a slug: the newest usable event of all, or that there is none, or that it is unknown. */
export function judgeAnswers(answers: readonly RelayAnswer[], key: MemoryKey, slug: string): Finding {
  const { newest, relays, signed } = checkAnswers(answers, key, slug);
  const head = newestOf(newest);
  if (head !== undefined) return { status: "present", head, behind: behindOf(newest, head), relays };
  const reason = unknownBecause(relays);
  if (reason === undefined) return { status: "empty", relays };
  return { status: "unavailable", reason, signed, blank: !signed && relays.some(isClean), relays };
}

function behindOf(newest: readonly MemoryHead[], { event }: MemoryHead): MemoryHead[] {
  const others = newest.filter((one) => one.event.id !== event.id);
  return others.filter((one, at) => others.findIndex((same) => same.event.id === one.event.id) === at);
}

/** What the relays' answers say of all slugs: the head of each, deleted memories among them, in the slugs' order. */
export function judgeListing(
  answers: readonly RelayAnswer[],
  key: MemoryKey,
): { readonly heads: readonly MemoryHead[]; readonly relays: readonly RelayReport[] } {
  const { heads, relays } = checkAnswers(answers, key);
  const bySlug = Map.groupBy(heads, ({ slug }) => slug);
  const newest = [...bySlug.values()].map((group) => newestOf(group) as MemoryHead);
  return { heads: newest.sort((one, other) => (one.slug < other.slug ? -1 : 1)), relays };
}

function checkAnswers(answers: readonly RelayAnswer[], key: MemoryKey, slug?: string) {
  const check = checkOnce(key, slug);
  const heads: MemoryHead[] = [];
  const newest: MemoryHead[] = [];
  let signed = false;
  const relays = answers.map(({ relay, events, trouble }): RelayReport => {
    const own: MemoryHead[] = [];
    const faults: string[] = [];
    for (const given of events) {
      const checked = check(relay, given);
      if ("usable" in checked) own.push({ ...checked.usable, relay });
      else {
        faults.push(checked.unusable);
        signed ||= checked.signed;
      }
    }
    heads.push(...own);
    const head = newestOf(own);
    if (head) newest.push(head);
    return {
      relay,
      ...(trouble && { trouble }),
      ...(head && { head: { id: head.event.id, createdAt: head.event.created_at } }),
      unusable: faults.length,
      ...(faults[0] !== undefined && { fault: faults[0] }),
    };
  });
  return { heads, newest, relays, signed };
}

/** Verifying takes milliseconds, and a relay that checks what it takes has nothing with a wrong signature. */
const mostForgeries = 20;

/**
 * Relays give the same events: each is verified and decrypted once. One that goes on giving events with wrong signatures
 * is not listened to any more, so that it cannot keep this process busy.
 */
function checkOnce(key: MemoryKey, slug?: string): (relay: string, given: unknown) => EventCheck {
  const usable = new Map<string, Extract<EventCheck, { readonly usable: unknown }>>();
  const forgeries = new Map<string, number>();
  return (relay, given) => {
    const event = readEvent(given);
    const before = event && usable.get(event.id);
    if (before !== undefined && isDeepStrictEqual(before.usable.event, event)) return before;
    const forged = forgeries.get(relay) ?? 0;
    if (forged >= mostForgeries) return { unusable: "too many before it had wrong signatures", signed: false };
    const checked = checkEvent(event, key, slug);
    if ("usable" in checked) usable.set(checked.usable.event.id, checked);
    else if (checked.unusable === wrongSignature) forgeries.set(relay, forged + 1);
    return checked;
  };
}

const troubles: Readonly<Record<RelayTrouble, string>> = {
  unreachable: "could not be reached",
  late: "did not finish in time",
  refused: "refused to answer",
  closed: "closed before it had finished",
  cut: "did not give all it has",
  nonsense: "gave an answer that makes no sense",
};

/** It has finished, and has given nothing that it should not have. */
function isClean({ trouble, unusable }: RelayReport): boolean {
  return trouble === undefined && unusable === 0;
}

/**
 * Why nothing usable is no proof that nothing is there; nothing where it is one. Any relay may be the only one that was
 * given the memory: every one of them must have finished, and have given nothing at all.
 */
function unknownBecause(relays: readonly RelayReport[]): string | undefined {
  if (relays.length === 0) return "no relay is known";
  const spoiled = relays.find(({ unusable }) => unusable > 0);
  if (spoiled !== undefined)
    return `${spoiled.relay} gave ${spoiled.unusable === 1 ? "an event that" : `${spoiled.unusable} events, and the first`} cannot be used: ${spoiled.fault}`;
  if (relays.every(isClean)) return undefined;
  return relays.flatMap(({ relay, trouble }) => (trouble ? [`${relay} ${troubles[trouble.kind]}`] : [])).join("; ");
}

/** What an event says; or why it cannot be used, and whether it was signed as this agent's memory all the same. */
type EventCheck =
  | { readonly usable: Omit<MemoryHead, "relay"> }
  | { readonly unusable: string; readonly signed: boolean };

const wrongSignature = "its signature is wrong";

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
