import { probeModel } from "../../../delivery/models/probe/probe-model.ts";
import { standInName } from "../../../delivery/models/provider.ts";
import type { ModelTable } from "../../../delivery/models/table/model-entry.ts";
import { priceNotices, type SpendingLimit } from "../../../host/models/spending-limits.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import type { Checkup } from "../../../store/home/database.ts";
import { modelsHere } from "../../shared/config-keys.ts";
import { environmentForModels } from "../../shared/trust/directory-settings.ts";

/** What is known here of models: those of the settings, the usual one, and who may spend what on them. */
export type KnownModels = {
  readonly models: ModelTable;
  /** The model of agents that name none. */
  readonly usual: string;
  readonly agents: readonly AgentRecord[];
  readonly limits: readonly SpendingLimit[];
};

/** Asks every model there is one word, and tells what is wrong with it. That costs a word each. */
export async function askModels({ models, usual, agents, limits }: KnownModels): Promise<Checkup[]> {
  const env = await environmentForModels().catch(untrusted);
  if (env === undefined) return [];
  const named = agents.flatMap(({ model, fallbacks, settings }) => [
    model ?? usual,
    ...(fallbacks ?? []),
    settings.secondOpinion,
  ]);
  const { memory } = await modelsHere();
  const names = new Set<unknown>([...Object.keys(models), ...(agents.length === 0 ? [usual] : []), ...named]);
  // One that makes vectors of notes answers nobody.
  names.delete(memory?.embed);
  const limited = new Set(limits.map(({ model }) => model));
  const asked = [...names]
    .filter((name): name is string => typeof name === "string" && !name.startsWith("acp/"))
    .map((name) => {
      if (name === standInName || name === "stand-in") return [standIn];
      return probeModel(name, { env, models, limited: limited.has(name) });
    });
  return (await Promise.all(asked)).flat();
}

/** Nobody is asked while settings here wait for somebody's trust. That they do is told already. */
function untrusted(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code !== "config-untrusted") throw error;
}

const standIn: Checkup = {
  what: `“${standInName}” is a script, and no model: it answers to whoever names no model, while no key is set.`,
  fine: true,
  hint: "docs/models.md says how a model is connected.",
};

/** Limits in dollars that cannot be kept, since a price is not known. No model is asked for that. */
export function checkPrices(limits: readonly SpendingLimit[]): Checkup[] {
  return priceNotices(limits).map(({ message }) => {
    const [what = message, hint] = message.split(/(?<=refused\.) /);
    return { what, fine: false, ...(hint === undefined ? {} : { hint }) };
  });
}
