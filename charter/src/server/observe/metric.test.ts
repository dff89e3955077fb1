import { expect, test } from "vitest";
import { createCounter, createHistogram, gauge } from "./metrics.ts";

test("a counter counts for each set of labels", () => {
  const counter = createCounter("charter_turns_total", "Turns that ended.");
  counter.of({ agent: "ada", state: "answered" })();
  counter.of({ agent: "ada", state: "answered" })(2);
  counter.of({ agent: "ada", state: "failed" })();
  expect(counter.lines()).toEqual([
    "# HELP charter_turns_total Turns that ended.",
    "# TYPE charter_turns_total counter",
    'charter_turns_total{agent="ada",state="answered"} 3',
    'charter_turns_total{agent="ada",state="failed"} 1',
  ]);
});

test("a histogram's buckets hold all that took at most so long", () => {
  const histogram = createHistogram("seconds", "How long.", [0.1, 1]);
  for (const seconds of [0.05, 0.1, 0.5, 3]) histogram.of({ route: "/x" })(seconds);
  expect(histogram.lines()).toEqual([
    "# HELP seconds How long.",
    "# TYPE seconds histogram",
    'seconds_bucket{route="/x",le="0.1"} 2',
    'seconds_bucket{route="/x",le="1"} 3',
    'seconds_bucket{route="/x",le="+Inf"} 4',
    'seconds_sum{route="/x"} 3.65',
    'seconds_count{route="/x"} 4',
  ]);
});

test("a name cannot end its label, or its line", () => {
  const hostile = 'a"} 99\nforged_total{x="\\';
  expect(gauge("running", "Now.", [[{ agent: hostile }, 1]]).slice(2)).toEqual([
    'running{agent="a\\"} 99\\nforged_total{x=\\"\\\\"} 1',
  ]);
});

test("names without end are counted together, and nothing is lost", () => {
  const counter = createCounter("total", "All.");
  for (let count = 0; count < 5_000; count++) counter.of({ agent: `made up ${count}` })();
  const lines = counter.lines().slice(2);
  expect(lines).toHaveLength(2_001);
  expect(lines.at(-1)).toBe("total 3000");
});
