import { type Agent, createAgent } from "../agent/agent.ts";
import { attachmentSettingsOf } from "../agent/attachments.ts";
import { sessionSettingsOf } from "../agent/turn/live-session.ts";
import type { DeclareOptions } from "../agent/turn/turn-state.ts";
import type { Receiver } from "../delivery/receiver.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { FindAgent, HostDeclarations } from "./declare.ts";
import type { HostOptions } from "./host-options.ts";
import type { HostModels, LoadedList } from "./models/host-models.ts";

/** Agents that take turns, and those that are only shown: their model cannot be asked. */
type Runners = {
  /** `operator`: turns without a user are the operator's own, not jobs. */
  readonly runnerOf: (agent: AgentRecord, operator: boolean) => Promise<Agent>;
  readonly runnerFor: (agent: AgentRecord, receiver: Receiver, operator: boolean) => Agent;
};

/** Creates the agents of a host that take turns: one for each agent and model, kept with its live sessions. */
export function createRunners(
  { store, clock = () => new Date(), limits, context, keepContext = false }: HostOptions,
  {
    models,
    declarations,
    find,
  }: {
    readonly models: HostModels;
    readonly declarations: HostDeclarations;
    readonly find: FindAgent;
  },
): Runners {
  const runners = new Map<string, { readonly agent: Agent; readonly settings: string }>();
  const settingsOf = ({ name, settings }: AgentRecord) => ({
    sessions: sessionSettingsOf(settings.sessions, `The settings of “${name}”`, "bad-settings"),
    attachments: attachmentSettingsOf(settings.attachments, `The settings of “${name}”`, "bad-settings"),
  });
  const make = (agent: AgentRecord, list: LoadedList, operator: boolean): Agent => {
    const { name } = agent;
    const [model] = list;
    const isPriced = async () => Boolean(model.receiver.price);
    const charter = async ({ user, channel, turn, begun }: DeclareOptions) => {
      const now = await find(name);
      const declaration = await declarations.declare(now, { user, channel, turn, begun, isPriced });
      const window = models.windowFor(now, declaration);
      if (window === declaration.window) return declaration;
      const { window: _, ...others } = declaration;
      return window === undefined ? others : { ...others, window };
    };
    const { load } = models;
    const options = { keepContext, operator, ...(context ? { context } : {}) };
    const about = { name, charter, model: list, store, clock, ...settingsOf(agent), ...options };
    return createAgent({ ...about, loadModel: load, ...(limits ? { limits } : {}) });
  };
  return {
    runnerOf: async (agent, operator) => {
      const list = await models.listFor(agent);
      const [model, ...others] = list;
      const key = [operator, agent.name, model.receiver.name, ...others].join("\0");
      const settings = JSON.stringify(Object.values(settingsOf(agent)));
      const known = runners.get(key);
      // A model that could not be loaded before may be there now, so models are compared too.
      if (known?.settings === settings && known.agent.model === model) return known.agent;
      const runner = make(agent, list, operator);
      runners.set(key, { agent: runner, settings });
      return runner;
    },
    runnerFor: (agent, receiver, operator) =>
      make(agent, [{ receiver, ask: () => Promise.reject(notAsked) }], operator),
  };
}

const notAsked = new Error("Who only looks asks no model.");
