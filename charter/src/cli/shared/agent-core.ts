import { noCoreMemory } from "../../host/core-memory.ts";
import { Problem } from "../../prompt/problem.ts";
import type { CoreMemory } from "../../sources/core-memory/core-memory.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { Store } from "../../store/store.ts";
import { hostOf } from "./inbox-agent.ts";
import { type StoreValues, storeOptions, withStore } from "./store.ts";

/** What every command on a core memory understands. */
export const coreOptions = { ...storeOptions, agent: { type: "string", short: "a" } } as const;

type CoreValues = StoreValues & { readonly agent?: string | undefined; readonly json?: boolean | undefined };

type OpenedCore = {
  readonly store: Store;
  readonly agent: AgentRecord;
  readonly memory: CoreMemory;
};

/** Opens an agent's core memory for one command. */
export async function withCore(values: CoreValues, work: (opened: OpenedCore) => Promise<number>): Promise<number> {
  return withStore(values, async (store) => {
    const agent = await agentWithCore(store, values.agent);
    const memory = await (await hostOf(store)).coreMemory(agent.name);
    if (memory) return work({ store, agent, memory });
    throw noCoreMemory(agent.name);
  });
}

/** The agent that was named, else the only one that has a core memory on relays. */
export async function agentWithCore(store: Store, name: string | undefined): Promise<AgentRecord> {
  if (name !== undefined) return store.agents.get(name);
  const [only, ...others] = (await store.agents.list()).filter(({ settings }) => settings.memory);
  if (only && others.length === 0) return only;
  const names = [only, ...others].flatMap((one) => (one ? [one.name] : []));
  throw new Problem(
    "usage",
    only ? "Several agents have a core memory." : "No agent here has a core memory on relays.",
    only ? `Name one with --agent: ${names.join(", ")}.` : "Set one up with charter agents add: docs/resident.md.",
  );
}
