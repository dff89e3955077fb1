import type { NostrEvent, NostrFilter } from "./memory-key.ts";

/**
 * Reason why a relay did not finish its answer. `unreachable`: no connection was made, so it did not answer at all. All others
 * did answer, and what they hold is unknown.
 */
export type RelayTrouble = "unreachable" | "late" | "refused" | "closed" | "cut" | "nonsense";

/** Answer of a relay. Its events are not checked yet: they may be anything. */
export type RelayAnswer = {
  readonly relay: string;
  readonly events: readonly unknown[];
  /** Trouble that kept it from finishing; undefined if it said that these are all its events. */
  readonly trouble?: { readonly kind: RelayTrouble; readonly reason: string };
};

/** Reply of a relay to an event: accepted, or refused with its own words. */
export type RelayReceipt =
  | { readonly relay: string; readonly ok: true }
  | { readonly relay: string; readonly ok: false; readonly reason: string };

/** Client of relays. It never throws: errors are part of the answer. */
export type RelayClient = {
  readonly ask: (relay: string, filters: readonly NostrFilter[], signal: AbortSignal) => Promise<RelayAnswer>;
  readonly send: (relay: string, event: NostrEvent, signal: AbortSignal) => Promise<RelayReceipt>;
};

/** A signed event, and the relays it goes to. */
type SendEventOptions = {
  readonly client: RelayClient;
  readonly event: NostrEvent;
  readonly relays: readonly string[];
  readonly timeoutMs?: number;
};

/** Sends an event to all relays at once, and returns a receipt for each, in their order, all within `timeoutMs`. Never throws. */
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

/** A parsed address of a relay. */
export type RelayAddress = {
  readonly written: string;
  /** URL to connect to: the address as it was written. */
  readonly url: URL;
  readonly isHttp: boolean;
  /** Canonical form for comparison: two addresses with the same are one relay. */
  readonly canonical: string;
  /** Address for people: without what may be a secret in the query. */
  readonly shown: string;
};

const form = /^([a-z]+):\/\/([^/?#\\\s]+)([^#\\\s]*)$/i;
const schemes = new Set(["ws:", "wss:", "http:", "https:"]);

/** Parses an address; undefined if it is no relay's: another scheme, no host, a password in it, a fragment. */
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

/** Fault of a relay's address, without repeating it; undefined if it has none. */
export function relayFault(text: string): string | undefined {
  if (readRelayAddress(text) !== undefined) return undefined;
  if (/^[a-z]+:\/\/[^/?#\s]*@/i.test(text)) return "has a name or a password in the address of a relay";
  if (/^[a-z]+:\/\/[^/?#\s]+[^#\s]*#/i.test(text)) return "has a # in the address of a relay";
  return "is no address of a relay (wss://, ws://, https:// or http://)";
}

/** Formats an address for people. An invalid one is not repeated, because it may contain a password. */
export function shownRelay(text: string): string {
  return readRelayAddress(text)?.shown ?? "an address that is no relay's";
}

/** Canonical form of an address; an invalid one is only equal to itself. */
export function canonicalRelay(text: string): string {
  return readRelayAddress(text)?.canonical ?? text;
}

/** Lists each relay once, as and where it was written first. */
export function distinctRelays(relays: readonly string[]): string[] {
  const first = new Map<string, string>();
  for (const relay of relays) if (!first.has(canonicalRelay(relay))) first.set(canonicalRelay(relay), relay);
  return [...first.values()];
}
