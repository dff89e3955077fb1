import { Problem } from "../../prompt/problem.ts";
import { measureSurvival } from "../survival/measure-survival.ts";
import type { SurvivalTier } from "../survival/survival.ts";
import type { AgentDeps, TurnView } from "./turn-state.ts";

type Spending = Pick<TurnView, "who" | "bill">;

/** How well off the agent of a turn is now, with what the turn has spent. One without an inbox lives on no grant. */
export async function survivalTier(deps: AgentDeps, { who, bill }: Spending): Promise<SurvivalTier> {
  const { store, name, model, clock } = deps;
  if (!who.declaration.needs?.includes("inbox")) return "Normal";
  const automaton = await store.automata.find(name);
  const agent = automaton?.granted == null ? undefined : await store.agents.find(name);
  if (!agent) return "Normal";
  const owed = Math.round((bill.unrecordedSpend?.cost ?? 0) * 1e6);
  const priced = Boolean(model.receiver.price);
  return (await measureSurvival({ store, agent, automaton, now: clock(), priced, owed })).survival.tier;
}

/** Nothing is asked of a model with what an agent needs to stay alive. */
export async function checkSurvival(deps: AgentDeps, turn: Spending): Promise<void> {
  checkTier(deps.name, await survivalTier(deps, turn));
}

export function checkTier(agent: string, tier: SurvivalTier): void {
  if (tier !== "Critical" && tier !== "OutOfCycles") return;
  throw new Problem(
    "out-of-cycles",
    `“${agent}” has too few cycles left to ask its model (${tier}).`,
    `Whoever runs it can grant more: charter automaton grant ${agent}.`,
  );
}
