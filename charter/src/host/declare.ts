import { type Declaration, needsFiles, needsStore } from "../agent/declaration.ts";
import type { Tool } from "../agent/tool.ts";
import { replyToMessage } from "../agent/tools/reply.ts";
import { chosenTools, toolList } from "../agent/toolset.ts";
import { factsOf } from "../charters/facts.ts";
import { createBoundedMap } from "../prompt/bounds.ts";
import { Problem } from "../prompt/problem.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { AgentMcp } from "./agent-mcp.ts";
import type { WithCoreMemory } from "./core-memory.ts";
import type { SnapshotQuery } from "./host.ts";
import type { HostOptions, HostPlace } from "./host-options.ts";
import {
  agentCharter,
  type CharterSources,
  type CharterTraits,
  createLockCheck,
  folderOf,
  isFoundByName,
  traitsOf,
} from "./load.ts";
import type { HostModels } from "./models/host-models.ts";
import { type AgentSnapshot, type LiveTurn, snapshotAgent } from "./snapshot.ts";

export type FindAgent = (name: string) => Promise<AgentRecord>;

type TurnPlace = {
  readonly user: string | undefined;
  readonly channel: string | undefined;
  readonly turn?: string | undefined;
  readonly begun?: boolean | undefined;
  readonly isPriced?: LiveTurn["isPriced"];
};

/** The operator's place, if it is one, and what is added to declarations there. */
type ExtendedPlace = { readonly place?: HostPlace | undefined; readonly extend?: HostPlace["extend"] };

export type HostDeclarations = {
  /** Declares an agent for one turn; throws a Problem if it takes no turns here. */
  readonly declare: (agent: AgentRecord, place: TurnPlace) => Promise<Declaration>;
  /** Tools the agent has in that place. */
  readonly tools: (agent: AgentRecord, place: Partial<TurnPlace>) => Promise<readonly Tool[]>;
  /** Declaration by the agent's settings alone, with the tools it has here. */
  readonly declared: (agent: AgentRecord) => Promise<Declaration>;
  /** Traits of the agent's charter, as it is set up. */
  readonly traits: (agent: AgentRecord) => Promise<CharterTraits>;
};

/**
 * Creates the declarations of a host's agents. A charter that depends on settings alone stays the same object while they are
 * unchanged, so that what is cached by its identity (counts, tools, rules) is not computed anew every turn.
 */
export function createHostDeclarations(
  options: HostOptions & Pick<CharterSources, "sources">,
  withMemory: WithCoreMemory,
  mcp: Pick<AgentMcp, "withTools">,
  { place, extend }: ExtendedPlace = {},
): HostDeclarations {
  const { store, channels, lock, clock = () => new Date() } = options;
  const checkLock = createLockCheck(lock);
  const cache = createBoundedMap<string, Kept>(1000);
  const ofSettings = async (agent: AgentRecord, channel: string | undefined): Promise<Kept> => {
    const key = JSON.stringify([agent.name, channel]);
    // A charter that is stored with the agent may have been replaced since.
    const since = isFoundByName(agent.charter) ? undefined : agent.updatedAt;
    // A folder is looked at each time: it may have changed.
    const folder = folderOf(agent.charter, options.charters) ? await agentCharter(agent, options) : undefined;
    const settings = JSON.stringify([agent.charter, agent.settings, since, folder?.version]);
    const known = cache.get(key);
    if (known?.settings === settings) return known;
    const loaded = folder ?? (await agentCharter(agent, options));
    const turnNow = await loaded.given(factsOf({ ...agent.settings, agent: agent.name }), clock, channels);
    const alone = loaded.ofSettings && !needsStore(turnNow);
    const entry = {
      settings,
      alone,
      elsewhere: loaded.elsewhere,
      declaration: withTools(withMemory(agent, turnNow), agent, { channel, place }, options),
    };
    cache.set(key, entry);
    return entry;
  };
  const declareHere: HostDeclarations["declare"] = async (agent, { user, channel, turn, begun, isPriced }) => {
    const { alone, declaration, elsewhere } = await ofSettings(agent, channel);
    if (elsewhere) throw elsewhere;
    if (place?.workbench) {
      await checkLock({ charter: declaration.charter, from: agent.charter });
      return mcp.withTools(agent, withTools(await place.workbench.declare(), agent, { channel, place }, options));
    }
    if (declaration.served === false && (!place || needsFiles(declaration)))
      throw new Problem(
        "not-served",
        `“${agent.name}” does not run on a server: its charter works in a directory, at a terminal.`,
        `Run charter chat --agent ${agent.name} there.`,
      );
    if (!alone) {
      const { needs = [] } = declaration;
      const about = { ...options, agent, user, channel, turn, begun, isPriced, needs, withMemory, clock };
      const { declaredTurn, messages } = await snapshotAgent(store, about);
      return mcp.withTools(agent, withTools(declaredTurn, agent, { user, channel, messages, place }, options));
    }
    await checkLock({ charter: declaration.charter, from: agent.charter });
    return mcp.withTools(agent, declaration);
  };
  const declare: HostDeclarations["declare"] = async (agent, about) => {
    const declaration = await declareHere(agent, about);
    return extend?.(declaration) ?? declaration;
  };
  return {
    declare,
    tools: async (agent, { user, channel }) => (await (await declare(agent, { user, channel })).tools?.()) ?? [],
    declared: async (agent) => (await ofSettings(agent, undefined)).declaration,
    traits: async (agent) => traitsOf((await ofSettings(agent, undefined)).declaration),
  };
}

/** A cached declaration. `alone`: it depends on the settings and nothing else. */
type Kept = {
  readonly settings: string;
  readonly alone: boolean;
  readonly declaration: Declaration;
  readonly elsewhere: Problem | undefined;
};

/** Situation tools are for: a turn with a user, with messages, or on a channel where nobody waits. */
type ToolUse = {
  readonly channel: string | undefined;
  readonly user?: string | undefined;
  readonly messages?: number;
  readonly place: HostPlace | undefined;
};

/** Adds to the charter's tools the host's, and those that make sense in such a turn. */
function withTools(
  declaration: Declaration,
  agent: AgentRecord,
  use: ToolUse,
  { tools = [], zone }: HostOptions,
): Declaration {
  let toolsOnce: Promise<readonly Tool[]> | undefined;
  const make = async () => {
    // Tools that make schedules are not offered at a terminal, where no scheduler runs.
    const own = (await declaration.tools?.({ schedules: !use.place, zone })) ?? [];
    const hosts = toolList(typeof tools === "function" ? tools({ agent: agent.name, channel: use.channel }) : tools);
    return [...own, ...(await toolsFor(use)), ...chosenTools(declaration, hosts)];
  };
  return {
    ...declaration,
    tools: () => {
      toolsOnce ??= make();
      return toolsOnce;
    },
  };
}

async function toolsFor({ channel, user, messages = 0 }: ToolUse): Promise<readonly Tool[]> {
  if (messages > 1) return [replyToMessage()];
  const alone = channel === "automaton" && user === undefined && messages === 0;
  if (channel !== "scheduled" && !alone) return [];
  const { nothingToReport } = await import("../agent/tools/reminders.ts");
  return [nothingToReport({ channel })];
}

/** Creates the snapshots of a host's agents. The files of an agent that works in a directory are read in the host's. */
export function createSnapshots(
  options: HostOptions & Pick<CharterSources, "sources">,
  find: FindAgent,
  models: HostModels,
  withMemory: WithCoreMemory,
  { place, extend }: ExtendedPlace = {},
): (query: SnapshotQuery) => Promise<AgentSnapshot> {
  const { store, clock = () => new Date(), directory = "." } = options;
  let withFiles: ((snapshot: AgentSnapshot) => Promise<AgentSnapshot>) | undefined;
  return async ({ agent, user, channel, at, facts: turnFacts }) => {
    const facts = { ...(at === undefined ? {} : { now: at }), ...turnFacts };
    const record = await find(agent);
    const isPriced = () => models.isPriced(record);
    const about = { ...options, agent: record, user, channel, facts, isPriced, withMemory, clock };
    const snapshot = await snapshotAgent(store, about);
    const { declaredTurn } = snapshot;
    const extended = (declaration: Declaration) => ({
      ...declaredTurn,
      ...(extend?.(declaration) ?? declaration),
    });
    if (!needsFiles(declaredTurn)) return extend ? { ...snapshot, declaredTurn: extended(declaredTurn) } : snapshot;
    if (place?.workbench) return { ...snapshot, declaredTurn: extended(place.workbench.base) };
    withFiles ??= (await import("./coder-snapshot.ts")).createCoderSnapshot({ directory });
    return withFiles(snapshot);
  };
}
