import type { Limits } from "../../agent/limits.ts";
import { priceHint } from "../../delivery/models/model-entry.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Notice } from "../../prompt/reading.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { HostModels } from "./host-models.ts";

/** That an agent may cost so many dollars a day, and whether what its model costs is known. */
export type SpendingLimit = {
  readonly agent: string;
  readonly model: string;
  readonly dollars: number;
  readonly priced: boolean;
};

/** The agents of which it is set what they may cost. Those that cannot be loaded say so with their turns. */
export async function spendingLimits(
  agents: readonly AgentRecord[],
  models: Pick<HostModels, "nameFor" | "isPriced">,
  limitsOf: (agent: AgentRecord) => Promise<Partial<Limits>>,
): Promise<SpendingLimit[]> {
  const found: SpendingLimit[] = [];
  for (const agent of agents) {
    const dollars = dollarsOf(await limitsOf(agent).catch(nothing));
    const priced = dollars === undefined ? undefined : await models.isPriced(agent);
    // Of a model nobody knows its turns tell.
    if (dollars === undefined || priced === undefined) continue;
    found.push({ agent: agent.name, model: models.nameFor(agent), dollars, priced });
  }
  return found;
}

function nothing(error: unknown): Partial<Limits> {
  if (error instanceof Problem) return {};
  throw error;
}

/** The least of what a user or the agent may cost in a day. */
function dollarsOf({ userDollarsPerDay: user, agentDollarsPerDay: all }: Partial<Limits>): number | undefined {
  const set = [user, all].filter((one) => one !== undefined);
  return set.length === 0 ? undefined : Math.min(...set);
}

/** What whoever starts it should know: with a limit in dollars and no price, nothing is asked of the model. */
export function priceNotices(limits: readonly SpendingLimit[]): Notice[] {
  return limits
    .filter(({ priced }) => !priced)
    .map(({ agent, model, dollars }) => ({
      code: "price-unknown",
      message: `“${agent}” may cost $${dollars} a day, and the price of “${model}” is not known: its turns are refused. ${priceHint(model)}`,
    }));
}
