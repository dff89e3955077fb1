import { expect, test } from "vitest";
import { canonicalRelay, distinctRelays, readRelayAddress, shownRelay } from "./relay.ts";

test.each([
  ["wss://Relay.Example.org", "wss://relay.example.org"],
  ["WSS://relay.example.org:443/", "wss://relay.example.org"],
  ["ws://relay.example.org:80", "ws://relay.example.org"],
  ["ws://relay.example.org:443", "ws://relay.example.org:443"],
  ["wss://relay.example.org/Path/", "wss://relay.example.org/Path/"],
  ["wss://relay.example.org/a/../b", "wss://relay.example.org/a/../b"],
  ["wss://relay.example.org/?x=1", "wss://relay.example.org/?x=1"],
  ["https://relay.example.org:443/bridge", "https://relay.example.org/bridge"],
  ["ws://[::1]:7000/", "ws://[::1]:7000"],
  ["wss://bücher.example", "wss://xn--bcher-kva.example"],
])("%j is compared as %j", (text, canonical) => {
  expect(canonicalRelay(text)).toBe(canonical);
});

test.each([
  "",
  "relay.example.org",
  "ftp://relay.example.org",
  "file:///etc/passwd",
  "wss://",
  "wss:relay.example.org",
  "wss://ada:secret@relay.example.org",
  "wss://ada@relay.example.org",
  "wss://relay.example.org/#part",
  "wss://relay.example.org\\@evil.example",
  "wss://relay example.org",
  " wss://relay.example.org",
  "wss://relay.example.org:99999",
  `wss://relay.example.org/${"x".repeat(2048)}`,
])("%j is no relay's address, and is not repeated", (text) => {
  expect([readRelayAddress(text), shownRelay(text)]).toEqual([undefined, "an address that is no relay's"]);
});

test("people see an address without its query, which may be a secret", () => {
  expect(["wss://a.example/?token=x", "https://a.example/b?token=x", "ws://A.example:80/"].map(shownRelay)).toEqual([
    "wss://a.example",
    "https://a.example/b",
    "ws://a.example",
  ]);
});

test("each relay is asked once, in the order and as it was first written", () => {
  expect(distinctRelays(["WSS://b.example/", "wss://a.example", "wss://b.example", "wss://A.example:443"])).toEqual([
    "WSS://b.example/",
    "wss://a.example",
  ]);
});
