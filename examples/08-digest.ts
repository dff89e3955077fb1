// An e-mail digest every weekday morning: a mail tool of the host, a schedule that asks for the digest, and an answer that
// is sent to the user's chat. A test clock and a scripted model replace the real ones.
import { defineTool } from "charter/agent";
import { createSchedule, createScheduler } from "charter/channels";
import type { Answer, Model, ModelRequest } from "charter/delivery";
import { createHost } from "charter/host";
import { createStore, sqlite } from "charter/store";
import { z } from "zod";

let now = new Date("2026-02-19T18:00:00Z");
const clock = () => now;
const mailbox = new Map([
  ["2026-02-20", ["Mia: The contract is signed.", "Shop: 20 % off everything!"]],
  ["2026-02-23", []],
]);

/** Mails are untrusted text, as nothing else is said: they reach the model fenced, and calls that act then need approval. */
const readMail = defineTool({
  name: "read_mail",
  input: z.object({}),
  summary: "Read the mails that came since yesterday",
  reads: true,
  run: (_given, context) => (mailbox.get(context.now.slice(0, 10)) ?? []).join("\n") || "(no new mail)",
});

/** Reads the mails, then reports them, or that there is nothing to report. A real model: loadModel("anthropic/…"). */
const model: Model = {
  receiver: {
    name: "example/scripted",
    slots: "layered",
    voice: "system",
    cache: { kind: "none" },
    window: null,
    price: null,
    tokenizer: { name: "estimate", exact: false },
  },
  ask: async (request) => ({ answer: { finish: "stop", usage: noUsage, calls: [], text: "", ...nextMove(request) } }),
};
const noUsage = { input: null, read: null, written: null, output: null };

function nextMove({ messages }: ModelRequest): Partial<Answer> {
  const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
  const call = (name: string) => ({ finish: "tool-calls", calls: [{ id: name, name, input: "{}" }] }) as const;
  const mail = results.find(({ name }) => name === "read_mail")?.output;
  if (mail === undefined) return call("read_mail");
  if (results.some(({ name }) => name === "nothing_to_report")) return { text: "No mail today." };
  const [first] = /Mia: .*/.exec(mail) ?? [];
  return first === undefined ? call("nothing_to_report") : { text: `One mail matters today. ${first}` };
}

const store = await createStore(sqlite(":memory:"), { now: clock });
await store.agents.add({ name: "ada", charter: "assistant" });
await store.users.put({ id: "bo", zone: "Europe/Berlin" });
const scope = { agent: "ada", user: "bo" };
const { code } = await store.links.createCode(scope, "telegram");
await store.links.redeem("ada", "telegram", code, "bo's chat");

const host = createHost({ store, clock, tools: [readMail], loadModel: async () => model });
const scheduling = createScheduler({ host });
const input = "Read my mail and tell me in three sentences what matters.";
await createSchedule({ scope, title: "Mail digest", input, cron: "0 8 * * 1-5" }, store, now);

// Friday, a weekend without runs, Monday. With a real clock this is scheduling.start().
for (const day of ["2026-02-20", "2026-02-21", "2026-02-23"]) {
  now = new Date(`${day}T07:00:00Z`);
  await scheduling.tick();
}

for (const { dueAt, state } of (await store.runs.list(scope)).reverse()) console.log(`${dueAt} ${state}`);
for (const { address, body } of await store.dispatches.list(scope)) console.log(`to ${address}: ${body}`);
await scheduling.stop();
await host.close();
await store.close();
