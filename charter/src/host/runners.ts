import { type Agent, createAgent } from "../agent/agent.ts";
import { attachmentSettingsOf } from "../agent/attachments/attachment-settings.ts";
import { sessionSettingsOf } from "../agent/turn/session/session-settings.ts";
import type { DeclareOptions } from "../agent/turn/turn-state.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { HostDeclarations } from "./declare.ts";
import type { HostOptions } from "./host-options.ts";
import type { HostModels } from "./models/host-models.ts";

export type FindAgent = (name: string) => Promise<AgentRecord>;

/** The agents of a host that take turns: one for each agent and model, kept with its live sessions. */
export function createRunners(
  { store, clock = () => new Date(), limits, context, keepContext = false }: HostOptions,
  {
    models,
    declarations,
    find,
  }: { readonly models: HostModels; readonly declarations: HostDeclarations; readonly find: FindAgent },
): (agent: AgentRecord) => Promise<Agent> {
  const runners = new Map<string, { readonly agent: Agent; readonly settings: string }>();
  return async (agent) => {
    const { name } = agent;
    const list = await models.listFor(agent);
    const [model, ...others] = list;
    const key = [name, model.receiver.name, ...others].join("\0");
    const sessions = sessionSettingsOf(agent.settings.sessions, `The settings of “${name}”`, "bad-settings");
    const attachments = attachmentSettingsOf(agent.settings.attachments, `The settings of “${name}”`, "bad-settings");
    const settings = JSON.stringify([sessions, attachments]);
    const known = runners.get(key);
    // One that could not be loaded before may be there now.
    if (known?.settings === settings && known.agent.model === model) return known.agent;
    const isPriced = async () => Boolean(model.receiver.price);
    const charter = async ({ user, channel, turn, begun }: DeclareOptions) => {
      const now = await find(name);
      const declaration = await declarations.declare(now, { user, channel, turn, begun, isPriced });
      const window = models.windowFor(now);
      return window === undefined ? declaration : { window, ...declaration };
    };
    const { load } = models;
    const given = { keepContext, ...(context ? { context } : {}) };
    const about = { name, charter, model: list, store, clock, sessions, attachments, ...given };
    const made = createAgent({ ...about, loadModel: load, ...(limits ? { limits } : {}) });
    runners.set(key, { agent: made, settings });
    return made;
  };
}
