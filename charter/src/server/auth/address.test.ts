import { Hono } from "hono";
import { expect, test } from "vitest";
import type { ApiEnv } from "../api.ts";
import { addressOf, networkOf } from "./sign-in.ts";

const networks: [what: string, address: string, network: string][] = [
  ["an IPv4 address", "192.0.2.7", "192.0.2.7"],
  ["one in IPv6's clothes", "::ffff:192.0.2.7", "192.0.2.7"],
  ["one with a port", "192.0.2.7:50123", "192.0.2.7"],
  ["an IPv6 address: its /64", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["its neighbour in the same /64", "2001:db8:1:2::99", "2001:db8:1:2::/64"],
  ["written out", "2001:0db8:0001:0002:0000:0000:0000:0099", "2001:db8:1:2::/64"],
  ["zeros in the middle", "2001:db8::1", "2001:db8:0:0::/64"],
  ["zeros at the start", "::1", "0:0:0:0::/64"],
  ["with a zone", "fe80::1%eth0", "fe80:0:0:0::/64"],
  ["with brackets and a port", "[2001:db8:1:2::9]:443", "2001:db8:1:2::/64"],
  ["with IPv4 at its end", "64:ff9b:1:2:3::192.0.2.7", "64:ff9b:1:2::/64"],
  ["no address", "x<script>", "unknown"],
  ["nothing", "", "unknown"],
];
for (const [what, address, network] of networks)
  test(`the network of ${what}`, () => {
    expect(networkOf(address)).toBe(network);
  });

const asked: [
  what: string,
  peer: string,
  forwarded: string | undefined,
  proxies: number | undefined,
  address: string,
][] = [
  ["no proxy: a header is anyone's word", "192.0.2.1", "203.0.113.9", undefined, "192.0.2.1"],
  ["none, as said: not even this machine's", "127.0.0.1", "203.0.113.9", 0, "127.0.0.1"],
  ["no proxy: not on this machine either", "127.0.0.1", "203.0.113.9", undefined, "127.0.0.1"],
  ["no proxy: nor by IPv6", "::1", "203.0.113.9", undefined, "0:0:0:0::/64"],
  ["no proxy: nor in IPv6's clothes", "::ffff:127.0.0.1", "203.0.113.9", undefined, "127.0.0.1"],
  ["one on this machine, as said", "127.0.0.1", "1.1.1.1, 203.0.113.9", 1, "203.0.113.9"],
  ["nobody but this machine", "127.0.0.1", undefined, undefined, "127.0.0.1"],
  ["one elsewhere", "10.0.0.2", "1.1.1.1, 203.0.113.9", 1, "203.0.113.9"],
  ["two, one behind the other", "10.0.0.2", "1.1.1.1, 203.0.113.9, 10.0.0.3", 2, "203.0.113.9"],
  ["two, but the header knows of one", "10.0.0.2", "203.0.113.9", 2, "203.0.113.9"],
];
for (const [what, peer, forwarded, proxies, address] of asked)
  test(`who is at the other end, with ${what}`, async () => {
    const app = new Hono<ApiEnv>().get("/", (context) => context.text(addressOf(context, proxies)));
    const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
    const wire = { incoming: { socket: { remoteAddress: peer } } } as never;
    expect(await (await app.fetch(new Request("http://localhost/", { headers }), wire)).text()).toBe(address);
  });
