import { type Declaration, needsFiles, needsStore } from "../agent/declaration.ts";
import type { Tool } from "../agent/tool.ts";
import { toolList } from "../agent/toolset.ts";
import { factsOf } from "../charters/facts.ts";
import { createBoundedMap } from "../prompt/bounds.ts";
import { Problem } from "../prompt/problem.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { AgentMcp } from "./agent-mcp.ts";
import type { WithCoreMemory } from "./core-memory.ts";
import type { SnapshotQuery } from "./host.ts";
import type { HostOptions, HostPlace } from "./host-options.ts";
import { agentCharter, type CharterTraits, createLockCheck, isFoundByName, traitsOf } from "./load.ts";
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

export type HostDeclarations = {
  /** What an agent is declared as for one turn. One that takes no turns here is a Problem. */
  readonly declare: (agent: AgentRecord, place: TurnPlace) => Promise<Declaration>;
  /** The tools it has in that place. */
  readonly tools: (agent: AgentRecord, place: Partial<TurnPlace>) => Promise<readonly Tool[]>;
  /** What it is declared as by its settings alone, with the tools it has here. */
  readonly declared: (agent: AgentRecord) => Promise<Declaration>;
  /** What its charter says of itself, as it is set up. */
  readonly traits: (agent: AgentRecord) => Promise<CharterTraits>;
};

/**
 * A charter that is made of its settings alone is the same object for as long as they are the same words: what is kept
 * by its identity (counts, tools, rules) is then not made anew every turn.
 */
export function createHostDeclarations(
  options: HostOptions,
  withMemory: WithCoreMemory,
  mcp: Pick<AgentMcp, "withTools">,
  place?: HostPlace,
): HostDeclarations {
  const { store, zone, channels, lock, clock = () => new Date() } = options;
  const checkLock = createLockCheck(lock);
  const kept = createBoundedMap<string, Kept>(1000);
  const ofSettings = async (agent: AgentRecord, channel: string | undefined): Promise<Kept> => {
    const key = JSON.stringify([agent.name, channel]);
    // What is kept with the agent may be another one by now.
    const since = isFoundByName(agent.charter) ? undefined : agent.updatedAt;
    const settings = JSON.stringify([agent.charter, agent.settings, since]);
    const known = kept.get(key);
    if (known?.settings === settings) return known;
    const loaded = await agentCharter(agent, options);
    const given = await loaded.given(factsOf({ ...agent.settings, agent: agent.name }), clock, channels);
    const alone = loaded.ofSettings && !needsStore(given);
    const made = {
      settings,
      alone,
      elsewhere: loaded.elsewhere,
      declaration: withTools(withMemory(agent, given), agent, { channel, place }, options),
    };
    kept.set(key, made);
    return made;
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
      const ofTurn = { agent, user, channel, turn, begun, isPriced };
      const about = { ...ofTurn, zone, lock, channels, charters: options.charters, needs, withMemory, clock };
      const { declaredTurn, messages } = await snapshotAgent(store, about);
      return mcp.withTools(agent, withTools(declaredTurn, agent, { user, channel, messages, place }, options));
    }
    await checkLock({ charter: declaration.charter, from: agent.charter });
    return mcp.withTools(agent, declaration);
  };
  const declare: HostDeclarations["declare"] = async (agent, about) => {
    const declaration = await declareHere(agent, about);
    return place?.extend?.(declaration) ?? declaration;
  };
  return {
    declare,
    tools: async (agent, { user, channel }) => (await (await declare(agent, { user, channel })).tools?.()) ?? [],
    declared: async (agent) => (await ofSettings(agent, undefined)).declaration,
    traits: async (agent) => traitsOf((await ofSettings(agent, undefined)).declaration),
  };
}

/** `alone`: the settings are all it is made of. */
type Kept = {
  readonly settings: string;
  readonly alone: boolean;
  readonly declaration: Declaration;
  readonly elsewhere: Problem | undefined;
};

/** Where tools are for: in a turn with somebody, with messages, or on a channel where nobody waits. */
type ToolUse = {
  readonly channel: string | undefined;
  readonly user?: string | undefined;
  readonly messages?: number;
  readonly place: HostPlace | undefined;
};

/** The charter's tools, the host's, and those that only make sense in such a turn. */
function withTools(
  declaration: Declaration,
  agent: AgentRecord,
  use: ToolUse,
  { tools = [], zone }: HostOptions,
): Declaration {
  let made: Promise<readonly Tool[]> | undefined;
  const make = async () => {
    // Who asks at a terminal may run nothing that would carry out a schedule.
    const own = (await declaration.tools?.({ schedules: !use.place, zone })) ?? [];
    const hosts = toolList(typeof tools === "function" ? tools({ agent: agent.name, channel: use.channel }) : tools);
    return [...own, ...(await toolsFor(use)), ...hosts];
  };
  return {
    ...declaration,
    tools: () => {
      made ??= make();
      return made;
    },
  };
}

async function toolsFor({ channel, user, messages = 0 }: ToolUse): Promise<readonly Tool[]> {
  if (messages > 1) return [(await import("../agent/tools/reply.ts")).replyToMessage()];
  const alone = channel === "automaton" && user === undefined && messages === 0;
  if (channel !== "scheduled" && !alone) return [];
  const { nothingToReport } = await import("../agent/tools/reminders.ts");
  return [nothingToReport({ channel })];
}

/** Snapshots of a host's agents. The files of one that works in a directory are read from the host's. */
export function createSnapshots(
  options: HostOptions,
  find: FindAgent,
  models: HostModels,
  withMemory: WithCoreMemory,
  place?: HostPlace,
): (query: SnapshotQuery) => Promise<AgentSnapshot> {
  const { store, clock = () => new Date(), zone, lock, channels, charters, directory = "." } = options;
  let withFiles: ((snapshot: AgentSnapshot) => Promise<AgentSnapshot>) | undefined;
  return async ({ agent, user, channel, at, facts: told }) => {
    const facts = { ...(at === undefined ? {} : { now: at }), ...told };
    const found = await find(agent);
    const isPriced = () => models.isPriced(found);
    const about = { agent: found, user, channel, facts, zone, lock, channels, charters, isPriced, withMemory, clock };
    const snapshot = await snapshotAgent(store, about);
    const { declaredTurn } = snapshot;
    const extended = (declaration: Declaration) => ({
      ...declaredTurn,
      ...(place?.extend?.(declaration) ?? declaration),
    });
    if (!needsFiles(declaredTurn))
      return place?.extend ? { ...snapshot, declaredTurn: extended(declaredTurn) } : snapshot;
    if (place?.workbench) return { ...snapshot, declaredTurn: extended(place.workbench.base) };
    withFiles ??= (await import("./coder-snapshot.ts")).createCoderSnapshot({ directory });
    return withFiles(snapshot);
  };
}
