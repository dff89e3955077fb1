import { type ReactNode, useMemo } from "react";
import { placeOf } from "../../app/place.ts";
import { add, allOf, type Billing, chargedFor, nothing } from "../../billing/bill.ts";
import { SolidityLegend } from "../../billing/bill-table.tsx";
import { ToSection, ToUser } from "../../billing/links.tsx";
import { dayTicks, type Sample } from "../../billing/sample.ts";
import { Figure, type Ground, Plot, type Tick } from "../../chart/plot.tsx";
import { largest, pile } from "../../chart/scale.ts";
import { TextLink } from "../../kit/text-link.tsx";
import { count, shortCount, timeText } from "../../kit/words.ts";

const whole = (billings: readonly Billing[]) => billings.reduce(add, nothing);
const figures = (billing: Billing) => {
  if (allOf(billing) === 0) return "nothing was counted";
  return `${count(billing.read)} read, ${count(billing.written)} written, ${count(billing.fresh)} fresh`;
};

/** What each turn was billed, by section, and whether it came from the cache. */
export function TokensChart({ agent, samples }: { readonly agent: string; readonly samples: readonly Sample[] }) {
  const spending = useMemo(() => spendingOf(samples), [samples]);
  const { parts, turns } = spending;
  const shades = useMemo(() => shadesOf(parts), [parts]);
  const sums = useMemo(() => turns.map(({ billings }) => whole(billings)), [turns]);
  const columns = useMemo(() => turns.map(({ billings }) => billings), [turns]);
  return (
    <TurnChart
      {...{ agent, samples }}
      title="Billed tokens by section"
      hint="Each column is a turn, all its steps together: tools at the bottom, then the prefix, the history, and sections that are sent as messages on top."
      label="Billed tokens of each turn, by section"
      head={["All", ...parts.map(({ name }) => name)]}
      cells={(_, index) => [sums[index] ?? nothing, ...(columns[index] ?? [])].map((one) => count(allOf(one)))}
      says={(_, index) => figures(sums[index] ?? nothing)}
      most={Math.max(0, ...sums.map(allOf))}
      height={240}
      value={shortCount}
      draw={(ground) =>
        outlines(columns, ground).map(({ part, kind, path }) => (
          <path key={`${part}${kind}`} d={path} style={{ fill: shades[part]?.(kind) }} />
        ))
      }
    >
      <div className="mb-3 space-y-2">
        <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
          {parts.map(({ key, kind, name }, index) => (
            <li key={key} className="flex min-w-0 items-center gap-1.5">
              <span
                aria-hidden="true"
                className="size-2.5 shrink-0 rounded-sm"
                style={{ background: shades[index]?.("fresh") }}
              />
              {kind === "section" ? <ToSection agent={agent} section={name} /> : name}
            </li>
          ))}
        </ul>
        <SolidityLegend />
      </div>
    </TurnChart>
  );
}

type TurnChartProps = Pick<Parameters<typeof Plot>[0], "label" | "most" | "height" | "value" | "draw"> & {
  readonly agent: string;
  /** Oldest first. */
  readonly samples: readonly Sample[];
  readonly title: string;
  readonly about?: ReactNode;
  readonly hint?: ReactNode;
  /** The same as a table: what its columns are called beside the turn, and what they say of one. */
  readonly head: readonly string[];
  readonly cells: (sample: Sample, index: number) => readonly ReactNode[];
  /** What a column is, in words. */
  readonly says: (sample: Sample, index: number) => string;
  readonly children?: ReactNode;
};

/** A chart whose columns are turns. */
export function TurnChart(props: TurnChartProps) {
  const { agent, samples, title, about, hint, head, cells, says, children, ...plot } = props;
  return (
    <Figure
      {...{ title, about, hint }}
      table={{
        head: ["Turn", ...head],
        rows: samples.map((sample, index) => ({
          key: sample.turn,
          cells: [<TurnTime key="" agent={agent} sample={sample} />, ...cells(sample, index)],
        })),
      }}
    >
      <Plot
        {...plot}
        items={samples.map((sample, index) => ({
          key: sample.turn,
          says: `${timeText(sample.startedAt)}, ${sample.scope.user ?? "no user"}: ${says(sample, index)}`,
          href: placeOf(agent, "turns", sample.turn),
        }))}
        days={(apart) => daysOf(samples, apart)}
        told={(index) => {
          const sample = samples[index];
          if (!sample) return null;
          return (
            <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 tabular-nums">
              <TurnTime agent={agent} sample={sample} />
              <ToUser agent={agent} user={sample.scope.user} />
              <span>{says(sample, index)}</span>
              <span dir="auto" className="min-w-0 max-w-full truncate text-soft">
                {sample.input}
              </span>
            </div>
          );
        }}
      />
      {children}
    </Figure>
  );
}

/** What tokens were spent on: a section, the tools, the history; smaller sections together; or nobody knows. */
export type Part = {
  readonly key: string;
  readonly kind: "tools" | "section" | "rest" | "history" | "uncounted";
  readonly name: string;
  readonly mutability: "fixed" | "amendable" | "live" | undefined;
};

export type Spending = {
  /** From the bottom up, in the order a receiver reads them: tools, prefix, history, tail. */
  readonly parts: readonly Part[];
  /** One a turn; in each one billing a part. */
  readonly turns: readonly { readonly sample: Sample; readonly billings: readonly Billing[] }[];
};

type Share = Sample["shares"][number];

const keyOf = ({ part, name }: Pick<Share, "part" | "name">) => (part === "section" ? `section ${name}` : part);

const plain = {
  tools: { key: "tools", kind: "tools", name: "Tools offered", mutability: undefined },
  rest: { key: "rest", kind: "rest", name: "Other sections", mutability: undefined },
  history: { key: "history", kind: "history", name: "History", mutability: undefined },
  uncounted: { key: "uncounted", kind: "uncounted", name: "Predicted only", mutability: undefined },
} as const satisfies Record<string, Part>;

/** What each turn was billed, by what it was for. `samples` oldest first; the largest sections are told apart. */
export function spendingOf(samples: readonly Sample[], max = 8): Spending {
  const sums = new Map<string, number>();
  const mutabilities = new Map<string, Share["mutability"]>();
  for (const { shares } of samples)
    for (const share of shares) {
      sums.set(keyOf(share), (sums.get(keyOf(share)) ?? 0) + allOf(share));
      mutabilities.set(keyOf(share), share.mutability);
    }
  const sections = new Map([...sums].filter(([key]) => key.startsWith("section ")));
  const own = new Set(sections.size <= max + 1 ? sections.keys() : largest(sections, max));
  const places = placesIn(samples);
  const place = (key: string) => places.get(key) ?? { tail: false, at: Number.MAX_SAFE_INTEGER };
  const named = [...own]
    .sort((one, other) => place(one).at - place(other).at)
    .map((key): Part => ({ key, kind: "section", name: key.slice(8), mutability: mutabilities.get(key) ?? undefined }));
  const uncounted = samples.some((sample) => chargedFor(sample)?.by === "prediction");
  const parts: readonly Part[] = [
    ...(sums.get("tools") ? [plain.tools] : []),
    ...named.filter(({ key }) => !place(key).tail),
    ...(own.size < sections.size ? [plain.rest] : []),
    ...(sums.get("history") ? [plain.history] : []),
    ...named.filter(({ key }) => place(key).tail),
    ...(uncounted ? [plain.uncounted] : []),
  ];
  return { parts, turns: samples.map((sample) => ({ sample, billings: billingsOf(sample, parts, own) })) };
}

function billingsOf(sample: Sample, parts: readonly Part[], own: ReadonlySet<string>): readonly Billing[] {
  const found = new Map<string, Billing>();
  for (const share of sample.shares) {
    const key = share.part === "section" && !own.has(keyOf(share)) ? "rest" : keyOf(share);
    found.set(key, add(found.get(key) ?? nothing, share));
  }
  const charged = chargedFor(sample);
  if (charged?.by === "prediction") found.set("uncounted", add(nothing, charged));
  return parts.map(({ key }) => found.get(key) ?? nothing);
}

/** Where each section stood when it was last sent. */
function placesIn(samples: readonly Sample[]): ReadonlyMap<string, { readonly tail: boolean; readonly at: number }> {
  const places = new Map<string, { tail: boolean; at: number }>();
  for (const { sections } of samples)
    sections.forEach(({ name, slot }, at) => {
      places.set(`section ${name}`, { tail: slot !== "system", at });
    });
  return places;
}

/** What all turns came to. */
export type Sum = Billing & {
  readonly turns: number;
  readonly output: number;
  readonly cost: number;
  /** Turns whose price is known, and those that were charged for at all. */
  readonly priced: number;
  readonly billed: number;
};

export function sumOf(samples: readonly Sample[]): Sum {
  const bills = samples.flatMap((sample) => chargedFor(sample) ?? []);
  const costs = samples.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  return {
    ...bills.reduce<Billing>(add, nothing),
    turns: samples.length,
    output: samples.reduce((sum, { usage }) => sum + (usage.output ?? 0), 0),
    cost: costs.reduce((sum, cost) => sum + cost, 0),
    priced: costs.length,
    billed: bills.length,
  };
}

const colours: Readonly<Record<string, string>> = {
  fixed: "--color-fixed",
  amendable: "--color-amendable",
  live: "--color-live",
};

/** The fuller, the dearer: read from the cache is pale, written to it is half full, fresh is full. */
const solidity: Readonly<Record<keyof Billing, number>> = { read: 0.3, written: 0.62, fresh: 1 };

/** What is no section has no mutability's colour. */
const plainShades: Readonly<Record<string, number>> = { tools: 100, history: 66, rest: 40, uncounted: 26 };

export type Shade = (solid: keyof Billing) => string;

/** A colour for each part: by mutability, and among sections of the same one the later the lighter. */
export function shadesOf(parts: readonly Part[]): readonly Shade[] {
  return parts.map(({ kind, mutability }, index): Shade => {
    const alike = parts.filter((one) => one.kind === "section" && one.mutability === mutability);
    const before = parts.slice(0, index).filter((one) => one.kind === "section" && one.mutability === mutability);
    const lighter = alike.length < 2 ? 0 : (before.length / (alike.length - 1)) * 42;
    const full = kind === "section" ? 100 - lighter : (plainShades[kind] ?? 50);
    const colour = (mutability && colours[mutability]) ?? "--color-soft";
    return (solid) => `color-mix(in oklab, var(${colour}) ${Math.round(full * solidity[solid])}%, var(--color-card))`;
  });
}

export const kinds = ["read", "written", "fresh"] as const;

/** One outline for everything of one part that is billed alike, in all columns: few shapes however many turns. */
export type Outline = { readonly part: number; readonly kind: keyof Billing; readonly path: string };

export function outlines(columns: readonly (readonly Billing[])[], ground: Ground): readonly Outline[] {
  const { column, left, y } = ground;
  const air = column > 8 ? Math.min(column * 0.22, 12) : column > 3 ? 1 : 0;
  const paths = new Map<string, { part: number; kind: keyof Billing; path: string }>();
  columns.forEach((billings, index) => {
    const amounts = billings.flatMap((billing) => kinds.map((kind) => billing[kind]));
    pile(amounts).forEach(({ from, to }, at) => {
      if (to === from) return;
      const part = Math.floor(at / kinds.length);
      const kind = kinds[at % kinds.length] as keyof Billing;
      const height = y(from) - y(to);
      const drawn = height > 4 ? height - 1 : height;
      const shape = `M${round(left(index) + air / 2)} ${round(y(to))}h${round(column - air)}v${round(drawn)}h${round(air - column)}z`;
      const known = paths.get(`${part}${kind}`);
      if (known) known.path += shape;
      else paths.set(`${part}${kind}`, { part, kind, path: shape });
    });
  });
  return [...paths.values()];
}

const round = (value: number) => Math.round(value * 100) / 100;

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** Where days begin, as far as their names have room: so many columns lie between two of them. */
function daysOf(samples: readonly Sample[], apart: number): readonly Tick[] {
  return dayTicks(samples, (at) => day.format(new Date(at)), apart)
    .filter(({ named }) => named)
    .map(({ at, day: text }) => ({ at, text }));
}

/** When a turn was, which leads to it. */
function TurnTime({ agent, sample }: { readonly agent: string; readonly sample: Sample }) {
  return <TextLink href={placeOf(agent, "turns", sample.turn)}>{timeText(sample.startedAt)}</TextLink>;
}
