import type { AutomatonStatus } from "../../../channels/automaton/automaton-status.ts";
import type { ChainStatus, KnownChain } from "../../../channels/chain/chain-status.ts";
import { askChain } from "../../../channels/chain/chain-view.ts";
import { loadReplyCodec, readChainKey } from "../../../channels/chain/transaction.ts";
import { type CoreReport, coreReport } from "../../../host/core-memory.ts";
import type { Host } from "../../../host/host.ts";
import { lifeOf } from "../../../operations/automaton.ts";
import type { AutomataFacts } from "../../../operations/operation.ts";
import { timeText } from "../../../operations/print/columns.ts";
import { eventTime, relayText } from "../../../operations/print/core-memory.ts";
import { counted, Problem, rethrowUnlessProblem } from "../../../prompt/problem.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import type { Checkup } from "../../../store/home/database.ts";

/** Checks agents that live by themselves: those that cannot, and messages that would not be answered. */
export async function checkAutomata(
  host: Host,
  here: AutomataFacts,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Checkup[]> {
  const checkups: Checkup[] = [];
  for (const agent of await host.store.agents.list()) {
    const known = here.chains?.get(agent.name);
    const findings = await checkAutomaton(host, agent, here);
    checkups.push(...findings);
    if (!known) continue;
    const chain = [...(await checkChainKey(agent.name, known, env)), ...(await checkChainNodes(agent.name, known))];
    for (const one of chain)
      if (!findings.some(({ what }) => what === one.what)) checkups.push({ ...one, fine: false });
  }
  return checkups;
}

async function checkAutomaton(host: Host, agent: AgentRecord, here: AutomataFacts): Promise<Checkup[]> {
  try {
    if (!(await host.traits(agent)).needs.includes("inbox")) return [];
  } catch (error) {
    // An agent that cannot be loaded is reported by another check.
    if (error instanceof Problem) return [];
    throw error;
  }
  const status = await lifeOf(host, agent, here);
  const isUsed = status.state !== null || status.waiting > 0 || status.dead > 0;
  const chain = status.chain ? checkChain(agent.name, status.chain, host.clock()) : [];
  if (!isUsed) return chain.map((one) => ({ ...one, fine: false }));
  const findings = [...checkBalance(status), ...checkWaiting(status, host.clock()), ...chain];
  return findings.map((one) => ({ ...one, fine: false }));
}

type Finding = Omit<Checkup, "fine">;

/** Checks that an automaton has a budget, which is all that limits its spending. */
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

/** Finds the first reason why messages wait, which has to be fixed before any other. */
function checkWaiting(status: AutomatonStatus, now: Date): Finding[] {
  const { agent, waiting, tier, frozen, asleepUntil, runner } = status;
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
  if (runner !== null) return checkAway(status);
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

/** Milliseconds after which a chain that was not read counts as not being read. */
const silentMs = 10 * 60_000;

/** Finds what keeps an agent's chain from being read, or its replies from being sent. */
export function checkChain(agent: string, chain: ChainStatus, now: Date): Finding[] {
  const { problem, readAt, replies, held, failed, stuck, sends, key, balances } = chain;
  const isSilent = readAt !== null && now.getTime() - Date.parse(readAt) > silentMs;
  const old = balances.find(({ stale }) => stale);
  const findings: (Finding | false)[] = [
    problem !== null && unread(agent, problem),
    problem === null &&
      isSilent && {
        what: `The chain of “${agent}” was last read ${timeText(readAt)} UTC.`,
        hint: "Start `charter start` or `charter work` where charter.config.ts names it.",
      },
    sends === true &&
      key === null && {
        what: `“${agent}” has to send its replies to its chain, and no key is found here.`,
        hint: "Name its file in automaton.chain.keyFile, or set CHARTER_CHAIN_KEY where it runs.",
      },
    replies.held > 0 && {
      what: `${counted(replies.held, "reply", "replies")} of “${agent}” ${replies.held === 1 ? "is" : "are"} held: ${held[0]?.reason ?? ""}`,
      hint: "They go on by themselves when they may. Fund its address; or raise maxFeePerReply or maxFeePerDay in automaton.chain, and start Charter again.",
    },
    stuck.length > 0 && {
      what: `${counted(stuck.length, "reply", "replies")} of “${agent}” ${stuck.length === 1 ? "has" : "have"} not got to the chain for more than ten minutes: ${stuck[0]?.reason ?? "no block takes it."}`,
      hint: "It is tried again by itself, and its fee is raised up to maxFeePerReply and maxFeePerDay. Raise them if they are too low.",
    },
    replies.failed > 0 && {
      what: `${counted(replies.failed, "reply", "replies")} of “${agent}” will not get to the chain: ${failed[0]?.reason ?? ""}`,
      hint: `See the reason, mend it, then \`charter inbox retry ${agent} ${failed[0]?.message ?? "<id>"}\`. The text is in \`charter inbox replies ${agent}\`.`,
    },
    old !== undefined &&
      !isSilent && {
        what: `What “${agent}” has of ${old.symbol} is stale: it was last read ${timeText(old.readAt)} UTC.`,
        hint: "It is read again by itself when its chain answers.",
      },
  ];
  return findings.filter((one) => one !== false);
}

/** Asks the addresses of an agent's chain whether each answers, for this chain, and with the contract. */
export async function checkChainNodes(agent: string, chain: KnownChain): Promise<Finding[]> {
  return (await askChain(chain)).map((trouble) => unread(agent, trouble));
}

function unread(agent: string, trouble: string): Finding {
  return {
    what: `The chain of “${agent}” cannot be read: ${trouble}`,
    hint: "It is tried again by itself. Does the node run? Check automaton.chain in charter.config.ts.",
  };
}

/** Checks the key that signs an agent's replies: it can be read, only by its owner, and belongs to the address. */
export async function checkChainKey(
  agent: string,
  { address, key, keyFile, sends }: Pick<KnownChain, "address" | "key" | "keyFile" | "sends">,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  if (!sends || key === null) return [];
  try {
    const codec = await loadReplyCodec();
    await readChainKey({ agent, address, keyFile, env, addressOf: (secret) => codec.signer(secret).address });
    return [];
  } catch (error) {
    rethrowUnlessProblem(error);
    return [{ what: error.message, hint: error.hint }];
  }
}

/** Milliseconds for which a conflict is reported: a week, after that it is history. */
const weekMs = 7 * 86_400_000;

/** Checks core memories on relays: the relays' state, what waits, and faults of keys. */
export async function checkCores(host: Host): Promise<Checkup[]> {
  const agents = (await host.store.agents.list()).filter(({ settings }) => settings.memory);
  const checkups = await Promise.all(agents.map(({ name }) => checkCore(host, name)));
  return checkups.flat();
}

async function checkCore(host: Host, agent: string): Promise<Checkup[]> {
  try {
    const memory = await host.coreMemory(agent);
    return memory ? checkups(await coreReport(host.store, agent, memory), host.clock()) : [];
  } catch (error) {
    rethrowUnlessProblem(error);
    return [{ what: `The core memory of “${agent}” cannot be read: ${error.message}`, fine: false, hint: error.hint }];
  }
}

/** Findings of a report, each with a hint. */
function checkups(report: CoreReport, now: Date): Checkup[] {
  const { agent, relays, waiting, conflicts, notices } = report;
  const more = `See \`charter core relays --agent ${agent}\`.`;
  const since = new Date(now.getTime() - weekMs).toISOString();
  const troubled = relays.filter(
    ({ status }) => status !== "newest" && !(report.head === null && status === "nothing"),
  );
  return [
    statusCheckup(report),
    ...troubled.map((one) => ({ what: `The core memory of “${agent}”: ${sentence(relayText(one))}`, hint: more })),
    ...notices.map(({ message }) => ({ what: `“${agent}”: ${message}`, hint: more })),
    ...waiting.map(({ id, at, tries }) => ({
      what: `A change of the core memory of “${agent}” (event ${id}) waits to be published since ${timeText(at)} UTC, after ${counted(tries, "try", "tries")}.`,
      hint: `It is sent again later, or now: \`charter core publish --agent ${agent}\`.`,
    })),
    ...conflicts
      .filter(({ at }) => at > since)
      .map(({ revision, by, at }) => ({
        what: `Another's change (event ${by ?? "unknown"}) replaced revision ${revision} of the core memory of “${agent}”, since ${timeText(at)} UTC.`,
        hint: `Compare both, and set the text you want: \`charter core history --agent ${agent} --words\`.`,
      })),
  ].map((one) => ({ fine: false, ...one }));
}

function statusCheckup({
  agent,
  status,
  reason,
  relays,
  head,
  npub,
}: CoreReport): Omit<Checkup, "fine"> & { fine: boolean } {
  if (status === "unavailable")
    return {
      what: `The core memory of “${agent}” is unavailable: ${sentence(reason ?? "")}`,
      fine: false,
      hint: "Its prompt goes without, and every turn asks again: docs/resident.md#present-empty-or-unavailable.",
    };
  const have = relays.filter((relay) => relay.status === "newest").length;
  const where = `on ${have} of ${counted(relays.length, "relay")}`;
  const what = head
    ? `The core memory of “${agent}” (${npub}) is ${where}: event ${head.id} of ${eventTime(head.createdAt)} UTC.`
    : `The core memory of “${agent}” (${npub}) is empty.`;
  return { what, fine: true };
}

function sentence(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}
