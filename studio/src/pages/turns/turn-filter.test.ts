import fc from "fast-check";
import { expect, test } from "vitest";
import {
  askedBy,
  dayIn,
  events,
  filterIn,
  isNarrow,
  queryOf,
  sorts,
  spanOf,
  states,
  stretches,
  type TurnFilter,
} from "./turn-filter.ts";

const text = fc.string({ unit: "grapheme", minLength: 1 });
const day = fc
  .date({ min: new Date(2000, 0, 1), max: new Date(2100, 0, 1), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const cost = fc.nat({ max: 2_000_000_000 }).map((micros) => micros / 1_000_000);
const anyFilter: fc.Arbitrary<TurnFilter> = fc
  .record(
    {
      words: text,
      user: text,
      session: text,
      channel: text,
      model: text,
      state: fc.constantFrom(...states),
      event: fc.constantFrom(...events),
      minCost: cost,
      maxCost: cost,
      sort: fc.constantFrom(...sorts.filter((sort) => sort !== "newest")),
      days: fc.oneof(
        fc.record({ when: fc.constantFrom(...stretches) }),
        fc.record({ since: day, until: day }, { requiredKeys: [] }),
      ),
    },
    { requiredKeys: [] },
  )
  .map(({ days, ...filter }) => ({ ...filter, ...days }) as TurnFilter);

/** An address as a browser keeps it: written, and read again. */
function throughAddress(asked: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const given = Object.entries(asked).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(new URL(`http://studio/turns?${new URLSearchParams(given)}`).search);
}

const reading = (params: URLSearchParams) => filterIn((key) => params.get(key) ?? undefined);

test("every filter comes back from its address as it was", () => {
  fc.assert(
    fc.property(anyFilter, (filter) => {
      expect(reading(throughAddress(askedBy(filter)))).toEqual({ filter, unread: [] });
    }),
  );
});

test("whatever stands in an address, it is read or told; what is read comes back", () => {
  const keys = Object.keys(askedBy({}));
  const address = fc.dictionary(fc.constantFrom(...keys), fc.string({ unit: "binary" }));
  fc.assert(
    fc.property(address, (asked) => {
      const params = throughAddress(asked);
      const { filter, unread } = reading(params);
      const given = keys.filter((key) => (params.get(key) ?? "") !== "");
      const read = [...throughAddress(askedBy(filter)).keys()];
      // “newest” is what is meant where nothing is said.
      const silent = params.get("sort") === "newest" ? ["sort"] : [];
      expect([...read, ...unread.map(({ key }) => key), ...silent].sort()).toEqual(given.sort());
      expect(reading(throughAddress(askedBy(filter))).filter).toEqual(filter);
    }),
  );
});

test("the server is asked for moments, dollars, and words without the space around them", () => {
  const now = new Date(2026, 10, 17, 9);
  const filter: TurnFilter = {
    words: " figs ",
    user: " bo",
    event: "failed",
    when: "yesterday",
    minCost: 0.05,
    sort: "cost",
  };
  expect(queryOf(filter, now)).toEqual({
    words: "figs",
    user: " bo",
    event: "failed",
    minCost: 0.05,
    sort: "cost",
    from: new Date(2026, 10, 16).toISOString(),
    to: new Date(2026, 10, 17).toISOString(),
  });
  expect(queryOf({ words: "   " }, now)).toEqual({});
});

test("what cannot be read is told with what it should be", () => {
  const asked: Record<string, string> = {
    state: "<script>",
    event: "FAILED",
    when: "week",
    since: "2026-11-01",
    "min-cost": "-1",
    "max-cost": "1e999",
    sort: "cheapest",
  };
  expect(filterIn((key) => asked[key])).toEqual({
    filter: { when: "week" },
    unread: [
      { key: "sort", value: "cheapest", reason: "must be one of newest, oldest, cost, duration" },
      { key: "state", value: "<script>", reason: "must be one of running, answered, failed, interrupted, erased" },
      {
        key: "event",
        value: "FAILED",
        reason: "must be one of failed, amended, refused, held, cache-miss, nothing-cached, tool",
      },
      { key: "since", value: "2026-11-01", reason: "is of no use beside when=week" },
      { key: "min-cost", value: "-1", reason: "must be a number of dollars, such as 0.05" },
      { key: "max-cost", value: "1e999", reason: "must be a number of dollars, such as 0.05" },
    ],
  });
});

test("order and session narrow nothing; all else does", () => {
  expect([{}, { sort: "cost" }, { session: "s" }, { words: "" }].map((one) => isNarrow(one as TurnFilter))).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect([{ user: "bo" }, { minCost: 0 }, { when: "today" }].map((one) => isNarrow(one as TurnFilter))).toEqual([
    true,
    true,
    true,
  ]);
});

const now = new Date(2026, 10, 17, 9, 30, 12, 345);
const at = (...parts: [number, number, number, number?, number?]) => new Date(...parts).toISOString();

test("a stretch of days begins and ends at the reader's midnight", () => {
  expect(spanOf({ when: "today" }, now)).toEqual({ from: at(2026, 10, 17) });
  expect(spanOf({ when: "yesterday" }, now)).toEqual({ from: at(2026, 10, 16), to: at(2026, 10, 17) });
  expect(spanOf({ since: "2026-11-01", until: "2026-11-30" }, now)).toEqual({
    from: at(2026, 10, 1),
    to: at(2026, 11, 1),
  });
  expect(spanOf({ until: "2026-12-31" }, now)).toEqual({ to: at(2027, 0, 1) });
  expect(spanOf({}, now)).toEqual({});
});

test("seven days are today and the six before it, in UTC, as Home counts them", () => {
  const late = new Date("2026-11-17T23:30:12.345Z");
  expect(spanOf({ when: "week" }, late)).toEqual({ from: "2026-11-11T00:00:00.000Z" });
});

test("a day is one that exists", () => {
  expect(dayIn("2028-02-29")).toEqual(new Date(2028, 1, 29));
  for (const text of ["2026-02-29", "2026-13-01", "0050-01-01", "2026-1-1", "today", "", "2026-11-17T00:00"])
    expect([text, dayIn(text)]).toEqual([text, undefined]);
});
