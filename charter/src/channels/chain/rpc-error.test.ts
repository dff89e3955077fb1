import { expect, test } from "vitest";
import { faultOfAnswer, faultOfStatus, isFinal, RpcError, retryAfterMs } from "./rpc-client.ts";

test.each([
  [-32_602, "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit."],
  [-32_600, "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range."],
  [-32_005, "query returned more than 10000 results. Try with this block range [0x1, 0x2]."],
  [-32_005, "query timeout exceeded. Consider reducing your block range."],
  [-32_614, "eth_getLogs is limited to a 10,000 range"],
  [-32_602, "eth_getLogs and eth_newFilter are limited to a 10,000 blocks range"],
  [-32_600, "block range is too wide"],
  [-32_000, "block range too large"],
  [-32_047, "Max range: 800"],
  [-32_701, "exceed maximum block range: 50000"],
  [35, "ranges over 10000 blocks are not supported on freetier"],
  [-32_000, "requested too many blocks from 1 to 9999, maximum is set to 2048"],
  [-32_000, "logs matched by query exceeds limit of 10000"],
  [-32_000, "query exceeds max results 20000, retry with the range 1-2"],
  [-32_008, "Response is too big"],
  [-32_603, "response size should not greater than 10000000 bytes"],
  [-32_000, "backend response too large"],
  [-32_005, "limit exceeded"],
])("an address that answers eth_getLogs with %i “%s” wants smaller pieces", (code, message) => {
  expect(faultOfAnswer("eth_getLogs", code, message)).toBe("too-large");
});

test.each([
  [-32_005, "daily request count exceeded, request rate limited", "busy"],
  [429, "Your app has exceeded its compute units per second capacity.", "busy"],
  [-32_016, "over rate limit", "busy"],
  [-32_000, "Too many requests, please try again later", "busy"],
  [-32_601, "the method eth_getLogs does not exist/is not available", "refused"],
  [-32_000, "unknown block", "refused"],
] as const)("%i “%s” means %s", (code, message, fault) => {
  expect(faultOfAnswer("eth_getLogs", code, message)).toBe(fault);
});

test("what is too much of something else is asked for again later", () => {
  expect(faultOfAnswer("eth_call", -32_005, "limit exceeded")).toBe("busy");
  expect(faultOfAnswer("eth_call", 3, "execution reverted: block range")).toBe("refused");
});

test("a status says who is busy, who is away, and what is too large", () => {
  const faults = [429, 500, 502, 503, 401, 403, 404, 413].map((status) => faultOfStatus("eth_getLogs", status));
  expect(faults).toEqual(["busy", "away", "away", "away", "away", "away", "away", "too-large"]);
  expect(faultOfStatus("eth_call", 413)).toBe("away");
});

test("Retry-After is seconds or a date, and never asks for more than five minutes", () => {
  const now = Date.parse("2026-02-18T00:00:00Z");
  const asked = [
    "7",
    " 1.5 ",
    "Wed, 18 Feb 2026 00:00:30 GMT",
    "0",
    "86400",
    "Tue, 17 Feb 2026 00:00:00 GMT",
    "soon",
    null,
  ];
  expect(asked.map((one) => retryAfterMs(one, now))).toEqual([
    ...[7000, 1500, 30_000, 0, 300_000, 0, undefined, undefined],
  ]);
});

test("what a contract says no other address would say otherwise", () => {
  const final = (code: number, message: string) => isFinal(new RpcError("refused", "a", message, { code }));
  expect([final(3, "execution reverted"), final(-32_000, "nonce too low"), final(-32_601, "no such method")]).toEqual([
    ...[true, true, false],
  ]);
  expect(isFinal(new RpcError("away", "a", "execution reverted"))).toBe(false);
});
