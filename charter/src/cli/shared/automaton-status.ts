import type { Host } from "../../host/host.ts";
import { Problem } from "../../prompt/problem.ts";
import { chainStatus, type KnownChain, knownChains } from "../../server/chain-status.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { AutomatonStatus } from "../print/automaton.ts";
import { countMessages } from "./inbox-agent.ts";
import { environmentHere, settingsHere } from "./trust/directory-settings.ts";

const lastTransitions = 10;

/** The chains that the settings here name. Those that are not trusted name none: what they would say is not asked. */
export async function chainsHere(): Promise<ReadonlyMap<string, KnownChain>> {
  try {
    return knownChains((await settingsHere("which chains there are")) ?? {}, await environmentHere());
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "config-untrusted") throw error;
    return new Map();
  }
}

/** How an agent that lives by itself is: as `GET …/snapshot` tells it, without its prompt and its turns. */
export async function automatonStatus(
  host: Host,
  { name: agent, frozen }: AgentRecord,
  chains?: ReadonlyMap<string, KnownChain>,
): Promise<AutomatonStatus> {
  const { store } = host;
  const row = await store.automata.find(agent);
  const { state = null, stateAt = null, turn = null, asleepUntil = null, turns = 0 } = row ?? {};
  const { ownTurnAt = null, runner = null, leasedUntil = null, granted = null, spent = 0 } = row ?? {};
  const away = row?.away ? { since: row.away.since, because: row.away.because } : null;
  const { tier, balance, unknown, reserve, need, burnPerHour, runwayHours } = await host.survivalOf(agent);
  const { waiting, dead } = await countMessages(store, agent);
  const changes = await store.automata.listChanges(agent, { limit: lastTransitions });
  const chain = await chainStatus(store, agent, chains?.get(agent), host.clock());
  return {
    ...{ agent, state, stateAt, turn, tier, frozen, asleepUntil, turns, ownTurnAt, runner, leasedUntil, away },
    balances: { granted, spent, balance, unknown, reserve, need, burnPerHour, runwayHours },
    ...(chain && { chain }),
    ...{ waiting, dead, transitions: changes.map((change) => ({ ...change, fault: change.fault ?? false })) },
  };
}
