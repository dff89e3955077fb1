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
