import type { AgentRecord } from "../../store/agents.ts";
import type { Automaton } from "../../store/automata/automaton.ts";
import type { Store } from "../../store/store.ts";
import { parseTier, reckonSurvival, type SurvivalResult, type SurvivalTier, worseTier } from "./survival.ts";

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
