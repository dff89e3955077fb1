import { nextSurvival, parseTier, type SurvivalTier } from "../../agent/survival/survival.ts";
import type { Automaton } from "../../store/automata/automaton.ts";
import type { Life } from "./life.ts";

/** How an agent is off, and what of it is to be recorded. */
type SurvivalCheck = {
  /** The tier, where no turns are taken in it. */
  readonly rest?: string;
  /** No turns of its own, and none for what a person approved. */
  readonly isLow: boolean;
  readonly set?: { readonly tier: SurvivalTier; readonly goodChecks: number };
};

/** One check: it gets worse at once, and better after three good ones. */
export async function checkSurvival({ host, agent }: Life, row: Automaton): Promise<SurvivalCheck> {
  // Nothing was ever granted: there is nothing to measure it by.
  if (row.granted === null && row.tier === "Normal") return { isLow: false };
  const { measured, unknown } = await host.survivalOf(agent);
  const { tier, goodChecks } = nextSurvival(
    { tier: parseTier(row.tier), goodChecks: row.goodChecks },
    { tier: measured, unknown },
  );
  const starves = tier === "Critical" || tier === "OutOfCycles";
  const same = tier === row.tier && goodChecks === row.goodChecks;
  return {
    isLow: tier !== "Normal",
    ...(starves ? { rest: tier } : {}),
    ...(same ? {} : { set: { tier, goodChecks } }),
  };
}
