import type { AgentRecord } from "../../store/agents.ts";
import type { Store } from "../../store/store.ts";
import type { AutomatonStatus } from "../print/automaton.ts";
import { countMessages } from "./inbox-agent.ts";

const lastTransitions = 10;

/** How an agent that lives by itself is: as `GET …/snapshot` tells it, without its prompt and its turns. */
export async function automatonStatus(
  store: Store,
  { name, settings, frozen }: AgentRecord,
  now: Date,
): Promise<AutomatonStatus> {
  const row = await store.automata.find(name);
  const { state = null, stateAt = null, turn = null, tier = "Normal", asleepUntil = null } = row ?? {};
  const { turns = 0, ownTurnAt = null, runner = null, leasedUntil = null, granted = null, spent = 0 } = row ?? {};
  const dayAgo = new Date(now.getTime() - 86_400_000).toISOString();
  const { since: burn, last } = await store.automata.costs(name, dayAgo);
  const reserve = typeof settings.reserve === "number" ? settings.reserve : 0;
  const usable = granted === null ? null : granted - spent - reserve;
  const runwayHours = usable === null || burn === 0 ? null : Math.max(0, usable / (burn / 24));
  const { waiting, dead } = await countMessages(store, name);
  return {
    ...{ agent: name, state, stateAt, turn, tier, frozen, asleepUntil, turns, ownTurnAt, runner, leasedUntil },
    balances: {
      granted,
      spent,
      reserve,
      usable,
      need: null,
      burn,
      runwayHours,
      unpriced: last.includes(null),
    },
    ...{ waiting, dead },
    transitions: await transitionsOf(store, name),
  };
}

/** Newest first, faults among them. */
async function transitionsOf(store: Store, agent: string): Promise<AutomatonStatus["transitions"]> {
  const of = (kind: string) => store.events.list({ agent, kind, limit: lastTransitions });
  const all = [...(await of("automaton-state")), ...(await of("automaton-fault"))];
  return all
    .toSorted((one, other) => other.id - one.id)
    .slice(0, lastTransitions)
    .map(({ kind, at, turn, detail: { from, to, cause } }) => ({
      ...{ from: String(from), to: String(to), cause: String(cause), turn, at },
      fault: kind === "automaton-fault",
    }));
}
