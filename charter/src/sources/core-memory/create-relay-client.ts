import type { RelayClient } from "./relay-client.ts";
import { askHttpRelay, sendHttpRelay } from "./wire/http-relay.ts";
import { readRelayAddress, shownRelay } from "./wire/relay-address.ts";
import type { RelaySigner } from "./wire/relay-login.ts";
import { askWebSocketRelay, sendWebSocketRelay } from "./wire/websocket-relay.ts";

/**
 * Speaks to relays as their address says: WebSocket for ws: and wss:, HTTP for http: and https:. Each request has a
 * connection of its own, which ends with it. Where a relay wants a login, it is the signer's.
 */
export function createRelayClient(signer: RelaySigner): RelayClient {
  const reason =
    "This is no address of a relay: it begins with ws://, wss://, http:// or https:// and has no password.";
  return {
    ask: async (relay, filters, signal) => {
      const address = readRelayAddress(relay);
      if (address === undefined) return { relay: shownRelay(relay), events: [], trouble: { kind: "refused", reason } };
      const ask = address.isHttp ? askHttpRelay : askWebSocketRelay;
      return ask(address, signer)(relay, filters, signal);
    },
    send: async (relay, event, signal) => {
      const address = readRelayAddress(relay);
      if (address === undefined) return { relay: shownRelay(relay), ok: false, reason };
      const send = address.isHttp ? sendHttpRelay : sendWebSocketRelay;
      return send(address, signer)(relay, event, signal);
    },
  };
}
