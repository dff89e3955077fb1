import { createLearnedWindows, isWindow, keptWindow, type ResolvedWindow } from "../../../agent/turn/window.ts";
import { findProgram } from "../../../delivery/acp/agent-process.ts";
import type { ModelTable } from "../../../delivery/models/model-entry.ts";
import { probeModel } from "../../../delivery/models/probe.ts";
import { type Environment, modelAddress, standInName } from "../../../delivery/models/provider.ts";
import { splitModelName } from "../../../delivery/receiver.ts";
import { priceNotices, receiverNamed, type SpendingLimit } from "../../../host/models/host-models.ts";
import { unknownAgent } from "../../../host/models/model-names.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { Config } from "../../../server/config.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import type { Checkup } from "../../../store/home/database.ts";
import type { Store } from "../../../store/store.ts";
import { type Here, isUntrusted } from "../../shared/trust/here.ts";

/** What is known here of models: those of the settings, the usual one, and who may spend what on them. */
type KnownModels = {
  readonly models: ModelTable;
  /** The model of agents that name none. */
  readonly usual: string;
  readonly agents: readonly AgentRecord[];
  readonly limits: readonly SpendingLimit[];
};

/** Asks every model there is one word, and tells what is wrong with it. That costs a word each. */
export async function askModels(here: Here, { models, usual, agents, limits }: KnownModels): Promise<Checkup[]> {
  // Nobody is asked while settings here wait for somebody's trust. That they do is told already.
  const env = await here.environmentForModels().catch(isUntrusted);
  if (env === undefined) return [];
  const named = agents.flatMap(({ model, fallbacks, settings }) => [
    model ?? usual,
    ...(fallbacks ?? []),
    settings.secondOpinion,
  ]);
  const { memory } = await here.trustedSettings();
  const names = new Set<unknown>([...Object.keys(models), ...(agents.length === 0 ? [usual] : []), ...named]);
  // One that makes vectors of notes answers nobody.
  names.delete(memory?.embed);
  const limited = new Set(limits.map(({ model }) => model));
  const asked = [...names]
    .filter((name): name is string => typeof name === "string" && !name.startsWith("acp/"))
    .map((name) => {
      if (name === standInName || name === "stand-in") return [standIn];
      return probeModel(name, { env, models, limited: limited.has(name) });
    });
  return (await Promise.all(asked)).flat();
}

const standIn: Checkup = {
  what: `“${standInName}” is a script, and no model: it answers to whoever names no model, while no key is set.`,
  fine: true,
  hint: "docs/models.md says how a model is connected.",
};

/** Limits in dollars that cannot be kept, since a price is not known. No model is asked for that. */
export function checkPrices(limits: readonly SpendingLimit[]): Checkup[] {
  return priceNotices(limits).map(({ message }) => {
    const [what = message, hint] = message.split(/(?<=refused\.) /);
    return { what, fine: false, ...(hint === undefined ? {} : { hint }) };
  });
}

/** Which window each agent works with, and how that is known. No server is asked. */
export async function checkWindows(
  store: Store,
  env: Environment,
  { models, usual }: Pick<KnownModels, "models" | "usual">,
): Promise<Checkup[]> {
  const windows = createLearnedWindows(store, () => new Date());
  const found: Checkup[] = [];
  for (const agent of await store.agents.list()) {
    const name = agent.model ?? usual;
    const receiver = receiverIn(name, models);
    // An agent over ACP cares for the length of its conversation itself; of a model nobody knows its turns tell.
    if (!receiver) continue;
    const address = modelAddress(name, { env, models });
    const asked = { window: isWindow(agent.settings.window) ? agent.settings.window : undefined };
    const resolved = await keptWindow({ model: { receiver, ...(address ? { address } : {}) }, windows, asked });
    found.push({ what: windowLine(agent, name, resolved), fine: true });
  }
  return found;
}

function receiverIn(name: string, models: ModelTable) {
  try {
    return receiverNamed(name, models);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return undefined;
  }
}

const because: Readonly<Record<ResolvedWindow["how"], string>> = {
  set: "as its settings say",
  known: "as is known of the model",
  asked: "as its server told",
  said: "as its server said when a request was too long",
  guessed: "a guess, since its server refused more and did not say how much it takes",
  unknown: "",
};

function windowLine({ name }: AgentRecord, model: string, { window, how }: ResolvedWindow): string {
  if (window === null)
    return `“${name}”: how many tokens ${model} takes is not known yet; the first request that is too long teaches it.`;
  return `“${name}”: requests to ${model} have at most ${window.toLocaleString("en")} tokens, ${because[how]}.`;
}

type Entries = NonNullable<Config["acp"]>;

/** Agents whose model is an agent over ACP: whether that is described, can be started, and is served. */
export async function checkAcp(
  store: Pick<Store, "agents">,
  read: () => Promise<Config["acp"]>,
  PATH: string | undefined,
): Promise<Checkup[]> {
  const agents = (await store.agents.list()).filter(({ model }) => splitModelName(model ?? "").provider === "acp");
  if (agents.length === 0) return [];
  try {
    const entries = (await read()) ?? {};
    return agents.map((agent) => checkOne(agent, entries, PATH));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return agents.map(({ name, model }) => ({
      what: `“${name}” cannot be asked: its model is ${model}. ${error.message}`,
      fine: false,
      hint: error.hint,
    }));
  }
}

function checkOne({ name, model }: AgentRecord, entries: Entries, PATH: string | undefined): Checkup {
  const { model: program } = splitModelName(model ?? "");
  const entry = Object.hasOwn(entries, program) ? entries[program] : undefined;
  if (!entry) {
    const { message, hint } = unknownAgent(model ?? "", Object.keys(entries));
    return { what: `“${name}” cannot be asked: ${message}`, fine: false, hint };
  }
  const [command = ""] = entry.command;
  const found = findProgram(command, entry.env?.PATH ?? PATH, entry.cwd ?? process.cwd());
  if (found === undefined)
    return {
      what: `“${name}” cannot be asked: there is no program “${command}” for its model ${model}.`,
      fine: false,
      hint: `Install it, or name another as the command of acp.${program} in charter.config.ts, by its whole path if it is not on PATH.`,
    };
  const served = entry.served
    ? "it is served, so users' turns use its tools, with the rights of the service"
    : "it is not served: chat, editors and schedules of the operator's own use it";
  return { what: `“${name}” answers with ${model}, the program ${found}; ${served}.`, fine: true };
}
