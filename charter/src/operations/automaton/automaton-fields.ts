import { flag, list, number, object, oneOf, text, time, whole } from "../field.ts";

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

/** How an agent is that lives by itself, but for how its state changed. */
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
