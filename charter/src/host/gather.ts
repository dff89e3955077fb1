import { createToolsets } from "../agent/toolset.ts";
import { loadReceiverTokenizer } from "../delivery/receiver-tokenizer.ts";
import type { HostDeclarations } from "./declare.ts";
import type { GatherResult, SnapshotQuery } from "./host.ts";
import type { HostModels } from "./host-models.ts";
import { gatherReadings } from "./preview.ts";
import type { AgentSnapshot } from "./snapshot.ts";

/** Reads everything the next prompt is made of. */
export function createGather(
  snapshotOf: (query: SnapshotQuery) => Promise<AgentSnapshot>,
  models: HostModels,
  toolsOf: HostDeclarations["tools"],
): (query: SnapshotQuery) => Promise<GatherResult> {
  const toolLines = async (query: SnapshotQuery, { agent, declaredTurn }: AgentSnapshot) => {
    if (declaredTurn.served === false) return declaredTurn.turn.tools;
    const toolsets = createToolsets(await toolsOf(agent, query));
    return (await toolsets({ ...declaredTurn, tools: async () => [] })).lines(new Map());
  };
  return async (query) => {
    const snapshot = await snapshotOf(query);
    const { agent } = snapshot;
    const tools = await toolLines(query, snapshot);
    const declaredTurn = { ...snapshot.declaredTurn, turn: { ...snapshot.declaredTurn.turn, tools } };
    const receiver = await models.receiverFor(agent);
    const tokenizer = await loadReceiverTokenizer(receiver.tokenizer.name);
    const { edition = "full" } = await models.roomFor(agent);
    const readings = await gatherReadings(declaredTurn);
    return { declaredTurn, readings, model: models.nameFor(agent), receiver, tokenizer, edition };
  };
}
