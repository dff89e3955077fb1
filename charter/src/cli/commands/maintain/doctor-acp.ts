import { findProgram } from "../../../delivery/acp/find-program.ts";
import { splitModelName } from "../../../delivery/providers.ts";
import { unknownAgent } from "../../../host/models/acp.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { Config } from "../../../server/config.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import type { Checkup } from "../../../store/home/database.ts";
import type { Store } from "../../../store/store.ts";

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
