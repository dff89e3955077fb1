import type { AutomatonLoop } from "../channels/automaton/automaton.ts";
import type { OpenedChain } from "../channels/chain/open-chain.ts";
import type { Environment } from "../delivery/models/provider.ts";
import type { Host } from "../host/host.ts";
import { isRecord } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import type { AgentRecord } from "../store/agents.ts";
import { chainSettings } from "./chain-config.ts";
import type { AutomatonConfig, Config } from "./config.ts";
import type { Log } from "./observe/log.ts";

/** The agents a config lets live by themselves, ready to be started; what is wrong with one is said before any is. */
export async function createAutomata(
  host: Host,
  { config, log, env = process.env }: { readonly config: Config; readonly log?: Log; readonly env?: Environment },
): Promise<readonly OwnLife[]> {
  const all = automataOf(config);
  if (all.length === 0) return [];
  for (const [at, one] of all.entries()) {
    checkAutomaton(one);
    if (all.findIndex(({ agent }) => agent === one.agent) < at)
      throw badConfig(`“${one.agent}” is named twice.`, "Name each agent once in automaton.");
    const { needs } = await host.traits(await namedAgent(host, one.agent));
    if (!needs.includes("inbox"))
      throw badConfig(
        `The charter of “${one.agent}” has no inbox, and so no life of its own.`,
        "Name an agent whose charter needs an inbox, such as “sovereign”.",
      );
  }
  checkAddresses(all);
  const { createAutomaton } = await import("../channels/automaton/automaton.ts");
  const lives: OwnLife[] = [];
  for (const { agent, every, counterparts, chain } of all) {
    const usual = { agent, clock: host.clock, ...(log === undefined ? {} : { log }) };
    const automaton = createAutomaton({
      ...{ host, ...usual, everyMs: msOf(every) },
      ...(counterparts === undefined ? {} : { counterparts }),
    });
    lives.push({ agent, automaton });
    if (chain === undefined) {
      lives.push({ agent, chain: { start: () => host.store.chain.leaveOthers(agent), stop: async () => {} } });
      continue;
    }
    const { openChain } = await import("../channels/chain/open-chain.ts");
    lives.push({
      agent,
      chain: await openChain({ ...usual, store: host.store, settings: chainSettings(agent, chain), env }),
    });
  }
  return lives;
}

/** The agent that a config names. */
async function namedAgent({ store }: Host, agent: string): Promise<AgentRecord> {
  try {
    return await store.agents.get(agent);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "unknown-agent") throw error;
    throw new Problem(
      error.code,
      `“automaton.agent” names “${agent}”, and there is no such agent.`,
      `${error.hint} Name another, or add it: \`charter agents add ${agent} --charter sovereign\`.`,
    );
  }
}

/** What runs for an agent that lives by itself: its turns, or its chain (without one, what was known of one is let go of). */
type OwnLife = {
  readonly agent: string;
  readonly automaton?: Pick<AutomatonLoop, "start" | "stop">;
  readonly chain?: OpenedChain;
};

/** Two that send with one key would take each other's place. */
function checkAddresses(all: readonly AutomatonConfig[]): void {
  const seen = new Map<string, string>();
  for (const { agent, chain } of all) {
    if (chain === undefined) continue;
    const { id, address } = chainSettings(agent, chain);
    const other = seen.get(`${id} ${address}`);
    if (other !== undefined)
      throw badConfig(
        `“automaton.chain.address” of “${agent}” is that of “${other}” too.`,
        "Give each agent an address of its own.",
      );
    seen.set(`${id} ${address}`, agent);
  }
}

/** The agents that a config lets live by themselves. */
export function automataOf({ automaton }: Pick<Config, "automaton">): readonly AutomatonConfig[] {
  return automaton === undefined ? [] : [automaton].flat();
}

/** How often the agents of a config take turns of their own. */
export function everyMsOf(config: Config): ReadonlyMap<string, number> {
  return new Map(automataOf(config).map(({ agent, every }) => [agent, msOf(every)]));
}

const usualEvery = 300;
const asIn = 'Write automaton: { agent: "sol" }, or a list of them: docs/automaton.md.';

function msOf(seconds = usualEvery): number {
  return seconds * 1000;
}

/** What a config says of an agent that lives by itself: what is wrong is named. */
export function checkAutomaton(given: AutomatonConfig): void {
  if (!isRecord(given)) throw badConfig("“automaton” is no object.", asIn);
  const { agent, every = usualEvery, counterparts = 1, chain, ...others } = given;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw badConfig(`“automaton.${other}” is no setting.`, "The settings are agent, every, counterparts and chain.");
  if (typeof agent !== "string" || agent.trim() === "") throw badConfig("An agent of “automaton” has no name.", asIn);
  if (!(Number.isFinite(every) && every >= 1))
    throw badConfig(`“automaton.every” of “${agent}” is ${every}.`, "Give seconds: 1 or more.");
  if (!Number.isInteger(counterparts) || counterparts < 1 || counterparts > 5)
    throw badConfig(`“automaton.counterparts” of “${agent}” is ${counterparts}.`, "Give a whole number from 1 to 5.");
  if (chain !== undefined) chainSettings(agent, chain);
}

function badConfig(message: string, hint: string): Problem {
  return new Problem("bad-config", message, hint);
}
