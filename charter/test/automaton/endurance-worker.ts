// A process that lets an agent live, to be killed: it answers what comes until nobody listens to it any more.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";
import { defineTool } from "../../src/agent/index.ts";
import { sleep } from "../../src/agent/limits.ts";
import { createAutomaton } from "../../src/channels/automaton/automaton.ts";
import type { Answer, Model, ModelResult } from "../../src/delivery/model.ts";
import { createHost } from "../../src/host/create-host.ts";
import { createStore, postgres, sqlite } from "../../src/store/index.ts";
import { receiver, usage } from "../agent/model.ts";
import { type ClockOrders, createFastClock, speed } from "./endurance-clock.ts";

/** Where it works; `runner`: a name nobody can ask about, so that its lease has to be waited for. */
export type WorkerOrders = {
  readonly url: string;
  readonly agent: string;
  readonly clock: ClockOrders;
  /** The file in which every payment is a line. */
  readonly paid: string;
  /** Which of a hundred model calls fail. */
  readonly faults: number;
  readonly runner?: string;
};

/** What it tells: that it is there, that its model is asked. */
export type WorkerTold = { readonly said: "ready" | "asked" };

const { url, agent, paid, faults, runner, clock: orders } = JSON.parse(process.argv[2] as string) as WorkerOrders;
const tell = (said: WorkerTold["said"]) => process.stdout.write(`${JSON.stringify({ said } satisfies WorkerTold)}\n`);
const clock = createFastClock(orders);
createInterface({ input: process.stdin })
  .on("line", (line) => clock.jump(Number(line)))
  .on("close", () => process.exit());

const pay = defineTool({
  name: "pay",
  summary: "Pay for a message",
  description: "Pays for a message.",
  input: z.object({ message: z.string() }),
  trusted: true,
  harmless: true,
  run: ({ message }) => {
    appendFileSync(paid, `${message}\n`);
    return "Paid.";
  },
});

const answer = (about: Partial<Answer>): ModelResult => ({
  answer: { text: "", calls: [], finish: about.calls ? "tool-calls" : "stop", usage, ...about },
});
const fault = (code: "model-failed" | "model-rejected"): ModelResult => ({
  fault: { code, message: "Not now.", retry: false },
});
const call = (name: string, input: object) => ({
  id: `${name}-${crypto.randomUUID()}`,
  name,
  input: JSON.stringify(input),
});

/** It fails now and then, forgets a message, says nothing; and pays for what it is not told that it has paid for. */
const model: Model = {
  receiver,
  ask: async ({ messages }) => {
    tell("asked");
    const chance = Math.random() * 100;
    if (chance < faults / 4) return fault("model-failed");
    if (chance < faults / 2) return fault("model-rejected");
    if (chance < (faults / 4) * 3) return answer({ text: " " });
    const asked = messages.flatMap((message) => (message.role === "user" ? [message.text] : [])).join("\n");
    if (/^> .*poison/m.test(asked)) return fault("model-rejected");
    const ids = [...asked.matchAll(/^Message (\S+):$/gm)].map(([, id]) => id as string);
    if (messages.some(({ role }) => role === "tool") || ids.length === 0)
      return answer({ text: ids.length === 1 ? `Reply to ${ids[0]}.` : "Done." });
    const owed = ids.filter((id) => id.endsWith("-pay") && !asked.includes(`{\\"message\\":\\"${id}\\"}`));
    const answered = ids.length === 1 ? [] : ids.slice(chance > 98 ? 1 : 0);
    const calls = [
      ...owed.map((message) => call("pay", { message })),
      ...answered.map((message) => call("reply", { message, body: `Reply to ${message}.` })),
    ];
    return calls.length > 0 ? answer({ calls }) : answer({ text: `Reply to ${ids[0]}.` });
  },
};

const store = await createStore(url.startsWith("postgres") ? postgres(url) : sqlite(url), { now: clock.now });
const automaton = createAutomaton({
  host: createHost({ store, loadModel: async () => model, env: {}, clock: clock.now, tools: [pay] }),
  agent,
  clock: clock.now,
  sleep: (ms, signal) => sleep(ms / speed, signal),
  ...(runner === undefined ? {} : { runner }),
});
await automaton.start();
tell("ready");
