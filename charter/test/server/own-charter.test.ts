import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHost } from "../../src/host/create-host.ts";
import { Problem } from "../../src/index.ts";
import { counterpartKey } from "../../src/store/scope.ts";
import { calls } from "../agent/model.ts";
import { type Json, newServed, type Served } from "./served.ts";

/** A charter of one's own in the service: whatever a declaration holds, holds there. */

const folder = mkdtempSync(join(tmpdir(), "charter-own-"));
const doors = (name: string) => JSON.stringify(join(import.meta.dirname, "../../src", name, "index.ts"));
const files: Readonly<Record<string, string>> = {
  // The whole of an assistant of one's own.
  soul: `import { assistant } from ${doors("charters")};
export default assistant({ soul: "Be kind to cats." });
`,
  bounded: `import { assistant } from ${doors("charters")};
const calm = { name: "calm", "before-turn": ({ input }) => ({ input: input + " Calmly." }) };
export default { ...assistant({}), hooks: [calm], limits: { steps: 2 }, compactAt: 1 };
`,
  greeter: `export default async ({ agent, user, channel, greeting = "Hello", now, inbox = [], memory = [] }, { channels }) => ({
  charter: {
    name: "greeter",
    layers: [{ name: "g", mutability: "live", sections: [
      { name: "greeting", words: greeting + " " + user + " from " + agent + ", by " + channel },
      { name: "post", trust: "own", sources: [async () => ({ status: "present", parts: inbox.map(({ body }) => ({ text: body })) })] },
      { name: "facts", words: now.slice(0, 4) + " " + Object.keys(channels).length + " " + memory.length },
    ] }],
  },
  needs: ["inbox"],
});
export const limits = { steps: 1 };
`,
  mailbox: `const mail = { text: "Thanks 🎉".slice(0, 8) + "\\0", source: "mail of mallory" };
export default { name: "mailbox", layers: [{ name: "m", mutability: "live", sections: [
  { name: "mail", trust: "foreign", sources: [() => ({ status: "present", parts: [mail] })] },
] }] };
`,
  cramped: `export default { name: "cramped", limit: { chars: 20 }, layers: [{ name: "l", mutability: "fixed", sections: [
  { name: "private-law", words: "A law that is longer than its limit." },
] }] };
`,
  namer: `export default ({ user }) => ({
  name: "namer",
  layers: [{ name: "n", mutability: "live", sections: [{ name: "n", words: "For " + user + "." }] }],
});
`,
};

let served: Served;
beforeAll(async () => {
  served = await newServed();
  for (const [name, code] of Object.entries(files)) {
    const charter = join(folder, `${name}.ts`);
    writeFileSync(charter, code);
    await served.store.agents.add({ name, charter, model: "openai/gpt-5" });
  }
});
afterAll(async () => {
  await served.close();
  rmSync(folder, { recursive: true, force: true });
});

const toolsOf = async (agent: string) => {
  const { body } = await served.operator(`GET /agents/${agent}/tools?channel=web`);
  return body.tools.map(({ name }: Json) => name);
};
const say = async (agent: string, input: string) =>
  (await served.operator(`POST /agents/${agent}/turns`, { input, user: "bo", channel: "web" })).body;
const lastPrompt = () =>
  served.model.requests
    .at(-1)
    ?.system.map(({ text }) => text)
    .join("\n") ?? "";

test("an assistant of one's own has every tool ours has", async () => {
  expect(await toolsOf("soul")).toEqual(await toolsOf("ada"));
  expect(await toolsOf("soul")).toEqual([
    ...["update_instructions", "read_memory", "save_memory", "update_memory", "forget_memory"],
    ...["set_reminder", "list_reminders", "cancel_reminder", "set_time_zone"],
  ]);
});

test("a stranger's bytes stop no turn: the operator is told of them, and no user which section or whose they are", async () => {
  served.model.say("Fine.");
  const asked = { input: "Hi.", channel: "web" };
  const { status, body } = await served.bo("POST /agents/mailbox/turns", asked);
  expect([status, body.reply, body.notices]).toEqual([200, "Fine.", []]);
  expect((await say("mailbox", "Hi.")).notices).toEqual([
    {
      code: "text-mended",
      section: "mail",
      message:
        "The text of “mail” by mail of mallory had half a character or a NUL, which nothing can carry: each is “\uFFFD” now.",
    },
  ]);
  const answers = [served.bo, served.operator].map((ask) =>
    ask("POST /agents/cramped/turns", { ...asked, user: "bo" }),
  );
  const [users, operators] = await Promise.all(answers);
  expect([users?.status, users?.body.error.message]).toEqual([500, "The service cannot answer this now."]);
  expect([operators?.status, operators?.body.error.message]).toEqual([422, expect.stringContaining("“private-law”")]);
});

test("hooks, limits and compactAt of a file hold in the service", async () => {
  served.model.say(calls(["read_memory"]));
  const { error } = await say("bounded", "Look and look.");
  expect([error.code, error.message]).toEqual(["turn-steps", "After 2 steps the model still called tools."]);
  expect(JSON.stringify(served.model.requests.at(-1)?.messages)).toContain("Look and look. Calmly.");
  served.model.say("Fine.");
  for (const words of ["One.", "Two.", "Three."]) await say("bounded", words);
  const summed = served.model.requests.filter(({ messages }) =>
    JSON.stringify(messages).includes("Write down what was said so far"),
  );
  expect(summed.length).toBeGreaterThan(0);
});

test("a function is asked anew for each turn, with its facts, and told what it says it needs", async () => {
  await served.store.memory.save({ agent: "greeter" }, { text: "Not asked for." });
  await served.store.inbox.post({ agent: "greeter", sender: "cy", body: "Are you there?" });
  served.model.say("Hi.");
  await say("greeter", "Hello.");
  expect(lastPrompt()).not.toContain("Are you there?");
  await served.store.inbox.claim("greeter", "taking");
  const from = { agent: "greeter", user: counterpartKey("cy") };
  await served.house.runTurn({ ...from, counterpart: true, channel: "web", id: "taking", input: "Hello." });
  expect(lastPrompt()).toContain("Hello counterpart:cy from greeter, by web\n\nAre you there?\n\n2026 0 0");
  await served.operator("PATCH /agents/greeter", { settings: { greeting: "Bye" } });
  const { body } = await served.operator("GET /agents/greeter/prompt?user=cy&channel=scheduled");
  expect(body.text).toContain("Bye cy from greeter, by scheduled");
});

test("one of ours that needs the inbox is told in every turn what that turn has taken, and no more", async () => {
  await served.store.agents.add({ name: "sol", charter: "sovereign", model: "openai/gpt-5" });
  served.model.say("Hi.");
  for (const [id, body] of [
    ["first", "Who is there?"],
    ["second", "And now?"],
  ] as const) {
    await served.store.inbox.post({ agent: "sol", sender: id, body });
    await served.operator("POST /agents/sol/turns", { input: "Go on.", channel: "web" });
    expect(JSON.stringify(served.model.requests.at(-1))).not.toContain(body);
    await served.store.inbox.claim("sol", id);
    await served.house.runTurn({ agent: "sol", channel: "web", id, input: "Go on.", user: null });
    expect(JSON.stringify(served.model.requests.at(-1))).toContain(body);
  }
});

test("so is one that needs nothing: it is made of more than its settings", async () => {
  served.model.say("Hi.");
  const prompts: string[] = [];
  for (const user of ["bo", "cy"]) {
    await served.operator("POST /agents/namer/turns", { input: "Hello.", user, channel: "web" });
    prompts.push(lastPrompt());
  }
  expect(prompts).toEqual(["For bo.", "For cy."]);
});

test("whether a file may be run is asked before it says anything of itself", async () => {
  const { store } = served;
  const checkCharter = () => Promise.reject(new Problem("charter-untrusted", "No.", "Look first."));
  const wary = createHost({ store, env: {}, checkCharter });
  await expect(wary.traits(await store.agents.get("soul"))).rejects.toMatchObject({ code: "charter-untrusted" });
});

test("what its charter says is in the agent's answer; of one that cannot be loaded, nothing is", async () => {
  await served.store.agents.add({ name: "gone", charter: join(folder, "gone.ts") });
  const said = async (agent: string) => {
    const { needs, served: here } = (await served.operator(`GET /agents/${agent}`)).body;
    return [needs, here];
  };
  expect(await said("greeter")).toEqual([["inbox"], true]);
  expect(await said("soul")).toEqual([[], true]);
  expect(await said("gone")).toEqual([undefined, undefined]);
});
