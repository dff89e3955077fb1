import type { Host } from "../../../host/host.ts";
import { counted, Problem } from "../../../prompt/problem.ts";
import type { KnownChain } from "../../../server/chain-status.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import type { Checkup } from "../../../store/home/database.ts";
import type { AutomatonStatus } from "../../print/automaton.ts";
import { timeText } from "../../print/columns.ts";
import { automatonStatus } from "../../shared/automaton-status.ts";
import { checkChain, checkChainKey, checkChainNodes } from "./doctor-chain.ts";

/** Agents that live by themselves: those who cannot, and messages that nobody will answer as things are. */
export async function checkAutomata(
  host: Host,
  chains: ReadonlyMap<string, KnownChain> = new Map(),
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Checkup[]> {
  const found: Checkup[] = [];
  for (const agent of await host.store.agents.list()) {
    const known = chains.get(agent.name);
    const told = await checkAutomaton(host, agent, chains);
    found.push(...told);
    if (!known) continue;
    const chain = [...(await checkChainKey(agent.name, known, env)), ...(await checkChainNodes(agent.name, known))];
    for (const one of chain) if (!told.some(({ what }) => what === one.what)) found.push({ ...one, fine: false });
  }
  return found;
}

async function checkAutomaton(
  host: Host,
  agent: AgentRecord,
  chains: ReadonlyMap<string, KnownChain>,
): Promise<Checkup[]> {
  try {
    if (!(await host.traits(agent)).needs.includes("inbox")) return [];
  } catch (error) {
    // One that cannot be loaded is told of with the others.
    if (error instanceof Problem) return [];
    throw error;
  }
  const status = await automatonStatus(host, agent, chains);
  const isUsed = status.state !== null || status.waiting > 0 || status.dead > 0;
  const chain = status.chain ? checkChain(agent.name, status.chain, host.clock()) : [];
  if (!isUsed) return chain.map((one) => ({ ...one, fine: false }));
  const found = [...checkBalance(status), ...checkWaiting(status, host.clock()), ...chain];
  return found.map((one) => ({ ...one, fine: false }));
}

type Finding = Omit<Checkup, "fine">;

/** What it may spend is what keeps it from spending more. */
function checkBalance({ agent, balances }: AutomatonStatus): Finding[] {
  if (balances.unknown === "never-granted")
    return [
      {
        what: `“${agent}” has no budget: nothing limits what it spends.`,
        hint: `Say how much it may spend, in dollars: \`charter automaton grant ${agent} 5.00\`.`,
      },
    ];
  if (balances.unknown === "no-price")
    return [
      {
        what: `The model of “${agent}” has no price, so how long its budget lasts is unknown.`,
        hint: `Give it a model with a price (docs/models.md): \`charter agents set ${agent} --model …\`.`,
      },
    ];
  return [];
}

/** One reason at a time, the first that has to be mended. */
function checkWaiting(status: AutomatonStatus, now: Date): Finding[] {
  const { agent, waiting, tier, frozen, asleepUntil, runner, leasedUntil } = status;
  const at = now.toISOString();
  const wait = `${counted(waiting, "message")} to “${agent}” ${waiting === 1 ? "waits" : "wait"}`;
  if (tier === "Critical" || tier === "OutOfCycles")
    return [
      {
        what: `“${agent}” is in the tier ${tier}: it asks no model${waiting === 0 ? "" : `, and ${wait.replace(` to “${agent}”`, "")}`}.`,
        hint: `Grant it more: \`charter automaton grant ${agent} 5.00\`.`,
      },
    ];
  if (waiting === 0) return checkAway(status);
  if (frozen === "agent") return [{ what: `${wait}: it is frozen.`, hint: `\`charter thaw ${agent}\`` }];
  if (asleepUntil !== null && asleepUntil > at) {
    const until = asleepUntil.startsWith("9999") ? "until it is woken" : `until ${timeText(asleepUntil)} UTC`;
    return [{ what: `${wait}: it sleeps ${until}.`, hint: `Wake it with \`charter automaton wake ${agent}\`.` }];
  }
  if (runner !== null && leasedUntil !== null && leasedUntil >= at) return checkAway(status);
  return [
    {
      what: `${wait}, and no process runs it.`,
      hint: `Write automaton: { agent: "${agent}" } into charter.config.ts, and start \`charter start\` or \`charter work\`: docs/automaton.md.`,
    },
  ];
}

function checkAway({ agent, away, waiting }: AutomatonStatus): Finding[] {
  if (away === null) return [];
  const wait = waiting === 1 ? "1 message waits; it is not lost." : `${waiting} messages wait; none is lost.`;
  return [
    {
      what: `The model of “${agent}” has given no answer since ${timeText(away.since)} UTC. ${waiting === 0 ? "" : `${wait} `}Reason: ${away.because}`,
      hint: `Mend what it says, or give it another model: \`charter agents set ${agent} --model …\`. It is asked again by itself, every 5 minutes at the latest.`,
    },
  ];
}
