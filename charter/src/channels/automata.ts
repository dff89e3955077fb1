import type { Environment } from "../delivery/models/provider.ts";
import type { Host } from "../host/host.ts";
import { anyValue, checkFields, isText } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { AutomatonLoop } from "./automaton/automaton.ts";
import { type ChainConfig, chainSettings } from "./chain/chain-config.ts";
import type { OpenedChain } from "./chain/open-chain.ts";

/** An agent that lives by itself, as `charter.config.ts` declares it: it answers its inbox, and takes turns of its own. */
export type AutomatonConfig = {
  readonly agent: string;
  /** Seconds between turns of its own; 300 by default. */
  readonly every?: number;
  /** Maximum number of senders whose messages one turn may have, from 1 to 5; 1 by default. */
  readonly counterparts?: number;
  /** The chain of its messages and replies. */
  readonly chain?: ChainConfig;
};

type AutomataConfig = { readonly automaton?: AutomatonConfig | readonly AutomatonConfig[] };

type AutomataOptions = {
  readonly config: AutomataConfig;
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
  readonly env?: Environment;
};

/** Prepares the agents that a config lets live by themselves. A fault in one is reported before any is started. */
export async function createAutomata(
  host: Host,
  { config, log, env = process.env }: AutomataOptions,
): Promise<readonly OwnLife[]> {
  const all = automataOf(config);
  if (all.length === 0) return [];
  for (const [at, one] of all.entries()) {
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
  const { createAutomaton } = await import("./automaton/automaton.ts");
  const lives: OwnLife[] = [];
  for (const { agent, every, counterparts, chain } of all) {
    const shared = { agent, clock: host.clock, ...(log === undefined ? {} : { log }) };
    const automaton = createAutomaton({
      ...{ host, ...shared, everyMs: msOf(every) },
      ...(counterparts === undefined ? {} : { counterparts }),
    });
    lives.push({ agent, automaton });
    if (chain === undefined) {
      lives.push({ agent, chain: { start: () => host.store.chain.leaveOthers(agent), stop: async () => {} } });
      continue;
    }
    const { openChain } = await import("./chain/open-chain.ts");
    lives.push({
      agent,
      chain: await openChain({ ...shared, store: host.store, settings: chainSettings(agent, chain), env }),
    });
  }
  return lives;
}

/** Returns the agent that a config names, or throws a Problem that says where it is named. */
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

/**
 * A running part of an agent that lives by itself: its turns, or its chain. An agent without a chain drops what was recorded of
 * an earlier one.
 */
type OwnLife = {
  readonly agent: string;
  readonly automaton?: Pick<AutomatonLoop, "start" | "stop">;
  readonly chain?: OpenedChain;
};

/** Rejects two agents with one address: two that send with one key would use each other's transaction numbers. */
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

/** Lists the agents that a config lets live by themselves. */
export function automataOf({ automaton }: AutomataConfig): readonly AutomatonConfig[] {
  return automaton === undefined ? [] : [automaton].flat();
}

/** Returns the milliseconds between own turns, by agent. */
export function everyMsOf(config: AutomataConfig): ReadonlyMap<string, number> {
  return new Map(automataOf(config).map(({ agent, every }) => [agent, msOf(every)]));
}

const defaultSeconds = 300;

function msOf(seconds = defaultSeconds): number {
  return seconds * 1000;
}

/** Checks a config's agents that live by themselves, and names what is wrong. */
export function checkAutomata(given: unknown, place: string): void {
  for (const one of [given as AutomatonConfig].flat()) {
    checkFields<AutomatonConfig>(one, {
      ...{ name: "automaton", place, hint: 'As in automaton: { agent: "sol" }, or a list of them: docs/automaton.md.' },
      fields: {
        agent: [(value) => isText(value) && value.trim() !== "", "is no agent's name"],
        every: [(value) => Number.isFinite(value) && (value as number) >= 1, "is no number of seconds from 1 up"],
        counterparts: [(value) => [1, 2, 3, 4, 5].includes(value as number), "is no whole number from 1 to 5"],
        chain: anyValue,
      },
      needs: ["agent"],
    });
    if (one.chain !== undefined) chainSettings(one.agent, one.chain);
  }
}

function badConfig(message: string, hint: string): Problem {
  return new Problem("bad-config", message, hint);
}
