// A process that lets an agent live on a chain, to be killed: it answers what comes until nobody listens to it any more.
import { sleep } from "../../src/agent/limits.ts";
import { createAutomaton } from "../../src/channels/automaton/automaton.ts";
import type { ChainConfig } from "../../src/channels/chain/chain-config.ts";
import { chainSettings } from "../../src/channels/chain/chain-config.ts";
import { openChain } from "../../src/channels/chain/open-chain.ts";
import type { Answer, Model, ModelResult } from "../../src/delivery/model.ts";
import { createHost } from "../../src/host/create-host.ts";
import { createStore, postgres, sqlite } from "../../src/store/index.ts";
import { receiver, usage } from "../agent/model.ts";
import { type ClockOrders, createFastClock, speed } from "../automaton/endurance-clock.ts";

export type ChainWorkerOrders = {
  readonly url: string;
  readonly agent: string;
  readonly clock: ClockOrders;
  readonly chain: ChainConfig;
  /** Which of a hundred model calls fail. */
  readonly faults: number;
};

const { url, agent, clock: orders, chain, faults } = JSON.parse(process.argv[2] as string) as ChainWorkerOrders;
process.stdin.on("close", () => process.exit()).resume();

const answer = (about: Partial<Answer>): ModelResult => ({
  answer: { text: "", calls: [], finish: about.calls ? "tool-calls" : "stop", usage, ...about },
});

/** It fails now and then and never answers poison; to all else it says which message it answers. */
const model: Model = {
  receiver,
  ask: async ({ messages }) => {
    process.stdout.write("asked\n");
    const chance = Math.random() * 100;
    const fault = (code: "model-failed" | "model-busy") => ({ fault: { code, message: "Not now.", retry: false } });
    if (chance < faults / 2) return fault("model-busy");
    const asked = messages.flatMap((message) => (message.role === "user" ? [message.text] : [])).join("\n");
    if (/^> .*poison/m.test(asked)) return fault("model-failed");
    const ids = [...asked.matchAll(/^Message (\S+):$/gm)].map(([, id]) => id as string);
    if (ids.length < 2 || messages.some(({ role }) => role === "tool"))
      return answer({ text: ids.length === 1 ? `Reply to ${ids[0]}.` : "Done." });
    const calls = ids.map((message) => ({
      id: `reply-${crypto.randomUUID()}`,
      name: "reply",
      input: JSON.stringify({ message, body: `Reply to ${message}.` }),
    }));
    return answer({ calls });
  },
};

const { now: clock } = createFastClock(orders);
const faster = (ms: number, signal: AbortSignal) => sleep(ms / speed, signal);
const store = await createStore(url.startsWith("postgres") ? postgres(url) : sqlite(url), { now: clock });
const host = createHost({ store, loadModel: async () => model, env: {}, clock });
const usual = { agent, clock, sleep: faster };
// Ten seconds would be as long as ten turns.
const about = { settings: chainSettings(agent, chain), env: process.env, timeoutMs: 2000 };
const opened = await openChain({ ...usual, store, ...about });
await createAutomaton({ ...usual, host, everyMs: Number.POSITIVE_INFINITY }).start();
await opened.start();
process.stdout.write("ready\n");
