import { microsOf } from "../delivery/cost.ts";
import type { Receiver } from "../delivery/receiver.ts";
import type { CacheTokens } from "../prompt/receipt.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { Automaton } from "../store/automata/automata.ts";
import type { Store } from "../store/store.ts";

/**
 * The state of an agent that spends what it was granted. LowCycles: no turns of its own, no calls that act outside. Critical and
 * OutOfCycles: no model is asked.
 */
export type SurvivalTier = "Normal" | "LowCycles" | "Critical" | "OutOfCycles";

/** The tiers from best to worst. */
const tiers: readonly SurvivalTier[] = ["Normal", "LowCycles", "Critical", "OutOfCycles"];

/** Amounts that survival is computed from, in millionths of a dollar. */
export type SurvivalInput = {
  /** The sum of all grants; null: never any. */
  readonly granted: number | null;
  readonly spent: number;
  /** The part of it that is held back. */
  readonly reserve: number;
  /** The cost of each of its last turns; null where nothing was counted. */
  readonly last: readonly (number | null)[];
  /** Says that its model has a price. */
  readonly priced: boolean;
};

/** The result. `unknown` says why there is none; then the tier is Normal. */
export type SurvivalResult = {
  readonly tier: SurvivalTier;
  readonly unknown: "never-granted" | "no-price" | null;
  /** The granted amount less the spent one. */
  readonly balance: number | null;
  /** The expected maximum cost of the next turn: a quarter more than the average of the dearest tenth of the last turns. */
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

/** Reads a stored tier; an unknown word is Normal. */
export function parseTier(kept: string | undefined): SurvivalTier {
  return tiers.find((tier) => tier === kept) ?? "Normal";
}

/** The record of survival that is kept from check to check. */
type SurvivalRecord = { readonly tier: SurvivalTier; readonly goodChecks: number };

const checksToRise = 3;

/** Applies one check: the tier falls at once, and rises after three checks in a row that found a better one. */
export function nextSurvival(
  { tier, goodChecks }: SurvivalRecord,
  measured: Pick<SurvivalResult, "tier" | "unknown">,
): SurvivalRecord {
  const better = worseTier(tier, measured.tier) !== measured.tier;
  if (!better || measured.unknown !== null) return { tier: measured.tier, goodChecks: 0 };
  return goodChecks + 1 >= checksToRise ? { tier: measured.tier, goodChecks: 0 } : { tier, goodChecks: goodChecks + 1 };
}

/** The present survival of an agent: its balance, need and burn, in millionths of a dollar. */
export type Survival = SurvivalResult & {
  /** The tier that applies: the worse of the stored tier and the one measured now. */
  readonly tier: SurvivalTier;
  readonly measured: SurvivalTier;
  readonly reserve: number;
  /** The hourly cost of its turns, over the last 24 hours; null where the model has no price. */
  readonly burnPerHour: number | null;
  /** Hours until the balance is gone at that cost; null while it is not known, or nothing burns. */
  readonly runwayHours: number | null;
};

type MeasureSurvivalOptions = {
  readonly store: Pick<Store, "automata">;
  readonly agent: AgentRecord;
  /** The automaton's row, where it is at hand. */
  readonly automaton?: Automaton | undefined;
  readonly now: Date;
  /** Says that its model has a price; judged by its turns' costs, unless given. */
  readonly priced?: boolean | undefined;
  /** The cost of a running turn that is not recorded yet. */
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

/** Returns the hours the burn is averaged over: 24, or the age of a younger agent, but at least one. */
function hoursLived({ createdAt }: AgentRecord, now: Date): number {
  return Math.min(24, Math.max(1, (now.getTime() - Date.parse(createdAt)) / hour));
}

/** Returns the amount the operator wants held back, in millionths of a dollar. */
function reserveOf({ settings: { reserve } }: AgentRecord): number {
  return typeof reserve === "number" && Number.isFinite(reserve) && reserve > 0 ? reserve : 0;
}

/** Maximum number of tokens of an answer that every model of today accepts, where the model's own limit is not known. */
const usualAnswerTokens = 8192;

/**
 * Returns the maximum number of tokens of an answer that the rest of the budget, in millionths of a dollar, pays for after the
 * request; undefined where it pays for all that the model may write.
 */
export function answerLimit(
  left: number,
  { price, output, window }: Pick<Receiver, "price" | "output" | "window">,
  predicted: CacheTokens,
): number | undefined {
  if (!price || price.output <= 0) return undefined;
  const paid = Math.floor((left - microsOf(price, predicted)) / price.output);
  if (paid >= (output ?? window ?? Number.POSITIVE_INFINITY)) return undefined;
  return Math.max(0, Math.min(paid, output ?? usualAnswerTokens));
}
