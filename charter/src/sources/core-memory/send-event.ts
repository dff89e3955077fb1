import type { NostrEvent } from "./nostr-event.ts";
import type { RelayClient, RelayReceipt } from "./relay-client.ts";
import { distinctRelays } from "./wire/relay-address.ts";

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
