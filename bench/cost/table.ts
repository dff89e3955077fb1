import { type Bound, held, worstOf } from "./bound.ts";
import type { LoopCost } from "./loops.ts";
import { type Contender, contenderNames, type Row } from "./measure.ts";
import { traceTitle } from "./trace.ts";

const heads: Readonly<Record<Contender, string>> = {
  "no caching": "no caching",
  "seed order": "seed order",
  pi: "pi",
  "volatile after the history": "after history",
  ideal: "ideal",
  charter: "charter",
};

/** The rows of one trace: a line for each provider, then how often the prefix changed though only state had. */
export function printedTrace(rows: readonly Row[]): string {
  const [{ workload, turns, steps }] = rows as [Row];
  const changes = contenderNames.map((name) =>
    name === "no caching" ? "" : dashed(highest(rows.map(({ prefixChanges }) => prefixChanges[name])), whole),
  );
  const lines = [
    ["", ...contenderNames.map((name) => heads[name]), "× after history", "× no caching"],
    ...rows.map(({ provider, billed }) => [
      provider,
      ...contenderNames.map((name) => dashed(billed[name], whole)),
      ratio(billed.charter, billed["volatile after the history"]),
      ratio(billed.charter, billed["no caching"]),
    ]),
    ["prefix changes", ...changes, "", ""],
  ];
  return `\n${traceTitle(workload, turns, steps)}: billed tokens a turn\n${aligned(lines)}`;
}

/** What one story is billed by each loop, and the least that a request read of the one before. */
export function printedLoops(costs: readonly LoopCost[]): string {
  const [{ billed: ours }] = costs as [LoopCost];
  const providers = Object.keys(ours) as (keyof typeof ours)[];
  const lines = [
    ["", ...providers.flatMap((provider) => [provider, "× createAgent"]), "least read"],
    ...costs.map(({ loop, billed, leastRead }) => [
      loop,
      ...providers.flatMap((provider) => [whole(billed[provider]), ratio(billed[provider], ours[provider])]),
      leastRead.toFixed(3),
    ]),
  ];
  return `\none story of 20 turns by three loops: billed tokens\n${aligned(lines)}`;
}

export function printedBounds(bounds: readonly Bound[]): string {
  if (bounds.length === 0)
    return "\nNo bound was judged: bench/cost/charter.ts has no runtime to measure. The other columns stand.";
  const lines = worstOf(bounds).map((worst) => {
    const kind = bounds.filter(({ what }) => what === worst.what);
    return [
      kind.every(held) ? "reached" : "MISSED",
      `${kind.filter(held).length} of ${kind.length}`,
      `≤ ${worst.max} ${worst.what}`,
      `worst ${figure(worst)}: ${worst.where}`,
    ];
  });
  const missed = bounds.filter((bound) => !held(bound));
  const list = missed.map((bound) => `  ${figure(bound)}, not ≤ ${bound.max} ${bound.what}: ${bound.where}`);
  return [`\nBounds\n${aligned(lines, "left")}`, ...(list.length > 0 ? ["\nMissed", ...list] : [])].join("\n");
}

function aligned(lines: readonly (readonly string[])[], side: "left" | "right" = "right"): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          column === 0 || side === "left" ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function highest(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((number) => number !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function ratio(one: number | null, other: number | null): string {
  return one === null || other === null ? "–" : (one / other).toFixed(4);
}

function figure({ figure: value }: Bound): string {
  return Number.isInteger(value) ? `${value}` : value.toFixed(4);
}

function dashed(value: number | null, print: (value: number) => string): string {
  return value === null ? "–" : print(value);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}
