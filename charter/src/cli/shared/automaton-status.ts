import type { Host } from "../../host/host.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { Store } from "../../store/store.ts";
import type { AutomatonStatus } from "../print/automaton.ts";
import { countMessages } from "./inbox-agent.ts";

const lastTransitions = 10;

/** How an agent that lives by itself is: as `GET …/snapshot` tells it, without its prompt and its turns. */
export async function automatonStatus(host: Host, { name: agent, frozen }: AgentRecord): Promise<AutomatonStatus> {
  const { store } = host;
  const row = await store.automata.find(agent);
  const { state = null, stateAt = null, turn = null, asleepUntil = null, turns = 0 } = row ?? {};
  const { ownTurnAt = null, runner = null, leasedUntil = null, granted = null, spent = 0 } = row ?? {};
  const { tier, balance, unknown, reserve, need, burnPerHour, runwayHours } = await host.survivalOf(agent);
  const { waiting, dead } = await countMessages(store, agent);
  return {
    ...{ agent, state, stateAt, turn, tier, frozen, asleepUntil, turns, ownTurnAt, runner, leasedUntil },
    balances: { granted, spent, balance, unknown, reserve, need, burnPerHour, runwayHours },
    ...{ waiting, dead, transitions: await transitionsOf(store, agent) },
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
