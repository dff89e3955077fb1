import { add, allOf, type Billing, chargedFor, nothing } from "../../billing/bill.ts";
import type { Sample } from "../../billing/sample.ts";
import { largest } from "../../chart/scale.ts";

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
      places.set(`section ${name}`, { tail: slot === "state", at });
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
