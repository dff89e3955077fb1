import { createLearnedWindows } from "../../../agent/turn/window/learned-windows.ts";
import { isWindow, keptWindow, type ResolvedWindow } from "../../../agent/turn/window/window.ts";
import { type Environment, modelAddress } from "../../../delivery/models/provider.ts";
import type { ModelTable } from "../../../delivery/models/table/model-entry.ts";
import { receiverNamed } from "../../../host/quote.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import type { Checkup } from "../../../store/home/database.ts";
import type { Store } from "../../../store/store.ts";

/** Models of the settings, and which one agents have that name none. */
type KnownHere = { readonly models: ModelTable; readonly usual: string };

/** Which window each agent works with, and how that is known. No server is asked. */
export async function checkWindows(store: Store, env: Environment, { models, usual }: KnownHere): Promise<Checkup[]> {
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
