import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exampleSoul } from "../../../src/charters/index.ts";
import { loadTokenizer } from "../../../src/delivery/tokenizer.ts";
import { assemble, Problem } from "../../../src/index.ts";
import { promptFacts } from "../../../src/prompt/prompt.ts";
import type { PromptInputsAnswer } from "../../../src/server/answers.ts";
import { sha256 } from "../../../src/store/texts/packing.ts";
import { type Json, newServed, type Served } from "../served.ts";

const lock = JSON.parse(readFileSync(join(import.meta.dirname, "../../../../charter.lock"), "utf8"));
const folder = realpathSync(mkdtempSync(join(tmpdir(), "charter-gathered-")));
let served: Served;

const charters: Readonly<Record<string, { readonly settings: object; readonly model?: string }>> = {
  assistant: { settings: { zone: "Asia/Tokyo", original: { soul: exampleSoul } } },
  sovereign: {
    settings: { soul: "keeper", skills: [{ name: "trade", instructions: "Buy low." }], state: { state: "running" } },
  },
  artifact: { settings: { original: `${"You are a careful writer. ".repeat(20)}\n\n## Notes\n\nNone yet.` } },
  coder: { settings: {} },
  resident: { settings: { base: "Be safe.", core: { status: "present", text: "I am Rosa.\n# I like figs." } } },
};

beforeAll(async () => {
  mkdirSync(join(folder, "below"));
  writeFileSync(join(folder, "AGENTS.md"), `# House rules\n\n${"Test first. ".repeat(80)}`);
  writeFileSync(join(folder, "below", "AGENTS.md"), "Below, no tests.");
  served = await newServed({ directory: folder });
  const { operator, store, bo } = served;
  for (const [charter, about] of Object.entries(charters))
    expect((await operator("POST /agents", { name: charter, charter, ...about })).status).toBe(201);
  for (let count = 0; count < 12; count++) {
    const sender = `0xab${count % 4}`;
    await store.inbox.post({ agent: "sovereign", id: `m${count}`, sender, body: `Hello, “${count}”. `.repeat(9) });
    await store.memory.save(
      { agent: "sovereign" },
      { text: `Fact ${count}: ${"figs ".repeat(20)}`, tainted: count > 6 },
    );
  }
  await store.conversations.record("sovereign", "0xab1", { message: "m0", body: "Hi?", reply: "Yes.", turn: "t" });
  const wishes = "### Style\nBe brief.\n".repeat(200);
  await bo("POST /agents/assistant/proposals", {
    section: "instructions",
    operation: { kind: "rewrite", content: wishes },
  });
});
afterAll(async () => {
  await served.close();
  rmSync(folder, { recursive: true, force: true });
});

const rooms = [undefined, 100_000, 2000, 900, 500, 300, 120, 0];

/** What whoever has only the answer makes of it. */
async function madeOf(gathered: PromptInputsAnswer, edition: "full" | "compact", tokens: number | undefined) {
  const tokenizer = await loadTokenizer(gathered.receiver.tokenizer.name);
  try {
    const room = { edition, tokenizer, ...(tokens === undefined ? {} : { tokens }) };
    const prompt = assemble(gathered.charter as never, gathered.readings as never, room);
    const facts = promptFacts(prompt, tokenizer, sha256);
    return { ...facts, notices: [...gathered.notices, ...facts.notices] };
  } catch (error) {
    if (error instanceof Problem) return { error: { code: error.code, message: error.message, hint: error.hint } };
    throw error;
  }
}

describe("what is made of what was gathered is the prompt", () => {
  for (const charter of Object.keys(charters))
    for (const edition of ["full", "compact"] as const)
      test(`of ${charter}, ${edition}, in every room`, async () => {
        const about = "user=bo&channel=telegram&at=2026-02-18T15:04:00Z";
        const { status, body } = await served.operator(`GET /agents/${charter}/prompt?parts=inputs&${about}`);
        expect(status).toBe(200);
        const fits: boolean[] = [];
        for (const tokens of rooms) {
          const limit = tokens === undefined ? "" : `&tokens=${tokens}`;
          const shown = await served.operator(`GET /agents/${charter}/prompt?${about}&edition=${edition}${limit}`);
          expect(await madeOf(body.inputs, edition, tokens)).toEqual(shown.body);
          expect([200, 422]).toContain(shown.status);
          fits.push(shown.status === 200);
        }
        expect(fits[0]).toBe(true);
        expect(fits.at(-1)).toBe(false);
      });
});

test("who asked for what, and who would read it", async () => {
  const { body } = await served.operator(
    "GET /agents/assistant/prompt?parts=inputs&user=bo&channel=web&at=2026-02-18T15:04:00Z",
  );
  const { charter, readings, ...about } = body.inputs;
  expect(about).toEqual({
    agent: "assistant",
    user: "bo",
    channel: "web",
    at: "2026-02-18T15:04:00.000Z",
    notices: [],
    edition: "full",
    receiver: {
      name: "test/one",
      slots: "layered",
      window: 200_000,
      tokenizer: { name: "estimate", exact: false },
      cacheMin: 0,
      price: { input: 3, read: 0.3, write: 3.75, output: 15 },
    },
    channels: ["web", "telegram", "scheduled", "terminal", "editor"],
    toolTokens: expect.any(Number),
  });
  expect(about.toolTokens).toBeGreaterThan(100);
  expect(charter.layers.map(({ name }: Json) => name)).toEqual([
    "character",
    "safety",
    "setting",
    "memory",
    "instructions",
    "tools",
  ]);
  expect(readings.channel).toEqual({
    status: "present",
    parts: [expect.objectContaining({ text: expect.stringContaining("You are responding via web.") })],
  });
  const { inputs: now } = (await served.operator("GET /agents/assistant/prompt?parts=inputs")).body;
  expect([now.user, now.channel, now.at]).toEqual([null, null, "2026-02-18T12:00:00.000Z"]);
});

const wrong: [what: string, request: string, status: number, code: string][] = [
  ["an agent there is not", "GET /agents/nobody/prompt?parts=inputs", 404, "unknown-agent"],
  ["a channel there is not", "GET /agents/assistant/prompt?parts=inputs&channel=pigeon", 404, "unknown-channel"],
  ["a time that is none", "GET /agents/assistant/prompt?parts=inputs&at=tomorrow", 400, "bad-time"],
  ["a part there is not", "GET /agents/assistant/prompt?parts=text,soul", 400, "bad-request"],
  ["a limit that is none", "GET /agents/assistant/prompt?tokens=-1", 400, "bad-request"],
];
for (const [what, request, status, code] of wrong)
  test(`${what}: ${status}`, async () => {
    const answer = await served.operator(request);
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  });

test("every charter's sections are shown, the fixed ones with the digest that the lock pins", async () => {
  for (const charter of Object.keys(charters)) {
    const { body } = await served.operator(`GET /agents/${charter}/sections?user=bo`);
    for (const { name, mutability, digest, text } of body.sections)
      expect([charter, name, digest]).toEqual([charter, name, mutability === "fixed" ? sha256(text) : null]);
    expect(body.sections.length).toBeGreaterThan(0);
  }
  const { body } = await served.operator("GET /agents/assistant/sections/safety");
  expect(body.digest).toBe(lock.charters.assistant.safety.words);
});

test("the charters there are, in a sentence each", async () => {
  const { body } = await served.operator("GET /charters");
  expect(body.charters.map(({ name }: Json) => name).toSorted()).toEqual(Object.keys(charters).toSorted());
  for (const { says } of body.charters) expect(says).toMatch(/^An? [^.]+\.$/);
  expect(body.usual).toBe("assistant");
});

test("a charter says what it needs and whether it is served, in the list and with each agent", async () => {
  const { body } = await served.operator("GET /charters");
  const said = ({ name, needs, served: here }: Json) => [name, needs, here];
  const all = [
    ["artifact", [], true],
    ["assistant", [], true],
    ["coder", ["files"], false],
    ["resident", [], true],
    ["sovereign", ["inbox", "conversations", "notes"], true],
  ];
  expect(body.charters.map(said).toSorted()).toEqual(all);
  const agents = await served.operator("GET /agents");
  const these = agents.body.agents.filter(({ name }: Json) => Object.hasOwn(charters, name));
  expect(these.map(said).toSorted()).toEqual(all);
  const told = { name: "poet", charter: "coder", settings: { system: "You are a poet." } };
  expect(said((await served.operator("POST /agents", told)).body)).toEqual(["poet", [], false]);
  expect(said((await served.operator("GET /agents/poet")).body)).toEqual(["poet", [], false]);
});

describe("a coding agent", () => {
  const files = async (agent: string) => {
    const { body } = await served.operator(`GET /agents/${agent}/prompt?parts=inputs`);
    return body.inputs.readings.project;
  };

  test("is shown with the files of the server's directory and the tools it would have, and takes no turns here", async () => {
    const { body } = await served.operator("GET /agents/coder/prompt");
    expect(body.text).toContain("# House rules");
    expect(body.text).toContain("- bash: Execute bash commands");
    expect(body.text).toContain(`Current working directory: ${folder}`);
    const turn = await served.operator("POST /agents/coder/turns", { input: "Hi.", channel: "web" });
    expect([turn.status, turn.body.error.code]).toEqual([422, "not-served"]);
    const tools = await served.operator("GET /agents/coder/tools");
    expect([tools.status, tools.body.error.code]).toEqual([422, "not-served"]);
  });

  test("is shown in a directory below, and with the tools it was given", async () => {
    const settings = { cwd: "below", tools: ["read", "grep"] };
    await served.operator("POST /agents", { name: "below", charter: "coder", settings });
    const { body } = await served.operator("GET /agents/below/prompt");
    expect(body.text).toContain("Below, no tests.");
    expect(body.text).toContain("- grep: Search file contents");
    expect(body.text).not.toContain("- bash:");
  });

  const elsewhere: [what: string, settings: object][] = [
    ["the parent", { cwd: ".." }],
    ["the root", { cwd: "/" }],
    ["another directory", { cwd: tmpdir() }],
    ["a neighbour with a longer name", { cwd: `${folder}x` }],
    ["a path that is none", { cwd: "a\u0001b/../../.." }],
    ["a configuration directory that leads out", { config: "../.ssh" }],
  ];
  for (const [index, [what, settings]] of elsewhere.entries())
    test(`reads nothing of ${what}, and says so`, async () => {
      await served.operator("POST /agents", { name: `out${index}`, charter: "coder", settings });
      expect(await files(`out${index}`)).toEqual({ status: "unavailable", reason: expect.stringMatching(/^it/) });
      const { status, body } = await served.operator(`GET /agents/out${index}/prompt`);
      expect([status, body.notices.map(({ code }: Json) => code)]).toEqual([200, Array(4).fill("source-unavailable")]);
    });

  test("whose settings say what its files hold reads none", async () => {
    const settings = { context: [{ path: "/a/AGENTS.md", content: "Told." }], tools: ["read"] };
    await served.operator("POST /agents", { name: "told", charter: "coder", settings });
    const { body } = await served.operator("GET /agents/told/prompt");
    expect(body.text).toContain("Told.");
    expect(body.text).not.toContain("House rules");
  });
});
