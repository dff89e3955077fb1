import { apportion } from "../delivery/bill.ts";
import { inDollars, inMicros, microsOf } from "../delivery/cost.ts";
import { createSentBefore } from "../delivery/sent-before.ts";
import type { Host } from "../host/host.ts";
import type { CacheTokens } from "../prompt/receipt.ts";
import type { SpentTurn } from "../store/overview.ts";
import { list, number, object, oneOf, text, whole } from "./field.ts";
import { operation } from "./operation.ts";
import { moneyRange } from "./overview.ts";
import { createStepReader, type StepFacts } from "./turns/sample-fields.ts";

const unread = object({
  agent: text(),
  channel: text().nullable(),
  turns: whole("Turns in which nothing was read from the cache."),
  cost: number("In dollars, of those turns."),
  kept: number(
    "In dollars at today's prices: what they would have cost less, had the provider read from its cache what it keeps long enough.",
  ),
  day: number("The same if the cache were kept for a day; what keeping it longer costs is not subtracted."),
});

/**
 * What the sections of prompts cost. Steps keep no price of a section, so what a turn cost is divided: by what its parts were
 * billed for, at today's prices. Each turn is divided in whole millionths of a dollar, so that the parts add up.
 */
const showSections = operation({
  name: "money.sections",
  says: "Get what each section of the prompts cost, over all agents",
  about:
    "The newest turns of a range, each divided by what its parts were billed for; and of those that read nothing from the cache, how much of their tools and system prompts had been sent before. All rows, `others` and `unexplained` come to `total`.",
  route: "GET /money/sections",
  who: "operator",
  input: {
    ...moneyRange,
    turns: whole("How many turns are looked at, the newest.", { least: 1, most: 500 }).usual(200),
  },
  answer: object({
    turns: whole("Turns that were looked at."),
    total: number("In dollars: all that was spent in the range."),
    others: number("In dollars: turns that were not looked at."),
    unexplained: number(
      "In dollars: no turn that is kept, or one whose requests, tokens or price are not known any more.",
    ),
    parts: list(
      object({
        agent: text(),
        part: oneOf(["section", "tools", "history", "reply", "opinion"]),
        name: text("The section's.").nullable(),
        mutability: oneOf(["fixed", "live", "amendable"]).nullable(),
        cost: number("In dollars."),
        read: whole(),
        written: whole(),
        fresh: whole(),
        output: whole(),
      }),
    ),
    unread: list(unread, "Turns in which nothing was read from the cache, by agent and channel."),
  }).named("SectionCosts", "What each section of the prompts cost."),
  statuses: { 200: "The dearest first." },
  run: async (context, { turns: most, ...range }) => {
    const { overview, steps } = context.store;
    const [host, money, newest] = await Promise.all([
      context.host(),
      overview.money(range),
      overview.newest(range, most),
    ]);
    const looked = bounded(newest, await steps.counts(newest.map(({ id }) => id)));
    const found = await costsOf(host, looked);
    const sum = (rows: readonly { readonly micros: number | null }[]) =>
      rows.reduce((all, { micros }) => all + (micros ?? 0), 0);
    const [total, kept] = [sum(money.models), sum(money.channels)];
    const others = kept - sum(looked);
    return {
      turns: looked.length,
      total: inDollars(total),
      others: inDollars(others),
      unexplained: inDollars(total - others - sum(found.parts)),
      parts: found.parts
        .toSorted((one, other) => other.micros - one.micros)
        .map(({ micros, ...part }) => ({ ...part, cost: inDollars(micros) })),
      unread: found.unread
        .toSorted((one, other) => other.day - one.day || other.micros - one.micros)
        .map(({ micros, kept, day, ...one }) => ({
          ...{ ...one, cost: inDollars(micros), kept: inDollars(Math.round(kept)), day: inDollars(Math.round(day)) },
        })),
    };
  },
});

export const operations = [showSections];

/** Maximum number of requests whose receipts are read for one answer. */
const maxSteps = 2_000;

/** The newest turns whose requests are not too many together; the newest of all in any case. */
export function bounded(turns: readonly SpentTurn[], counts: ReadonlyMap<string, number>): readonly SpentTurn[] {
  let steps = 0;
  return turns.filter(({ id }, at) => {
    steps += counts.get(id) ?? 0;
    return at === 0 || steps <= maxSteps;
  });
}

type PartName = {
  readonly part: "section" | "tools" | "history" | "reply" | "opinion";
  readonly name: string | null;
  readonly mutability: "fixed" | "live" | "amendable" | null;
};
type Share = PartName & CacheTokens & { readonly output: number };
type PartCost = Share & { readonly agent: string; readonly micros: number };
type Unread = {
  readonly agent: string;
  readonly channel: string | null;
  readonly turns: number;
  readonly micros: number;
  readonly kept: number;
  readonly day: number;
};

async function costsOf({ store, models }: Host, turns: readonly SpentTurn[]) {
  const parts = new Map<string, PartCost>();
  const unread = new Map<string, Unread>();
  for (const [agent, own] of Map.groupBy(turns, (turn) => turn.agent)) {
    const byId = new Map(own.map((turn) => [turn.id, turn]));
    const factsOf = createStepReader(new Set(byId.keys()), null, models);
    const savedBy = createSentBefore();
    const shares = new Map<string, readonly Weighed[] | null>();
    const savings = new Map<string, { kept: number; day: number }>();
    for await (const sampled of store.steps.sample([...byId.keys()])) {
      const facts = factsOf(sampled);
      if (!facts) continue;
      const { turn, receipt, at } = facts.step;
      const [before, more] = [shares.get(turn), sharesOf(facts)];
      shares.set(turn, before === null || more === null ? null : [...(before ?? []), ...more]);
      if (!receipt || !facts.usage || !facts.receiver) continue;
      const saved = savedBy({ receipt, at, usage: facts.usage }, facts.receiver);
      const { kept = 0, day = 0 } = savings.get(turn) ?? {};
      if (saved) savings.set(turn, { kept: kept + saved.kept, day: day + saved.day });
    }
    for (const { id, channel, micros, read } of own) {
      for (const part of divided(micros ?? 0, shares.get(id) ?? [])) {
        const key = JSON.stringify([agent, part.part, part.name]);
        parts.set(key, addPart({ ...part, agent }, parts.get(key)));
      }
      if (read !== 0) continue;
      const key = JSON.stringify([agent, channel]);
      const { kept, day } = savings.get(id) ?? { kept: 0, day: 0 };
      const sum = unread.get(key) ?? { agent, channel, turns: 0, micros: 0, kept: 0, day: 0 };
      unread.set(key, {
        ...{ agent, channel, turns: sum.turns + 1, micros: sum.micros + (micros ?? 0) },
        ...{ kept: sum.kept + kept, day: sum.day + day },
      });
    }
  }
  return { parts: [...parts.values()], unread: [...unread.values()] };
}

/** A part of a request, and what it cost at today's prices, in millionths of a dollar. */
type Weighed = Share & { readonly weight: number };

const nothing = { read: 0, written: 0, fresh: 0, output: 0 };

/** The parts of a step that was paid for; null where it is not known what was paid for. */
function sharesOf({ step, receiver, billed, usage }: StepFacts): readonly Weighed[] | null {
  const plain = { name: null, mutability: null } as const;
  const opinions = (step.result?.opinions ?? []).map(({ cost }): Weighed => {
    return { ...nothing, ...plain, part: "opinion", weight: inMicros(cost ?? 0) };
  });
  if (!usage) return step.erasedAt === null ? opinions : null;
  const price = receiver?.price;
  if (!billed || !price) return null;
  const weighed = (share: PartName & Partial<Share>): Weighed => {
    const whole = { ...nothing, ...share };
    return { ...whole, weight: microsOf(price, whole) };
  };
  return [
    weighed({ part: "tools", ...plain, ...billed.tools }),
    ...billed.sections.map(({ section: { name, mutability }, billed: tokens }) =>
      weighed({ part: "section", name, mutability, ...tokens }),
    ),
    weighed({ part: "history", ...plain, ...billed.history }),
    weighed({ part: "reply", ...plain, output: usage.output ?? 0 }),
    ...opinions,
  ];
}

/** Divides what a turn cost by its parts; no part where nothing is known of them. */
function divided(micros: number, shares: readonly Weighed[]): (Share & { readonly micros: number })[] {
  const weights = shares.map(({ weight }) => weight);
  if (!weights.some((weight) => weight > 0)) return [];
  const each = apportion(micros, weights);
  return shares.map(({ weight: _, ...share }, at) => ({ ...share, micros: each[at] as number }));
}

function addPart(one: PartCost, other: PartCost | undefined): PartCost {
  if (!other) return one;
  const { micros, read, written, fresh, output } = other;
  return {
    ...{ ...one, micros: one.micros + micros, output: one.output + output },
    ...{ read: one.read + read, written: one.written + written, fresh: one.fresh + fresh },
  };
}
