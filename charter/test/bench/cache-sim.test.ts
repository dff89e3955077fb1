import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import type { Provider } from "../../../bench/cost/cache-rules.ts";
import { type Block, createSimulator, type Request } from "../../../bench/cost/cache-sim.ts";

const simulate = createSimulator(encode);

function block(id: string, tokens: number, cacheBreakpoint = false, role: Block["role"] = "user"): Block {
  return { id, role, text: id, tokens, cacheBreakpoint };
}

function reads(requests: readonly Request[], provider: Provider, secondsBetween = 90): number[] {
  return simulate(requests, provider, secondsBetween).perRequest.map(({ read }) => read);
}

test("anthropic: what was written once is read, through the look-back too", () => {
  const [tools, system] = [block("tools", 2000, true, "tools"), block("system", 1000, true, "system")];
  const first = [tools, system, block("u0", 300, true)];
  const second = [tools, system, block("u0", 300), block("a0", 400, false, "assistant"), block("u1", 300, true)];
  expect(simulate([first, second], "anthropic").perRequest).toEqual([
    { total: 3300, read: 0, write: 3300, fresh: 0, billed: 4125 },
    { total: 4000, read: 3300, write: 700, fresh: 0, billed: 1205 },
  ]);
});

test("anthropic: a system block that changes every time costs more than no caching", () => {
  const request = (index: number) => [
    block("tools", 500, true, "tools"),
    block(`system ${index}`, 5000, true, "system"),
    block("u", 300, true),
  ];
  const { total, read, billed } = simulate([request(0), request(1), request(2)], "anthropic");
  expect({ total, read, billed }).toEqual({ total: 3 * 5800, read: 0, billed: 3 * 5800 * 1.25 });
});

test("anthropic: nothing under 1,024 tokens, beyond 20 blocks or older than five minutes is found", () => {
  const short = [block("s", 1000, true)];
  expect(reads([short, short], "anthropic")).toEqual([0, 0]);
  const first = [block("s", 2000), block("x", 10, true)];
  const later = (count: number) => [
    block("s", 2000),
    block("x", 10),
    ...Array.from({ length: count }, (_, index) => block(`y${index}`, 10, index === count - 1)),
  ];
  expect(reads([first, later(20)], "anthropic")).toEqual([0, 2010]);
  expect(reads([first, later(21)], "anthropic")).toEqual([0, 0]);
  expect(reads([first, first], "anthropic", 300)).toEqual([0, 2010]);
  expect(reads([first, first], "anthropic", 301)).toEqual([0, 0]);
});

test("anthropic: only the last four marks count, and what is used lives anew", () => {
  const marks = (count: number) => Array.from({ length: count }, (_, index) => block(`m${index}`, 2000, true));
  expect(reads([marks(5), marks(1)], "anthropic")).toEqual([0, 0]);
  expect(reads([marks(5), marks(2)], "anthropic")).toEqual([0, 4000]);
  const one = marks(1);
  expect(reads([one, one, one], "anthropic", 200)).toEqual([0, 2000, 2000]);
});

test("openai-auto: steps of 128 tokens, 1,024 at least, and a common start inside a block counts", () => {
  expect(
    reads(
      [
        [block("s", 1500), block("u0", 100)],
        [block("s", 1500), block("u1", 100)],
      ],
      "openai-auto",
    ),
  ).toEqual([0, 1408]);
  expect(
    reads(
      [
        [block("s", 1000), block("u0", 100)],
        [block("s", 1000), block("u1", 100)],
      ],
      "openai-auto",
    ),
  ).toEqual([0, 0]);
  const long = "The agent checks its inputs before acting. ".repeat(300);
  const request = (end: string): Request => [{ id: "s", role: "system", text: long + end }];
  expect(reads([request("A"), request("B")], "openai-auto")).toEqual([0, 2304]);
});

test("openai-auto: an older request is found within five minutes", () => {
  const [one, other] = [[block("one", 2048)], [block("other", 2048)]];
  expect(reads([one, other, one], "openai-auto", 150)).toEqual([0, 0, 2048]);
  expect(reads([one, other, one], "openai-auto", 151)).toEqual([0, 0, 0]);
});

test("openai-5.6: a tail that is replaced needs a mark before it", () => {
  const request = (turn: number, marked: boolean) => [
    block("tools", 3000, true, "tools"),
    ...Array.from({ length: turn + 1 }, (_, index) => block(`u${index}`, 700, marked && index === turn)),
    block(`tail ${turn}`, 200),
  ];
  expect(reads([request(0, false), request(1, false)], "openai-5.6")).toEqual([0, 3000]);
  expect(reads([request(0, true), request(1, true)], "openai-5.6")).toEqual([0, 3700]);
});

test("requests may stand at times of their own", () => {
  const request = [block("s", 2000, true)];
  expect(simulate([request, request, request], "anthropic", [0, 5, 400]).perRequest.map(({ read }) => read)).toEqual([
    0, 2000, 0,
  ]);
});

test("without caching every token is fresh", () => {
  expect(simulate([[block("s", 2000, true)], [block("s", 2000, true)]], "none")).toMatchObject({
    total: 4000,
    read: 0,
    fresh: 4000,
    billed: 4000,
    hitRate: 0,
  });
});
