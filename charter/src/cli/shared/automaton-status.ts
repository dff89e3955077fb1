import type { Host } from "../../host/host.ts";
import type { AgentRecord } from "../../store/agents.ts";
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
  const changes = await store.automata.listChanges(agent, { limit: lastTransitions });
  return {
    ...{ agent, state, stateAt, turn, tier, frozen, asleepUntil, turns, ownTurnAt, runner, leasedUntil },
    balances: { granted, spent, balance, unknown, reserve, need, burnPerHour, runwayHours },
    ...{ waiting, dead, transitions: changes.map((change) => ({ ...change, fault: change.fault ?? false })) },
  };
}
