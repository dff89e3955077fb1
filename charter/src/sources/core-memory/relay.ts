import type { NostrEvent, NostrFilter } from "./memory-key.ts";

/**
 * Why a relay did not finish its answer. `unreachable`: no connection was made, so it did not answer at all. All others
 * did answer, and what they hold is unknown.
 */
export type RelayTrouble = "unreachable" | "late" | "refused" | "closed" | "cut" | "nonsense";

/** What a relay answered. Its events are not looked at yet: they may be anything. */
export type RelayAnswer = {
  readonly relay: string;
  readonly events: readonly unknown[];
  /** Nothing where it finished: it said that these are all it has. */
  readonly trouble?: { readonly kind: RelayTrouble; readonly reason: string };
};

/** Whether a relay took an event, in its own words where it did not. */
export type RelayReceipt =
  | { readonly relay: string; readonly ok: true }
  | { readonly relay: string; readonly ok: false; readonly reason: string };

/** How relays are asked and told. Never throws: what goes wrong is in the answer. */
export type RelayClient = {
  readonly ask: (relay: string, filters: readonly NostrFilter[], signal: AbortSignal) => Promise<RelayAnswer>;
  readonly send: (relay: string, event: NostrEvent, signal: AbortSignal) => Promise<RelayReceipt>;
};

/** The event as it was signed, and where it goes. */
type SendEventOptions = {
  readonly client: RelayClient;
  readonly event: NostrEvent;
  readonly relays: readonly string[];
  readonly timeoutMs?: number;
};

/** Gives an event to all relays at once: a receipt for each, in their order, all within `timeoutMs`. Throws nothing. */
export async function sendEvent({
  client,
  event,
  relays,
  timeoutMs = 3000,
}: SendEventOptions): Promise<RelayReceipt[]> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  const receipts = await Promise.all(distinctRelays(relays).map((relay) => client.send(relay, event, deadline.signal)));
  clearTimeout(timer);
  return receipts;
}

/** An address of a relay, worked out. */
export type RelayAddress = {
  readonly written: string;
  /** What we connect to: the address as it was written. */
  readonly url: URL;
  readonly isHttp: boolean;
  /** For comparison: two addresses with the same are one relay. */
  readonly canonical: string;
  /** For people: without what may be a secret in the query. */
  readonly shown: string;
};

const form = /^([a-z]+):\/\/([^/?#\\\s]+)([^#\\\s]*)$/i;
const schemes = new Set(["ws:", "wss:", "http:", "https:"]);

/** Reads an address; nothing where it is no relay's: another scheme, no host, a password in it, a fragment. */
export function readRelayAddress(text: string): RelayAddress | undefined {
  const [, , authority, rest] = form.exec(text) ?? [];
  if (authority === undefined || rest === undefined || authority.includes("@") || text.length > 2048) return undefined;
  const url = URL.parse(text);
  if (url === null || !schemes.has(url.protocol) || url.hostname === "") return undefined;
  const origin = `${url.protocol}//${url.host}`;
  const [path = ""] = rest.split("?");
  return {
    written: text,
    url,
    isHttp: url.protocol.startsWith("http"),
    canonical: `${origin}${rest === "/" ? "" : rest}`,
    shown: `${origin}${path === "/" ? "" : path}`,
  };
}

/** What is wrong with a relay's address, without repeating it; nothing where it is one. */
export function relayFault(text: string): string | undefined {
  if (readRelayAddress(text) !== undefined) return undefined;
  if (/^[a-z]+:\/\/[^/?#\s]*@/i.test(text)) return "has a name or a password in the address of a relay";
  if (/^[a-z]+:\/\/[^/?#\s]+[^#\s]*#/i.test(text)) return "has a # in the address of a relay";
  return "is no address of a relay (wss://, ws://, https:// or http://)";
}

/** The address as people see it; what is no address is not repeated, for it may hold a password. */
export function shownRelay(text: string): string {
  return readRelayAddress(text)?.shown ?? "an address that is no relay's";
}

/** What two addresses are compared by. What is no address is only the same as itself. */
export function canonicalRelay(text: string): string {
  return readRelayAddress(text)?.canonical ?? text;
}

/** Each relay once, as and where it was written first. */
export function distinctRelays(relays: readonly string[]): string[] {
  const first = new Map<string, string>();
  for (const relay of relays) if (!first.has(canonicalRelay(relay))) first.set(canonicalRelay(relay), relay);
  return [...first.values()];
}
