import { expect, test } from "vitest";
import { bandAt, bandTitle, bandTokens, delivered, layout, type Stratum } from "./layout.ts";

const stratum = (name: string, tokens: number, more: Partial<Stratum> = {}): Stratum => ({
  name,
  layer: "layer",
  mutability: "fixed",
  tokens,
  ...more,
});

const rules = stratum("rules", 60);
const clock = stratum("clock", 10, { mutability: "live", tail: true });
const soul = stratum("soul", 30, { mutability: "amendable", cut: true });

test("each band is as high as its section has tokens, and the tail comes last", () => {
  expect(layout([rules, clock, soul], 200)).toEqual({
    bands: [
      { from: 0, height: 120, mutability: "fixed", cut: false, strata: [rules] },
      { from: 120, height: 60, mutability: "amendable", cut: true, strata: [soul] },
      { from: 180, height: 20, mutability: "live", cut: false, strata: [clock] },
    ],
    line: { at: 180, tokens: 90 },
  });
});

test("a gap around the line takes its room from the bands", () => {
  const { bands, line } = layout([rules, clock, soul], 220, 0, 20);
  expect(bands.map(({ from, height }) => [from, height])).toEqual([
    [0, 120],
    [120, 60],
    [200, 20],
  ]);
  expect(line).toEqual({ at: 190, tokens: 90 });
});

test("a scale leaves the rest of the height free, and is overruled by more tokens than it", () => {
  expect(layout([rules], 100, 120).bands).toMatchObject([{ height: 50 }]);
  expect(layout([rules], 100, 30).bands).toMatchObject([{ height: 100 }]);
});

test("without a tail the line is at the end, without a prefix at the start", () => {
  expect(layout([rules], 100).line).toEqual({ at: 100, tokens: 60 });
  expect(layout([clock], 100).line).toEqual({ at: 0, tokens: 0 });
  expect(layout([], 100)).toEqual({ bands: [], line: { at: 0, tokens: 0 } });
  expect(layout([rules], 0).bands).toEqual([]);
});

test("thin neighbours share a band, in the colour most of it has, and never across the line", () => {
  const thin = [
    stratum("a", 1),
    stratum("b", 2, { mutability: "live" }),
    stratum("c", 3, { mutability: "amendable", cut: true }),
  ];
  const { bands } = layout([...thin, stratum("large", 10_000), clock], 400);
  expect(bands.map(({ strata, mutability, cut }) => [strata.map(({ name }) => name).join(), mutability, cut])).toEqual([
    ["a,b,c", "amendable", true],
    ["large", "fixed", false],
    ["clock", "live", false],
  ]);
  expect(bandTitle(bands[0] as never)).toBe("a and 2 more");
  expect(bandTitle(bands[1] as never)).toBe("large");
  expect(bandTokens(bands[0] as never)).toBe(6);
});

test("ten thousand sections are at most some four hundred bands, which hold every one of them", () => {
  for (const size of [() => 5, (at: number) => (at % 50 === 0 ? 400 : 1), (at: number) => at, () => 0]) {
    const strata = Array.from({ length: 10_000 }, (_, at) => stratum(`s${at}`, size(at), { tail: at % 3 === 0 }));
    const { bands } = layout(strata, 600);
    expect(bands.length).toBeLessThan(410);
    expect(bands.flatMap((band) => band.strata)).toEqual(delivered(strata));
  }
});

test("a place in a shared band is one of its sections", () => {
  const strata = Array.from({ length: 1_000 }, (_, at) => stratum(`s${at}`, 1));
  const { bands } = layout(strata, 500);
  expect(bandAt(bands, 0)?.stratum.name).toBe("s0");
  expect(bandAt(bands, 250.1)?.stratum.name).toBe("s500");
  expect(bandAt(bands, 499.9)?.stratum.name).toBe("s999");
  expect(bandAt(bands, 500)).toBeUndefined();
});
