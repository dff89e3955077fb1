import type { Host } from "../../../host/host.ts";
import { Problem } from "../../../prompt/problem.ts";
import { instantOf } from "../../../server/http/instant.ts";
import { checkInbox } from "../../../server/routes/check-inbox.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import type { Store } from "../../../store/store.ts";
import { statusLines } from "../../print/automaton.ts";
import { hintsHere } from "../../print/command-name.ts";
import { priceHere } from "../../serve/message-price.ts";
import { automatonStatus, chainsHere } from "../../shared/automaton-status.ts";
import { hostOf } from "../../shared/inbox-agent.ts";
import { noMoreWords, parseOptions, wholeNumber } from "../../shared/options.ts";
import { storeOptions, withStore } from "../../shared/store.ts";

const options = {
  ...storeOptions,
  until: { type: "string" },
  micros: { type: "string" },
  by: { type: "string" },
} as const;

type Values = ReturnType<typeof parseOptions<typeof options>>["values"];

type Verb = {
  /** What it takes besides the agent. */
  readonly takes: readonly (keyof Values)[];
  readonly words: number;
  /** Does it, and says so in a line; `status` does nothing. With `--json` it answers how the agent is, or what is given here. */
  readonly act: (
    store: Store,
    agent: string,
    values: Values,
    word: string | undefined,
  ) => Promise<string | { readonly told: string; readonly json: object }>;
};

const verbs: Readonly<Record<string, Verb>> = {
  status: { takes: [], words: 0, act: async () => "" },
  wake: {
    takes: ["by"],
    words: 0,
    act: async (store, agent, { by = "operator" }) => {
      await store.automata.wake(agent, by);
      return `“${agent}” is awake.`;
    },
  },
  sleep: {
    takes: ["by", "until"],
    words: 0,
    act: async (store, agent, { by = "operator", until }) => {
      const end = until === undefined ? undefined : futureOf(until);
      await store.automata.sleep(agent, end, by);
      const told = end === undefined ? "until it is woken" : `until ${end}`;
      return hintsHere(`“${agent}” sleeps ${told}; its messages wait. Wake it: charter automaton wake ${agent}`);
    },
  },
  price: { takes: [], words: 1, act: (_, agent, __, amount) => priceHere(agent, amount) },
  grant: {
    takes: ["by", "micros"],
    words: 1,
    act: async (store, agent, { by = "operator", micros }, amount) => {
      const granted = grantOf(amount, micros);
      await store.automata.grant(agent, granted, by);
      const dollars = `$${Math.abs(granted) / 1_000_000}`;
      return granted < 0 ? `${dollars} were taken back from “${agent}”.` : `“${agent}” may spend ${dollars} more.`;
    },
  },
};

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("automaton", args, options);
  const [verb = "", name, ...others] = positionals;
  const known = Object.hasOwn(verbs, verb) ? (verbs[verb] as Verb) : undefined;
  if (!known || name === undefined)
    throw new Problem(
      "usage",
      known
        ? `charter automaton ${verb} needs the name of an agent.`
        : `charter automaton does not understand “${verb}”.`,
      `Say ${Object.keys(verbs).join(", ")}, and the agent; see charter automaton --help.`,
    );
  const allowed = new Set<string>([...Object.keys(storeOptions), ...known.takes]);
  const extra = Object.keys(values).find((option) => !allowed.has(option));
  if (extra !== undefined)
    throw new Problem("usage", `charter automaton ${verb} does not take --${extra}.`, "See charter automaton --help.");
  noMoreWords(`automaton ${verb}`, others.slice(known.words));
  return withStore(values, async (store) => {
    const agent = await store.agents.get(name);
    const host = await hostOf(store);
    await checkInbox(host, agent);
    const told = await known.act(store, agent.name, values, others[0]);
    return tell(host, agent, told, values);
  });
}

type Told = Awaited<ReturnType<Verb["act"]>>;

/** With `--json` every verb answers how it is now, unless it has an answer of its own. */
async function tell(host: Host, agent: AgentRecord, told: Told, { json }: Values): Promise<number> {
  if (typeof told === "object") {
    process.stdout.write(`${json ? JSON.stringify(told.json) : told.told}\n`);
    return 0;
  }
  const status = told === "" || json ? await automatonStatus(host, agent, await chainsHere()) : undefined;
  const lines = json ? JSON.stringify(status) : status ? statusLines(status, host.clock()).join("\n") : told;
  process.stdout.write(`${lines}\n`);
  return 0;
}

function futureOf(until: string): string {
  const at = instantOf(until);
  if (at > new Date().toISOString()) return at;
  throw new Problem("bad-time", `${at} is over.`, "Give a time that is still to come, or leave --until out.");
}

/** Dollars as people write them, to the millionth, below 0 too; never by way of a number that is not exact. */
function grantOf(amount: string | undefined, micros: string | undefined): number {
  if ((amount === undefined) === (micros === undefined))
    throw new Problem(
      "usage",
      "charter automaton grant needs an amount.",
      "As in 5.00 (dollars), or --micros 5000000.",
    );
  const sign = (micros ?? amount)?.startsWith("-") ? -1 : 1;
  if (micros !== undefined) return sign * (wholeNumber("micros", micros.replace(/^-/, "")) as number);
  const [, whole, part = ""] = /^-?\$?(\d{1,9})(?:\.(\d{1,6}))?$/.exec(amount as string) ?? [];
  if (whole !== undefined) return sign * (Number(whole) * 1_000_000 + Number(part.padEnd(6, "0")));
  throw new Problem("bad-grant", `“${amount}” is no amount.`, "Give dollars, to six places at most, as in 5.00.");
}
