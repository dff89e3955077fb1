import type { Declaration } from "../agent/declaration.ts";
import type { Tool } from "../agent/tool.ts";
import { factsOf } from "../charters/facts.ts";
import { Problem } from "../prompt/problem.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { HostOptions } from "./host-options.ts";
import { loadCharter } from "./load.ts";
import { createLockCheck } from "./lock-file.ts";
import { readsLiveFacts, snapshotAgent } from "./snapshot.ts";

/** A coding agent works in a directory, at a terminal: its prompt can be looked at elsewhere, its turns are taken there. */
export function isServed({ charter }: AgentRecord): boolean {
  return charter !== "coder";
}

type Place = { readonly user: string | undefined; readonly channel: string | undefined };

/**
 * What an agent is declared as for one turn. A charter that is made of its settings alone is the same object for as long
 * as they are the same words: what is kept by its identity (counts, tools, rules) is then not made anew every turn.
 */
export function createDeclare(options: HostOptions): (agent: AgentRecord, place: Place) => Promise<Declaration> {
  const { store, zone, channels, lock, clock = () => new Date() } = options;
  const checkLock = createLockCheck(lock);
  const kept = new Map<string, { readonly settings: string; readonly declaration: Declaration }>();
  const ofSettings = async (agent: AgentRecord, channel: string | undefined): Promise<Declaration> => {
    const key = JSON.stringify([agent.name, channel]);
    const settings = JSON.stringify([agent.charter, agent.settings]);
    const known = kept.get(key);
    if (known?.settings === settings) return known.declaration;
    const fromFacts = await loadCharter(agent.charter);
    const given = fromFacts(factsOf({ ...agent.settings, agent: agent.name }), clock, channels);
    const declaration = withTools(given, agent, channel, options);
    kept.set(key, { settings, declaration });
    if (kept.size > 1000) kept.delete(kept.keys().next().value as string);
    return declaration;
  };
  return async (agent, { user, channel }) => {
    if (!isServed(agent))
      throw new Problem(
        "not-served",
        `“${agent.name}” is a coding agent: it works in a directory, at a terminal.`,
        `Say charter chat --agent ${agent.name} there.`,
      );
    if (readsLiveFacts(agent)) {
      const { declaredTurn } = await snapshotAgent(store, { agent, user, channel, zone, lock, channels, clock });
      return withTools(declaredTurn, agent, channel, options);
    }
    const declaration = await ofSettings(agent, channel);
    await checkLock({ charter: declaration.charter, from: agent.charter });
    return declaration;
  };
}

/** The charter's tools, the host's, and those that only make sense where schedules are run. */
function withTools(
  declaration: Declaration,
  agent: AgentRecord,
  channel: string | undefined,
  { tools = [], zone }: HostOptions,
): Declaration {
  let made: Promise<readonly Tool[]> | undefined;
  const make = async () => {
    const own = (await declaration.tools?.()) ?? [];
    const hosts = typeof tools === "function" ? tools({ agent: agent.name, channel }) : tools;
    return [...own, ...(await ownTools(agent, channel, zone)), ...hosts];
  };
  const { charter, rules, hooks, fault } = declaration;
  return {
    charter,
    rules,
    ...(hooks ? { hooks } : {}),
    ...(fault ? { fault } : {}),
    tools: () => {
      made ??= make();
      return made;
    },
  };
}

async function ownTools(
  { charter }: AgentRecord,
  channel: string | undefined,
  zone: string | undefined,
): Promise<readonly Tool[]> {
  const [reminds, scheduled] = [charter === "assistant", channel === "scheduled"];
  if (!reminds && !scheduled) return [];
  const { cancelReminder, listReminders, nothingToReport, setReminder, setTimeZone } = await import(
    "../agent/tools/reminders/tools.ts"
  );
  return [
    ...(reminds ? [setReminder({ zone }), listReminders({ zone }), cancelReminder(), setTimeZone({ zone })] : []),
    ...(scheduled ? [nothingToReport()] : []),
  ];
}
