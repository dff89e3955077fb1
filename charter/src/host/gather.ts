import { withoutTools } from "../agent/bare-declaration.ts";
import { type Limits, limitsOf, narrower } from "../agent/limits.ts";
import { createToolsets } from "../agent/toolset.ts";
import { fittingPrompt } from "../agent/turn/turn-prompt.ts";
import { offerTokens } from "../delivery/prediction.ts";
import { loadReceiverTokenizer } from "../delivery/receiver.ts";
import type { HostDeclarations } from "./declare.ts";
import type { Host, SnapshotQuery } from "./host.ts";
import type { HostPlace } from "./host-options.ts";
import type { HostModels } from "./models/host-models.ts";
import { gatherReadings } from "./preview.ts";
import type { AgentSnapshot } from "./snapshot.ts";

/** Functions that show the next prompt: what it would be made from, and all that would be read for it. */
type HostLooks = Pick<Host, "look" | "gather">;

/** Creates the functions that show the next prompt as its model would read it, before any tool is called. */
export function createLooks(
  snapshotOf: (query: SnapshotQuery) => Promise<AgentSnapshot>,
  models: HostModels,
  toolsOf: HostDeclarations["tools"],
  {
    limits: hostLimits,
    place,
  }: { readonly limits: Partial<Limits> | undefined; readonly place: HostPlace | undefined },
): HostLooks {
  const toolsetFor = async (query: SnapshotQuery, { agent, declaredTurn }: AgentSnapshot, takesTools: boolean) => {
    if (declaredTurn.served === false && !place) return { lines: declaredTurn.turn.tools, offers: [] };
    if (!takesTools) return { lines: [], offers: [] };
    const { lines, offers } = await createToolsets([])({ ...declaredTurn, tools: () => toolsOf(agent, query) });
    return { lines: lines(new Map()), offers };
  };
  const look: HostLooks["look"] = async (query) => {
    const snapshot = await snapshotOf(query);
    const { agent } = snapshot;
    const { receiver, notices } = await models.receiverSeen(agent, snapshot.declaredTurn);
    const { lines: tools, offers } = await toolsetFor(query, snapshot, receiver.takesTools !== false);
    const { turn, limits } = snapshot.declaredTurn;
    const live = { phase: "Inferring", callsLeft: limitsOf(narrower(hostLimits, limits)).toolCalls };
    const withNotices = { ...snapshot.declaredTurn, notices: [...snapshot.declaredTurn.notices, ...notices] };
    const fitting = receiver.takesTools === false ? withoutTools(withNotices) : withNotices;
    const declaredTurn = { ...fitting, turn: { ...live, ...turn, tools } };
    const tokenizer = await loadReceiverTokenizer(receiver.tokenizer);
    const toolTokens = offerTokens(offers, tokenizer);
    return { declaredTurn, model: models.nameFor(agent), receiver, tokenizer, toolTokens };
  };
  return {
    look,
    gather: async (query) => {
      const lookResult = await look(query);
      const { declaredTurn, tokenizer, receiver, toolTokens } = lookResult;
      const readings = await gatherReadings(declaredTurn);
      const { charter, edition: ownEdition } = declaredTurn;
      const room = { tokenizer, ...(ownEdition === undefined ? {} : { edition: ownEdition }) };
      const fit = { window: receiver.window, toolTokens };
      const { prompt, readings: cut } = fittingPrompt(charter, readings, room, fit, receiver.maxBytes);
      return { ...lookResult, readings: cut, edition: prompt.edition };
    },
  };
}
