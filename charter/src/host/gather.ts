import { withoutTools } from "../agent/bare-declaration.ts";
import { type Limits, limitsOf, narrower } from "../agent/limits.ts";
import { createToolsets } from "../agent/toolset.ts";
import { loadReceiverTokenizer } from "../delivery/receiver-tokenizer.ts";
import type { HostDeclarations } from "./declare.ts";
import type { GatherResult, SnapshotQuery } from "./host.ts";
import type { HostModels } from "./models/host-models.ts";
import { gatherReadings } from "./preview.ts";
import type { AgentSnapshot } from "./snapshot.ts";

/** Reads everything the next prompt is made of, as its model would read it: with every call still to be made. */
export function createGather(
  snapshotOf: (query: SnapshotQuery) => Promise<AgentSnapshot>,
  models: HostModels,
  toolsOf: HostDeclarations["tools"],
  asked: Partial<Limits> | undefined,
): (query: SnapshotQuery) => Promise<GatherResult> {
  const toolLines = async (query: SnapshotQuery, { agent, declaredTurn }: AgentSnapshot, takesTools: boolean) => {
    if (declaredTurn.served === false) return declaredTurn.turn.tools;
    if (!takesTools) return [];
    const toolsets = createToolsets(await toolsOf(agent, query));
    return (await toolsets({ ...declaredTurn, tools: async () => [] })).lines(new Map());
  };
  return async (query) => {
    const snapshot = await snapshotOf(query);
    const { agent } = snapshot;
    const { receiver, notices } = await models.receiverSeen(agent, snapshot.declaredTurn);
    const tools = await toolLines(query, snapshot, receiver.takesTools !== false);
    const { turn, limits } = snapshot.declaredTurn;
    const plain = receiver.takesTools === false ? withoutTools(snapshot.declaredTurn) : undefined;
    const live = { phase: "Inferring", callsLeft: limitsOf(narrower(asked, limits)).toolCalls };
    const told = { ...snapshot.declaredTurn, notices: [...snapshot.declaredTurn.notices, ...notices] };
    const declaredTurn = { ...told, ...plain, turn: { ...live, ...turn, tools } };
    const tokenizer = await loadReceiverTokenizer(receiver.tokenizer.name);
    const { edition = "full" } = await models.roomFor(agent, declaredTurn);
    const readings = await gatherReadings(declaredTurn);
    return { declaredTurn, readings, model: models.nameFor(agent), receiver, tokenizer, edition };
  };
}
