import { Problem } from "../../prompt/problem.ts";
import { instantOf } from "../../schedules/instant.ts";
import type { AgentRecord } from "../../store/agents.ts";
import { agent, by } from "../common-fields.ts";
import { object, text, whole } from "../field.ts";
import { checkInbox } from "../inbox/check-inbox.ts";
import { type OperationContext, operation } from "../operation.ts";
import { statusLines } from "../print/automaton.ts";
import { hintsHere } from "../print/command-name.ts";
import { automaton } from "./automaton-fields.ts";
import { lifeOf } from "./life.ts";
import { takeSnapshot } from "./snapshot.ts";

const showStatus = operation({
  name: "automaton.status",
  says: "Get how an agent is that lives by itself",
  about: "State, tier, balance, runway, messages, its chain, and the last changes of its state.",
  route: "GET /agents/{agent}/automaton",
  command: "automaton status <agent>",
  examples: [["charter automaton status ada", "state, tier, balance, runway, messages, the last changes of state"]],
  notes: "Which agents live by themselves is set in charter.config.ts: docs/automaton.md",
  who: "operator",
  input: { agent },
  answer: automaton,
  refuses: [422],
  run: async (context, { agent }) => lifeNow(context, await living(context, agent)),
  lines: (status) => statusLines(status, new Date()),
});

/** A billion dollars. */
const mostMicros = 1e15;

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
    micros: whole("The same in millionths of a dollar; this, or `dollars`.", { least: -mostMicros, most: mostMicros })
      .option("n")
      .optional(),
    by,
  },
  answer: automaton,
  statuses: { 200: "The new balance." },
  refuses: [422],
  run: async (context, { agent, dollars, micros, by = context.operator }) => {
    const found = await living(context, agent);
    await context.store.automata.grant(found.name, microsOf(dollars, micros), by);
    return lifeNow(context, found);
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
  command: "automaton sleep <agent>",
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
    const found = await living(context, agent);
    const end = until === undefined ? undefined : futureOf(until, context.clock());
    await context.store.automata.sleep(found.name, end, by);
    return lifeNow(context, found);
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
  command: "automaton wake <agent>",
  examples: ["charter automaton wake ada"],
  who: "operator",
  input: { agent, by },
  answer: automaton,
  statuses: { 200: "The agent is awake." },
  refuses: [422],
  run: async (context, { agent, by = context.operator }) => {
    const found = await living(context, agent);
    await context.store.automata.wake(found.name, by);
    return lifeNow(context, found);
  },
  lines: ({ agent }) => [`“${agent}” is awake.`],
});

/** An agent that can live by itself. */
async function living({ store, host }: OperationContext, name: string): Promise<AgentRecord> {
  const found = await store.agents.get(name);
  await checkInbox(await host(), found);
  return found;
}

async function lifeNow({ host, service }: OperationContext, found: AgentRecord) {
  return lifeOf(await host(), found, await service.automata?.());
}

function futureOf(until: string, now: Date): string {
  const at = instantOf(until);
  if (at > now.toISOString()) return at;
  throw new Problem("bad-time", `${at} is over.`, "Give a time that is still to come, or none.");
}

/** Dollars as people write them, to the millionth, below 0 too; never by way of a number that is not exact. */
function microsOf(dollars: string | undefined, micros: number | undefined): number {
  if ((dollars === undefined) === (micros === undefined))
    throw new Problem("usage", "A grant needs one amount.", "Give dollars, as in 5.00, or micros, as in 5000000.");
  if (micros !== undefined) return micros;
  const [, sign, ones, part = ""] = /^(-?)\$?(\d{1,9})(?:\.(\d{1,6}))?$/.exec(dollars ?? "") ?? [];
  if (ones !== undefined) return (sign === "-" ? -1 : 1) * (Number(ones) * 1_000_000 + Number(part.padEnd(6, "0")));
  throw new Problem("bad-grant", `“${dollars}” is no amount.`, "Give dollars, to six places at most, as in 5.00.");
}

export const operations = [showStatus, takeSnapshot, grant, price, sleep, wake];
