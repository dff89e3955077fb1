import { noCoreMemory } from "../../host/core-memory.ts";
import { Problem } from "../../prompt/problem.ts";
import type { CoreMemory } from "../../sources/core-memory/core-memory.ts";
import type { Store } from "../../store/store.ts";
import type { OperationContext } from "../operation.ts";

/** The name of the agent that was named, else of the only one that has a core memory on relays. */
export async function residentIn(store: Store, name: string | undefined): Promise<string> {
  if (name !== undefined) return (await store.agents.get(name)).name;
  const found = (await store.agents.list()).filter(({ settings }) => settings.memory);
  const names = found.map((one) => one.name);
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return only;
  throw new Problem(
    "usage",
    only === undefined ? "No agent here has a core memory on relays." : "Several agents have a core memory.",
    only === undefined
      ? "Set one up with charter agents add: docs/resident.md."
      : `Name one with --agent: ${names.join(", ")}.`,
  );
}

/** The same, with its core memory. */
export async function coreOf(
  { store, host }: OperationContext,
  name: string | undefined,
): Promise<{ readonly agent: string; readonly memory: CoreMemory }> {
  const agent = await residentIn(store, name);
  const memory = await (await host()).coreMemory(agent);
  if (memory) return { agent, memory };
  throw noCoreMemory(agent);
}
