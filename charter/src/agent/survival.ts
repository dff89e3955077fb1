import { microsOf } from "../delivery/cost.ts";
import type { Receiver } from "../delivery/receiver.ts";
import type { CacheTokens } from "../prompt/receipt.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { Automaton } from "../store/automata/automata.ts";
import type { Store } from "../store/store.ts";

/**
 * How well off an agent is that spends what it was granted. LowCycles: no turns of its own, no sensitive calls. Critical
 * and OutOfCycles: no model is asked.
 */
export type SurvivalTier = "Normal" | "LowCycles" | "Critical" | "OutOfCycles";

/** From best to worst. */
const tiers: readonly SurvivalTier[] = ["Normal", "LowCycles", "Critical", "OutOfCycles"];

/** What survival is reckoned from, in millionths of a dollar. */
export type SurvivalInput = {
  /** In all; null: nothing ever. */
  readonly granted: number | null;
  readonly spent: number;
  /** What is kept back of it. */
  readonly reserve: number;
  /** What its last turns cost; null where nothing was counted. */
  readonly last: readonly (number | null)[];
  /** Whether its model has a price. */
  readonly priced: boolean;
};

/** `unknown` says why it cannot be reckoned; then the tier is Normal. */
export type SurvivalResult = {
  readonly tier: SurvivalTier;
  readonly unknown: "never-granted" | "no-price" | null;
  /** What was granted less what was spent. */
  readonly balance: number | null;
  /** What the next turn may cost: a quarter more than the dearest tenth of the last on average. */
  readonly need: number;
};

export function reckonSurvival({ granted, spent, reserve, last, priced }: SurvivalInput): SurvivalResult {
  const need = needOf(last.filter((cost) => cost !== null));
  if (granted === null) return { tier: "Normal", unknown: "never-granted", balance: null, need };
  if (!priced) return { tier: "Normal", unknown: "no-price", balance: null, need };
  const balance = granted - spent;
  return { tier: tierOf(balance - reserve, need), unknown: null, balance, need };
}

function needOf(costs: readonly number[]): number {
  const dearest = [...costs].sort((one, other) => other - one).slice(0, Math.ceil(costs.length / 10));
  const sum = dearest.reduce((one, other) => one + other, 0);
  return dearest.length === 0 ? 0 : Math.ceil((1.25 * sum) / dearest.length);
}

function tierOf(usable: number, need: number): SurvivalTier {
  if (usable <= 0) return "OutOfCycles";
  if (usable < need) return "Critical";
  return usable < 15 * need ? "LowCycles" : "Normal";
}

export function worseTier(one: SurvivalTier, other: SurvivalTier): SurvivalTier {
  return tiers.indexOf(one) >= tiers.indexOf(other) ? one : other;
}

/** A tier as it is kept; a word nobody knows is Normal. */
export function parseTier(kept: string | undefined): SurvivalTier {
  return tiers.find((tier) => tier === kept) ?? "Normal";
}

/** What is kept of survival from check to check. */
type SurvivalRecord = { readonly tier: SurvivalTier; readonly goodChecks: number };

const checksToRise = 3;

/** One check: it falls at once, and rises after three in a row that found it better off. */
export function nextSurvival(
  { tier, goodChecks }: SurvivalRecord,
  measured: Pick<SurvivalResult, "tier" | "unknown">,
): SurvivalRecord {
  const better = worseTier(tier, measured.tier) !== measured.tier;
  if (!better || measured.unknown !== null) return { tier: measured.tier, goodChecks: 0 };
  return goodChecks + 1 >= checksToRise ? { tier: measured.tier, goodChecks: 0 } : { tier, goodChecks: goodChecks + 1 };
}

/** How well off an agent is now: what it has, needs and burns, in millionths of a dollar. */
export type Survival = SurvivalResult & {
  /** What holds: the worse of the tier that is kept and the one measured now. */
  readonly tier: SurvivalTier;
  readonly measured: SurvivalTier;
  readonly reserve: number;
  /** The cost of its turns of the last 24 hours, by the hour; null where the model has no price. */
  readonly burnPerHour: number | null;
  /** How long the balance lasts so; null while it is not known, or nothing burns. */
  readonly runwayHours: number | null;
};

type MeasureSurvivalOptions = {
  readonly store: Pick<Store, "automata">;
  readonly agent: AgentRecord;
  /** Its row, where it is at hand. */
  readonly automaton?: Automaton | undefined;
  readonly now: Date;
  /** Whether its model has a price; by what its turns cost, unless given. */
  readonly priced?: boolean | undefined;
  /** What a turn under way owes and has not recorded. */
  readonly owed?: number;
};

type MeasuredLife = { readonly survival: Survival; readonly automaton: Automaton | undefined };

export async function measureSurvival(about: MeasureSurvivalOptions): Promise<MeasuredLife> {
  const { store, agent, now, owed = 0 } = about;
  const automaton = about.automaton ?? (await store.automata.find(agent.name));
  const { last, since } = await store.automata.costs(agent.name, new Date(now.getTime() - day).toISOString());
  const priced = about.priced ?? (last.length === 0 || last.some((cost) => cost !== null));
  const reserve = reserveOf(agent);
  const { granted = null, spent = 0 } = automaton ?? {};
  const measured = reckonSurvival({ granted, spent: spent + owed, reserve, last, priced });
  const { balance, unknown } = measured;
  const tier = unknown === null ? worseTier(parseTier(automaton?.tier), measured.tier) : measured.tier;
  const burnPerHour = priced ? Math.round((since + owed) / hoursLived(agent, now)) : null;
  const runwayHours = balance === null || !burnPerHour ? null : Math.round((balance / burnPerHour) * 10) / 10;
  return {
    automaton,
    survival: { ...measured, tier, measured: measured.tier, reserve, burnPerHour, runwayHours },
  };
}

const hour = 3_600_000;
const day = 24 * hour;

/** The last 24 hours; of a younger agent, as many as it has, and one at least. */
function hoursLived({ createdAt }: AgentRecord, now: Date): number {
  return Math.min(24, Math.max(1, (now.getTime() - Date.parse(createdAt)) / hour));
}

/** What the operator wants kept back, in millionths of a dollar. */
function reserveOf({ settings: { reserve } }: AgentRecord): number {
  return typeof reserve === "number" && Number.isFinite(reserve) && reserve > 0 ? reserve : 0;
}

/** So long an answer every model of today takes to be asked for, where it is not known how long one may be. */
const usualTokens = 8192;

/**
 * The most tokens of an answer that what is left, in millionths of a dollar, pays for behind its request; nothing where it
 * pays for all that the model may write.
 */
export function answerLimit(
  left: number,
  { price, output, window }: Pick<Receiver, "price" | "output" | "window">,
  predicted: CacheTokens,
): number | undefined {
  if (!price || price.output <= 0) return undefined;
  const paid = Math.floor((left - microsOf(price, predicted)) / price.output);
  if (paid >= (output ?? window ?? Number.POSITIVE_INFINITY)) return undefined;
  return Math.max(0, Math.min(paid, output ?? usualTokens));
}
