import { type Agent, createAgent } from "../agent/agent.ts";
import { sessionSettingsOf } from "../agent/turn/session/session-settings.ts";
import type { DeclareOptions } from "../agent/turn/turn-state.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { HostDeclarations } from "./declare.ts";
import type { HostOptions } from "./host-options.ts";
import type { HostModels } from "./models/host-models.ts";

export type FindAgent = (name: string) => Promise<AgentRecord>;

/** The agents of a host that take turns: one for each agent and model, kept with its live sessions. */
export function createRunners(
  { store, clock = () => new Date(), limits }: HostOptions,
  {
    models,
    declarations,
    find,
  }: { readonly models: HostModels; readonly declarations: HostDeclarations; readonly find: FindAgent },
): (agent: AgentRecord) => Promise<Agent> {
  const runners = new Map<string, { readonly agent: Agent; readonly sessions: string }>();
  return async (agent) => {
    const { name } = agent;
    const model = await models.load(models.nameFor(agent));
    const key = `${name}\0${model.receiver.name}`;
    const sessions = sessionSettingsOf(agent.settings.sessions, `The settings of “${name}”`, "bad-settings");
    const known = runners.get(key);
    if (known?.sessions === JSON.stringify(sessions)) return known.agent;
    const isPriced = async () => Boolean(model.receiver.price);
    const charter = async ({ user, channel, turn, begun }: DeclareOptions) => {
      const now = await find(name);
      const declaration = await declarations.declare(now, { user, channel, turn, begun, isPriced });
      const window = models.windowFor(now);
      return window === undefined ? declaration : { window, ...declaration };
    };
    const { load } = models;
    const about = { name, charter, model, store, clock, sessions };
    const made = createAgent({ ...about, loadModel: load, ...(limits ? { limits } : {}) });
    runners.set(key, { agent: made, sessions: JSON.stringify(sessions) });
    return made;
  };
}
