import type { AutomatonLoop } from "../channels/automaton/automaton.ts";
import type { Host } from "../host/host.ts";
import { Problem } from "../prompt/problem.ts";
import type { AutomatonConfig, Config } from "./config.ts";
import type { Log } from "./observe/log.ts";

/** The agents a config lets live by themselves, ready to be started; what is wrong with one is said before any is. */
export async function createAutomata(
  host: Host,
  { config, log }: { readonly config: Config; readonly log?: Log },
): Promise<{ readonly agent: string; readonly automaton: AutomatonLoop }[]> {
  const all = config.automaton === undefined ? [] : [config.automaton].flat();
  if (all.length === 0) return [];
  for (const [at, one] of all.entries()) {
    checkAutomaton(one);
    if (all.findIndex(({ agent }) => agent === one.agent) < at)
      throw badConfig(`“${one.agent}” is named twice.`, "Name each agent once in automaton.");
    const { needs } = await host.traits(await host.store.agents.get(one.agent));
    if (!needs.includes("inbox"))
      throw badConfig(
        `The charter of “${one.agent}” has no inbox, and so no life of its own.`,
        "Name an agent whose charter needs an inbox, such as “sovereign”.",
      );
  }
  const { createAutomaton } = await import("../channels/automaton/automaton.ts");
  return all.map(({ agent, every, counterparts }) => ({
    agent,
    automaton: createAutomaton({
      ...{ host, agent, clock: host.clock },
      everyMs: msOf(every),
      ...(counterparts === undefined ? {} : { counterparts }),
      ...(log === undefined ? {} : { log }),
    }),
  }));
}

/** How often the agents of a config take turns of their own. */
export function everyMsOf({ automaton }: Config): ReadonlyMap<string, number> {
  const all = automaton === undefined ? [] : [automaton].flat();
  return new Map(all.map(({ agent, every }) => [agent, msOf(every)]));
}

const usualEvery = 300;

function msOf(seconds = usualEvery): number {
  return seconds * 1000;
}

function checkAutomaton({ agent, every = usualEvery, counterparts = 1, ...others }: AutomatonConfig): void {
  if (typeof agent !== "string" || agent === "")
    throw badConfig("An agent of “automaton” has no name.", 'Write automaton: { agent: "sol" }.');
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw badConfig(`“automaton.${other}” is no setting.`, "The settings are agent, every and counterparts.");
  if (!(Number.isFinite(every) && every >= 1))
    throw badConfig(`“automaton.every” of “${agent}” is ${every}.`, "Give seconds: 1 or more.");
  if (!Number.isInteger(counterparts) || counterparts < 1 || counterparts > 5)
    throw badConfig(`“automaton.counterparts” of “${agent}” is ${counterparts}.`, "Give a whole number from 1 to 5.");
}

function badConfig(message: string, hint: string): Problem {
  return new Problem("bad-config", message, hint);
}
