import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { root } from "../fetched-package.ts";
import { libraryProject, registryAbsence, runStranger } from "../packed.ts";

/** The package `charter` alone, in an empty folder: what a library needs, and none of the service. */

const { exports: doors } = JSON.parse(readFileSync(join(root, "charter/package.json"), "utf8"));
const doorNames = Object.keys(doors).map((door) => `charter${door.slice(1)}`);

let folder: string;
const absent = await registryAbsence();
beforeAll(async () => {
  if (absent === undefined) folder = await libraryProject();
}, 1_800_000);

async function run(...args: string[]) {
  const { code, output } = await runStranger(process.execPath, args, folder);
  return { code, output };
}

const command = "node_modules/charter/bin/charter.js";
const serviceHint = "  Run npm install charter-service: it brings everything that charter start needs.";

test("it is at most 12 packages and 25 MB", ({ skip }) => {
  if (absent) return skip(absent);
  const modules = join(folder, "node_modules");
  const packages = Object.keys(JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8")).packages);
  const files = readdirSync(modules, { recursive: true, encoding: "utf8" }).map((file) =>
    statSync(join(modules, file)),
  );
  // As a disk has them: in blocks.
  const bytes = files.reduce((sum, stats) => sum + Math.max(stats.blocks * 512, stats.size), 0);
  process.stdout.write(`charter alone: ${packages.length} packages, ${(bytes / 1e6).toFixed(1)} MB on disk\n`);
  expect(packages.length).toBeLessThanOrEqual(12);
  expect(bytes).toBeLessThanOrEqual(25e6);
});

test("each door can be imported", async ({ skip }) => {
  if (absent) return skip(absent);
  const names = JSON.stringify(doorNames);
  writeFileSync(join(folder, "doors.js"), `for (const door of ${names}) { await import(door); console.log(door); }`);
  expect(await run("doors.js")).toEqual({ code: 0, output: `${doorNames.join("\n")}\n` });
});

test.for([
  ["start", [], "charter start needs the package “charter-service”, which is not installed."],
  ["serve", ["--host", "0.0.0.0"], "charter serve needs the package “charter-service”, which is not installed."],
  [
    "chat",
    ["--database", "postgres://localhost/x", "hi"],
    "PostgreSQL needs the package “pg”, which is not installed.",
  ],
  [
    "chat",
    ["--database", "model.db", "--model", "ollama/llama", "hi"],
    "Loading a model by its name needs the package “@ai-sdk/openai-compatible”, which is not installed.",
  ],
] as const)(
  "charter %s %j ends with the package it needs, and the command that brings it",
  async ([name, args, message], { skip }) => {
    if (absent) return skip(absent);
    expect(await run(command, name, ...args)).toEqual({
      code: 2,
      output: expect.stringContaining(`package-missing: ${message}\n${serviceHint}\n`),
    });
    expect(existsSync(join(folder, ".charter"))).toBe(false);
  },
);

test("the other commands are there: chat with the stand-in, a prompt by sections, verify, help", async ({ skip }) => {
  if (absent) return skip(absent);
  const database = ["--database", "own.db"];
  expect(await run(command, "chat", ...database, "hello")).toEqual({
    code: 0,
    output: expect.stringContaining("(stand-in model)"),
  });
  const { output: table } = await run(command, "show", "--charter", "assistant", "--table");
  expect(table).toMatch(/^\d+ tokens \(estimated\), /m);
  expect(await run(command, "show", "--charter", "assistant", "--limit-tokens", "4000")).toEqual({
    code: 2,
    output: `package-missing: The tokenizer “o200k_base” needs the package “gpt-tokenizer”, which is not installed.\n${serviceHint} Or count with the tokenizer “estimate”.\n`,
  });
  expect(await run(command, "show", "--charter", "assistant", "--limit-tokens", "4000", "--tokenizer", "estimate"))
    // What it shows is looked at elsewhere.
    .toMatchObject({ code: 0 });
  expect(await run(command, "verify", ...database)).toMatchObject({ code: 0 });
  expect(await run(command, "--help")).toMatchObject({ code: 0 });
});

const program = `
import { createAgent } from "charter/agent";
import { assistant } from "charter/charters";
import { modelOf, receiverOf } from "charter/delivery";
import { createStore, sqlite } from "charter/store";

const parts = [
  { type: "stream-start", warnings: [] },
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "Hello." },
  { type: "text-end", id: "1" },
  {
    type: "finish",
    finishReason: { unified: "stop", raw: "stop" },
    usage: { inputTokens: { total: 10 }, outputTokens: { total: 2 } },
  },
];
const language = {
  specificationVersion: "v4",
  provider: "openai",
  modelId: "gpt-4o",
  supportedUrls: {},
  doGenerate: async () => { throw new Error("It is streamed."); },
  doStream: async () => ({ stream: ReadableStream.from(parts) }),
};
const store = await createStore(sqlite(":memory:"));
const model = modelOf(language, receiverOf("openai/gpt-4o"));
const agent = createAgent({ name: "ada", charter: assistant(), model, store });
const { state, reply, turn } = await agent.runTurn({ input: "Hi!", user: "mia" });
const { receipt } = await store.steps.replay(turn);
const { tokenizer, exact } = receipt.tokens;
console.log(JSON.stringify({ state, reply, tokenizer, exact }));
`;

test("an agent with a model of the AI SDK takes a turn; its receipt says that tokens were estimated", async ({
  skip,
}) => {
  if (absent) return skip(absent);
  writeFileSync(join(folder, "program.js"), program);
  expect(await run("program.js")).toEqual({
    code: 0,
    output: `${JSON.stringify({ state: "answered", reply: "Hello.", tokenizer: "estimate", exact: false })}\n`,
  });
});

test("an error's trace names the line of the source", async ({ skip }) => {
  if (absent) return skip(absent);
  writeFileSync(join(folder, "throws.js"), `import { assemble } from "charter"; assemble({ name: "x" }, {});`);
  const { output } = await run("throws.js");
  const [, path, line] = /charter\/dist\/(prompt\/[\w-]+)\.js:(\d+)/.exec(output) as unknown as [
    string,
    string,
    string,
  ];
  const source = readFileSync(join(root, `charter/src/${path}.ts`), "utf8").split("\n")[Number(line) - 1];
  expect(source).toMatch(/throw|Problem|\(/);
  expect(output).toContain(path);
});
