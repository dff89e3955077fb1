import type { WithCoreMemory } from "./core-memory.ts";
import type { SnapshotQuery } from "./host.ts";
import type { HostOptions } from "./host-options.ts";
import type { HostModels } from "./models/host-models.ts";
import type { FindAgent } from "./runners.ts";
import { type AgentSnapshot, needsFiles, snapshotAgent } from "./snapshot.ts";

/** Snapshots of a host's agents. The files of one that works in a directory are read from the host's. */
export function createSnapshots(
  options: HostOptions,
  find: FindAgent,
  models: HostModels,
  withMemory: WithCoreMemory,
): (query: SnapshotQuery) => Promise<AgentSnapshot> {
  const { store, clock = () => new Date(), zone, lock, channels, directory = "." } = options;
  let withFiles: ((snapshot: AgentSnapshot) => Promise<AgentSnapshot>) | undefined;
  return async ({ agent, user, channel, at }) => {
    const facts = at === undefined ? {} : { now: at };
    const found = await find(agent);
    const isPriced = () => models.isPriced(found);
    const about = { agent: found, user, channel, facts, zone, lock, channels, isPriced, withMemory, clock };
    const snapshot = await snapshotAgent(store, about);
    if (!needsFiles(snapshot.declaredTurn)) return snapshot;
    withFiles ??= (await import("./coder-snapshot.ts")).createCoderSnapshot({ directory });
    return withFiles(snapshot);
  };
}
