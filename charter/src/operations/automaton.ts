import { automatonStatus } from "../channels/automaton/automaton-status.ts";
import type { Host } from "../host/host.ts";
import { allSections } from "../prompt/charter.ts";
import { Problem } from "../prompt/problem.ts";
import { instantOf } from "../schedules/instant.ts";
import type { AgentRecord } from "../store/agents.ts";
import { agent, by, flag, list, number, object, oneOf, text, time, whole } from "./field.ts";
import { checkInbox } from "./inbox/messages.ts";
import { type AutomataFacts, type OperationContext, operation } from "./operation.ts";
import { statusLines } from "./print/automaton.ts";
import { hintsHere } from "./print/command-name.ts";
import { section, sectionFacts } from "./sections/amend.ts";
import { shownTurns, turn } from "./turns/turn-fields.ts";

const micros = (says: string) => whole(`${says}, in millionths of a dollar.`);

const balances = object({
  granted: micros("All it was granted; null: nothing ever").nullable(),
  spent: micros("What it spent since the first grant"),
  balance: micros("What was granted less what was spent; null: unknown").nullable(),
  unknown: oneOf(["never-granted", "no-price"], "Why the balance is not known.").nullable(),
  reserve: micros("What is kept back"),
  need: micros("What the next turn may cost: the average of the most expensive tenth of recent turns, plus a quarter"),
  burnPerHour: micros("What the turns of the last 24 hours cost, by the hour; null: unknown").nullable(),
  runwayHours: number("How long the balance lasts at this rate; null: unknown.").nullable(),
}).named("Balances", "An agent's budget.");

const count = whole();
const ether = (says: string) => text(`${says}, in ETH.`).example("0.001");
const stopped = (says: string) =>
  list(object({ reply: text(), message: text(), to: text(), reason: text().nullable() }), `${says}; the first five.`);

const chain = object({
  chain: whole("The number of the chain.").example(8453),
  contract: text("The address of the inbox contract."),
  address: text("The agent's address; null: not known here.").nullable(),
  block: whole("The last block that was read; null: none yet.").nullable(),
  head: whole("The newest block there was then.").nullable(),
  lag: whole("How many blocks lie between the two.").nullable(),
  readAt: time().nullable(),
  problem: text("What keeps it from being read; null: nothing.").nullable(),
  unconfirmed: whole("Messages in blocks that are not confirmed yet."),
  replies: object(
    { waiting: count, signed: count, sent: count, mined: count, final: count, held: count, failed: count },
    "How many replies are how far.",
  ),
  held: stopped("Replies that would cost more than they may"),
  failed: stopped("Replies that will not be sent"),
  stuck: stopped("Replies that have not got to the chain for ten minutes, and what keeps them, where that is known"),
  feesToday: ether("What the replies of this day (UTC) have cost, or may cost"),
  key: oneOf(["file", "environment"], "Where its key is; null: none known here.").nullable(),
  sends: flag("Replies are put on the chain; null: not known here.").nullable(),
  maxFeePerReply: ether("The most one reply may cost").nullable(),
  maxFeePerDay: ether("The most the replies of a day may cost").nullable(),
  balances: list(
    object({
      asset: text("“ETH”, or the address of a token."),
      symbol: text(),
      amount: text("In whole units.").example("1.5"),
      block: count,
      readAt: time(),
      stale: flag("It was read more than ten minutes ago."),
    }),
    "What its address has.",
  ),
}).named("Chain", "The chain of an agent: how far it was read, its replies, and what it has there.");

const transition = object({
  from: text(),
  to: text(),
  cause: text(),
  turn: text().nullable(),
  at: time(),
  fault: flag("The event was not expected in that state."),
}).named("Transition", "One change of an agent's state.");

export const transitions = (most: number) => list(transition, `The newest ${most}, newest first.`);

/** Fields of an automaton's status, without its state transitions. */
export const life = {
  agent: text(),
  state: text("Its state; null if it never ran on its own.").example("Idle").nullable(),
  stateAt: time().nullable(),
  turn: text("The turn that brought it there.").nullable(),
  tier: oneOf(["Normal", "LowCycles", "Critical", "OutOfCycles"], "Its budget tier."),
  frozen: oneOf(["amendments", "agent"]).nullable(),
  asleepUntil: time("It takes no turns until then, or until it is woken.").nullable(),
  turns: whole("How many turns it has begun."),
  ownTurnAt: time("When its last turn by itself began.").nullable(),
  nextOwnTurnAt: time(
    "When its next turn by itself is due; null: it takes none now, or this server does not know.",
  ).nullable(),
  runner: text("The process that runs it; null: none does now.").nullable(),
  away: object(
    { since: time(), because: text() },
    "Since when its model has given no answer, and what was said of it last. Messages wait, and none is given up for it. Null: it answered when it was last asked.",
  ).nullable(),
  balances,
  chain: chain.optional(),
  waiting: whole("Messages in its inbox that wait."),
  dead: whole("Messages in its inbox that were given up."),
};

export const automaton = object({ ...life, transitions: transitions(10) }).named(
  "Automaton",
  "The state of an agent that takes turns on its own.",
);

const newest = { turns: 20, transitions: 50 };

export const takeSnapshot = operation({
  name: "automaton.snapshot",
  says: "Get an agent's life in one answer",
  about: "State, tier and balances, sections, conversations, the newest turns, and how its state changed.",
  route: "GET /agents/{agent}/snapshot",
  who: "operator",
  input: { agent },
  answer: object({
    ...life,
    at: time(),
    layers: list(section, "Its sections, in the order of the prompt."),
    conversations: list(object({ counterpart: text(), exchanges: whole(), lastAt: time() })),
    recentTurns: list(turn, `The newest ${newest.turns}, newest first.`),
    transitions: transitions(newest.transitions),
  }).named("LifeSnapshot", "Everything about an agent that takes turns on its own."),
  statuses: { 200: "The current state." },
  run: async (context, { agent: name }) => {
    const { store, clock, service } = context;
    const host = await context.host();
    const record = await store.agents.get(name);
    const snapshot = await host.snapshot({ agent: name });
    const [now, layers, conversations, turns] = await Promise.all([
      lifeOf(host, record, await service.automata?.(), newest.transitions),
      sectionFacts(host, snapshot, allSections(snapshot.declaredTurn.charter)),
      store.conversations.list(name, { limit: 200 }),
      store.turns.list({ agent: name, limit: newest.turns }),
    ]);
    const recentTurns = await shownTurns(store, turns, { kind: "operator" });
    return { ...now, at: clock().toISOString(), layers, conversations, recentTurns };
  },
});

const showStatus = operation({
  name: "automaton.status",
  says: "Get how an agent is that lives by itself",
  about: "State, tier, balance, runway, messages, its chain, and the last changes of its state.",
  route: "GET /agents/{agent}/automaton",
  command: "automaton status <agent?>",
  examples: [["charter automaton status ada", "state, tier, balance, runway, messages, the last changes of state"]],
  notes: "Which agents live by themselves is set in charter.config.ts: docs/automaton.md",
  who: "operator",
  input: { agent },
  answer: automaton,
  refuses: [422],
  run: async (context, { agent }) => lifeNow(context, await living(context, agent)),
  lines: (status) => statusLines(status, new Date()),
});

/** Maximum grant in micro-dollars: a billion dollars. */
const maxMicros = 1e15;

const grant = operation({
  name: "automaton.grant",
  says: "Grant an agent more to spend, or take some back",
  route: "POST /agents/{agent}/automaton/grant",
  command: "automaton grant <agent> <dollars?>",
  examples: [
    ["charter automaton grant ada 5.00", "it may spend five dollars more"],
    ["charter automaton grant ada --micros 5000000", "the same, in millionths of a dollar"],
    ["charter automaton grant ada -2.00", "two dollars of what is left are taken back"],
  ],
  example: { micros: 5_000_000 },
  who: "operator",
  input: {
    agent,
    dollars: text("How much more it may spend, in dollars; below 0, how much is taken back.")
      .example("5.00")
      .optional(),
    micros: whole("The same in millionths of a dollar; this, or `dollars`.", { least: -maxMicros, most: maxMicros })
      .option("n")
      .optional(),
    by,
  },
  answer: automaton,
  statuses: { 200: "The new balance." },
  refuses: [422],
  run: async (context, { agent, dollars, micros, by = context.operator }) => {
    const record = await living(context, agent);
    await context.store.automata.grant(record.name, microsOf(dollars, micros), by);
    return lifeNow(context, record);
  },
  lines: ({ agent }, { dollars, micros }) => {
    const granted = microsOf(dollars, micros);
    const amount = `$${Math.abs(granted) / 1_000_000}`;
    return [granted < 0 ? `${amount} were taken back from “${agent}”.` : `“${agent}” may spend ${amount} more.`];
  },
});

const price = operation({
  name: "automaton.price",
  says: "Get or set what a message costs at least on an agent's chain",
  command: "automaton price <agent> <ether?>",
  examples: [
    ["charter automaton price ada", "what a message costs at least on its chain"],
    ["charter automaton price ada 0.001", "set that, in ETH; its key signs the transaction, and pays its fee"],
  ],
  who: "operator",
  input: { agent, ether: text("The price, in ETH.").example("0.001").optional() },
  answer: object({
    agent: text(),
    price: text("In ETH.").example("0.001"),
    tx: text("The transaction that set it.").optional(),
    block: whole("The block that has it.").optional(),
  }),
  lines: ({ agent, price, tx, block }) => {
    const costs = price === "0" ? "nothing" : `${price} ETH at least`;
    return [`A message to “${agent}” costs ${costs}${tx === undefined ? "." : `, from block ${block} on: ${tx}`}`];
  },
});

const sleep = operation({
  name: "automaton.sleep",
  says: "Send an agent to sleep",
  about: "Until then, or until it is woken, messages wait and it takes no turns of its own.",
  route: "POST /agents/{agent}/automaton/sleep",
  command: "automaton sleep <agent?>",
  examples: [
    ["charter automaton sleep ada", "it takes no turns until it is woken; its messages wait"],
    "charter automaton sleep ada --until 2026-12-24T08:00:00Z",
  ],
  example: { until: "2026-02-19T08:00:00Z" },
  who: "operator",
  input: {
    agent,
    until: text("It wakes by itself then: an ISO 8601 time (UTC, unless it says otherwise).").option("time").optional(),
    by,
  },
  answer: automaton,
  statuses: { 200: "The agent is asleep." },
  refuses: [422],
  run: async (context, { agent, until, by = context.operator }) => {
    const record = await living(context, agent);
    const end = until === undefined ? undefined : futureOf(until, context.clock());
    await context.store.automata.sleep(record.name, end, by);
    return lifeNow(context, record);
  },
  lines: ({ agent, asleepUntil }, { until }) => {
    const end = until === undefined ? "until it is woken" : `until ${asleepUntil}`;
    return [hintsHere(`“${agent}” sleeps ${end}; its messages wait. Wake it: charter automaton wake ${agent}`)];
  },
});

const wake = operation({
  name: "automaton.wake",
  says: "Wake an agent that sleeps",
  route: "POST /agents/{agent}/automaton/wake",
  command: "automaton wake <agent?>",
  examples: ["charter automaton wake ada"],
  who: "operator",
  input: { agent, by },
  answer: automaton,
  statuses: { 200: "The agent is awake." },
  refuses: [422],
  run: async (context, { agent, by = context.operator }) => {
    const record = await living(context, agent);
    await context.store.automata.wake(record.name, by);
    return lifeNow(context, record);
  },
  lines: ({ agent }) => [`“${agent}” is awake.`],
});

/** Returns the agent if it can live by itself, that is, if its charter has an inbox. */
async function living({ store, host }: OperationContext, name: string): Promise<AgentRecord> {
  const record = await store.agents.get(name);
  await checkInbox(await host(), record);
  return record;
}

async function lifeNow({ host, service }: OperationContext, found: AgentRecord) {
  return lifeOf(await host(), found, await service.automata?.());
}

function futureOf(until: string, now: Date): string {
  const at = instantOf(until);
  if (at > now.toISOString()) return at;
  throw new Problem("bad-time", `${at} is over.`, "Give a time that is still to come, or none.");
}

/**
 * Parses dollars as people write them into micro-dollars; negative amounts too. Reads digits, never a float, which is not exact.
 */
function microsOf(dollars: string | undefined, micros: number | undefined): number {
  if ((dollars === undefined) === (micros === undefined))
    throw new Problem("usage", "A grant needs one amount.", "Give dollars, as in 5.00, or micros, as in 5000000.");
  if (micros !== undefined) return micros;
  const [, sign, ones, part = ""] = /^(-?)\$?(\d{1,9})(?:\.(\d{1,6}))?$/.exec(dollars ?? "") ?? [];
  if (ones !== undefined) return (sign === "-" ? -1 : 1) * (Number(ones) * 1_000_000 + Number(part.padEnd(6, "0")));
  throw new Problem("bad-grant", `“${dollars}” is no amount.`, "Give dollars, to six places at most, as in 5.00.");
}

export const operations = [showStatus, takeSnapshot, grant, price, sleep, wake];

/** Status of an automaton as far as it is known here. Every door answers from this one function. */
export async function lifeOf(
  host: Host,
  found: AgentRecord,
  { everyMs, chains }: AutomataFacts = {},
  transitions?: number,
) {
  const { name } = found;
  const { chainStatus } = await import("../channels/chain/chain-status.ts");
  const chain = await chainStatus(host.store, name, chains?.get(name), host.clock());
  return automatonStatus(host, found, { everyMs: everyMs?.get(name), chain, ...(transitions && { transitions }) });
}
