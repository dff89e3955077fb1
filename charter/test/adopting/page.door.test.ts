import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { expectThought, runOnWire, runProgram } from "./on-wire.ts";
import {
  addedLines,
  countOfTsBlocks,
  followPage,
  oneLines,
  ownBlocks,
  pageBlocks,
  pageSection,
  root,
  shownRequest,
} from "./page.ts";

/** docs/adopting.md, followed word for word. LangGraph and Mastra: charter/test/frameworks. */

const folder = followPage(join(root, "node_modules"));
afterAll(() => rmSync(folder, { recursive: true }));

test("every block of the page is a file, and each is run somewhere", () => {
  expect(pageBlocks.length).toBe(countOfTsBlocks);
  expect(pageBlocks.map(({ file }) => file).filter((file) => file.startsWith("with-"))).toEqual(
    ["ai", "stream", "turns", "openai", "chat", "anthropic", "langgraph", "mastra", "tools", "session"].map(
      (name) => `with-${name}.ts`,
    ),
  );
});

// The others are modules, which these import.
for (const { file, prints } of ownBlocks.filter((block) => block.prints !== undefined))
  test.concurrent(`${file} prints what the page says`, async () => {
    expect(await runProgram(folder, file)).toBe(prints);
  });

const { system, messages } = shownRequest;

test.concurrent("with Anthropic's SDK the second request is the one on the page, to the byte", async () => {
  const { stdout, bodies } = await runOnWire(folder, "with-anthropic.ts", { version: "" });
  expect(stdout).toBe("Hi.\nHi.\n");
  const first = [{ role: "user", content: [messages[0].content[0], messages[2].content[1]] }];
  expect(bodies).toEqual([{ ...shownRequest, messages: first }, shownRequest]);
});

test.concurrent("with the AI SDK it is the same", async () => {
  const { stdout, bodies } = await runOnWire(folder, "with-ai.ts");
  expect(stdout).toBe("Hi.\nHi.\n");
  expect(bodies).toMatchObject([{ system }, { system, messages }]);
});

const calls = [{ id: "call_1", name: "find_books", input: '{"about":"bees"}' }];
const asked = [{ thought: "Hm.", calls }, { text: ["Take ", "this one."] }];

/** The command, as the page says it. */
async function charter(...words: readonly string[]): Promise<string> {
  const bin = join(root, "charter/bin/charter.js");
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [bin, ...words], { cwd: folder });
  return stdout + stderr;
}

/** The ids of the turns in a database, the newest first. */
async function turnsIn(database: string): Promise<readonly string[]> {
  const { turns } = JSON.parse(await charter("turns", "--agent", "ada", "--json", "-d", database));
  expect(turns).toMatchObject([{ input: "A shorter one?" }, { input: "Find me a book about bees." }]);
  return turns.map(({ id }: { readonly id: string }) => id);
}

/** What the page shows of a command stands in what it prints, in that order; `…` and names in brackets stand for others. */
async function expectShown(heading: string, database: string): Promise<void> {
  const [turn = "", first = ""] = await turnsIn(database);
  const shown = [...pageSection(heading).matchAll(/^npx charter (.*)\n```\n\n```text\n([\s\S]*?)^```$/gm)];
  expect(shown.length).toBe(2);
  for (const [, command = "", text = ""] of shown) {
    const words = [
      ...command
        .replace("librarian.db", database)
        .replace("<turn>", turn)
        .matchAll(/"([^"]+)"|\S+/g),
    ];
    const printed = await charter(...words.map(([all, quoted]) => quoted ?? all));
    const parts = text
      .replace("<turn>", turn)
      .replace("<first turn>", first)
      .split(/\n?…\n?/);
    let at = 0;
    for (const part of parts) {
      const found = printed.indexOf(part, at);
      expect([part, found === -1 ? printed : "found"]).toEqual([part, "found"]);
      at = found + part.length;
    }
  }
}

test("what the page adds to a program with streamText: at most 25 lines, and 5 for approval", () => {
  const added = addedLines("with-turns.ts", "with-stream.ts");
  expect(added.join("\n")).toMatch(/charterFor/);
  expect(added.length).toBeLessThanOrEqual(25);
  const approval = pageSection("### A person approves").match(/^(?:\+|npx ).*$/gm) ?? [];
  expect(approval).toEqual([expect.stringContaining('approvedBy: "operator"'), ...Array(2).fill(expect.anything())]);
});

test.concurrent("with-stream.ts runs as it is", async () => {
  const { stdout } = await runOnWire(folder, "with-stream.ts", { said: asked });
  expect(stdout).toBe("Take this one.Hi.");
});

test.concurrent("turns of the AI SDK: its tool runs once, state comes last, reasoning goes back, and all of it is on record", async () => {
  const { stdout, bodies } = await runOnWire(folder, "with-turns.ts", { said: asked });
  expect(stdout).toBe("Take this one. answered\nHi. answered\n");
  expect(bodies).toMatchObject([
    {},
    {},
    { messages: [{}, { content: [{ type: "thinking", signature: "signed" }, {}] }, {}, {}, {}] },
  ]);
  const sent = JSON.stringify(bodies[2]);
  expect(sent.split("> A book about bees: 352 pages.").length).toBe(2);
  expect(sent.indexOf("Today is")).toBeGreaterThan(sent.indexOf("A shorter one?"));
  await expectShown("### Where words came from, and what went out", "librarian.db");
  expect(await charter("show", "--agent", "ada", "--user", "mia", "-d", "librarian.db")).toContain(
    "Mia, nine years old.",
  );
});

test.concurrent("what the agent changes waits for the operator, by the line the page shows and its commands", async () => {
  const [, before = "", after = ""] = /^-(.*)\n\+(.*)$/m.exec(pageSection("### A person approves")) ?? [];
  const program = pageBlocks.find(({ file }) => file === "with-turns.ts")?.code ?? "";
  expect(program).toContain(before);
  writeFileSync(join(folder, "approval.ts"), program.replace(before, after).replace("librarian.db", "approval.db"));
  const input = '{"operation":"append","content":"Prefer short ones."}';
  const said = [{ calls: [{ id: "call_1", name: "modify_system_prompt", input }] }];
  await runOnWire(folder, "approval.ts", { said });
  const { proposals } = JSON.parse(await charter("approvals", "--json", "-d", "approval.db"));
  expect(proposals).toMatchObject([{ section: "goals" }]);
  await charter("approve", proposals[0].id, "-d", "approval.db");
  const shown = await charter("show", "--agent", "ada", "--user", "mia", "-d", "approval.db");
  expect(shown).toContain("Prefer short ones.");
});

test.concurrent("a loop of one's own with turns: its tool runs once, and all of it is on record", async () => {
  const { stdout, bodies } = await runOnWire(folder, "with-session.ts", { version: "", said: asked });
  expect(stdout).toBe("Take this one.\nHi.\n");
  expect(bodies.length).toBe(3);
  expect(JSON.stringify(bodies[2]).split("> A book about bees: 352 pages.").length).toBe(2);
  const [turn = "", first = ""] = await turnsIn("session.db");
  expect(await charter("why", "352 pages", "--turn", turn, "-d", "session.db")).toContain(
    `find_books in turn ${first}`,
  );
  expect(await charter("replay", turn, "--request", "-d", "session.db")).toContain("Proved: step 1");
});

test.concurrent("with OpenAI's SDK the prompt stands in the developer's role, and the state is last", async () => {
  const { stdout, bodies } = await runOnWire(folder, "with-openai.ts");
  expect(stdout).toBe("Hi.\nHi.\n");
  const mark = { prompt_cache_breakpoint: { mode: "explicit" } };
  // OpenAI has a role for the system inside the history: no mark is needed there, nor a word on it.
  const stable = system[0].text.trimEnd();
  const inbox = messages[2].content[1].text.replace(/^\[system \w+\]\n/, "");
  const opening = [
    { role: "developer", content: [{ type: "input_text", text: stable, ...mark }] },
    { role: "user", content: [{ type: "input_text", text: "Find me a book about bees.", ...mark }] },
  ];
  const request = {
    model: "gpt-5.6-terra",
    store: false,
    include: ["reasoning.encrypted_content"],
    prompt_cache_options: { mode: "explicit" },
    prompt_cache_key: expect.any(String),
  };
  const state = { role: "developer", content: inbox };
  const second = { role: "user", content: [{ type: "input_text", text: "A shorter one?", ...mark }] };
  expect(bodies).toEqual([
    { ...request, input: [...opening, state] },
    { ...request, input: [...opening, { role: "assistant", content: "Hi." }, second, state] },
  ]);
  expect(bodies[0]?.prompt_cache_key).toBe(bodies[1]?.prompt_cache_key);
});

for (const [file, version] of [
  ["with-anthropic.ts", ""],
  ["with-ai.ts", "/v1"],
] as const)
  test.concurrent(`${file} sends signed reasoning back as it came`, () => expectThought(folder, file, version));

test.concurrent("with OpenAI's SDK encrypted reasoning goes back as it came", async () => {
  const said = [{ thought: "Hm.", text: ["Hi."] }];
  const { bodies } = await runOnWire(folder, "with-openai.ts", { said });
  const { input } = bodies[1] as { readonly input: readonly unknown[] };
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "Hm." };
  expect(input[2]).toEqual(reasoning);
});

test.concurrent("with chat completions the prompt is one text, and what the model thought goes back as it came", async () => {
  const said = [{ thought: "Hm.", text: ["Hi."] }];
  const { stdout, bodies } = await runOnWire(folder, "with-chat.ts", { said });
  expect(stdout).toBe("Hi.\nHi.\n");
  const prompt = { role: "system", content: system.map(({ text }: { text: string }) => text).join("") };
  const [first, second] = [messages[0], messages[2]].map(({ content }) => ({ role: "user", content: content[0].text }));
  const state = { role: "user", content: messages[2].content[1].text };
  const answer = { role: "assistant", content: "Hi.", refusal: null, reasoning_content: "Hm." };
  expect(bodies).toEqual([
    { model: "qwen3-32b", messages: [prompt, first, state] },
    { model: "qwen3-32b", messages: [prompt, first, answer, second, state] },
  ]);
});

test.concurrent("with tools, each step's request has the calls and results so far, and the state after them", async () => {
  const call = { id: "call_1", name: "find_books", input: '{"about":"bees"}' };
  const said = [{ text: ["One moment."], calls: [call] }, { text: ["Take this one."] }];
  const { stdout, bodies } = await runOnWire(folder, "with-tools.ts", { version: "", said });
  expect(stdout).toContain("Take this one. []\n");
  expect(stdout).toContain("output: 'A book about bees: 352 pages.'");
  const [question, , last] = messages;
  const mark = { cache_control: { type: "ephemeral" } };
  const result = { type: "tool_result", tool_use_id: "call_1", content: "A book about bees: 352 pages." };
  expect(bodies[1]).toMatchObject({
    system,
    messages: [
      question,
      {
        role: "assistant",
        content: [
          { type: "text", text: "One moment." },
          { type: "tool_use", id: "call_1", name: "find_books", input: { about: "bees" } },
        ],
      },
      { role: "user", content: [{ ...result, ...mark }, last.content[1]] },
    ],
    tools: [{ name: "find_books", description: "Finds books about something.", input_schema: { type: "object" } }],
  });
});

test.concurrent("what a tool changed is said right after its results, once", async () => {
  const program = `import { toAnthropic } from "charter/delivery"; import { startConversation } from "./conversation.ts";
    const conversation = startConversation("anthropic/claude-sonnet-5-5");
    await conversation.ask("Hello.");
    const call = { id: "call_1", name: "amend", input: "{}" };
    conversation.answered({ text: "", calls: [call] }, [{ call: "call_1", name: "amend", output: "Done." }]);
    const standing = { goals: { text: "Find short books.", revision: 1 } };
    await conversation.ask(undefined, standing);
    conversation.answered({ text: "Changed.", calls: [] });
    const { messages } = toAnthropic(await conversation.ask("And now?", standing), conversation.receiver);
    console.log(JSON.stringify(messages.map(({ content }) => content.map(({ type, ...block }) => [type, block.text ?? ""]))));`;
  writeFileSync(join(folder, "changed.ts"), program);
  const said = JSON.parse((await runProgram(folder, "changed.ts")).replaceAll(/\[system \w+\]/g, "[mark]"));
  expect(said).toEqual([
    [["text", "Hello."]],
    [["tool_use", ""]],
    [
      ["tool_result", ""],
      ["text", "[mark] Your prompt has changed: “Goals” now reads:\n\n## Goals\nFind short books."],
    ],
    [["text", "Changed."]],
    [
      ["text", "And now?"],
      ["text", expect.stringMatching(/^\[mark\]\n## Inbox\n/)],
    ],
  ]);
});

/** What a reader of the table has around its line. */
const around: Readonly<Record<string, { readonly imports: string; readonly version?: string }>> = {
  "ai-sdk": {
    imports: `import { anthropic } from "@ai-sdk/anthropic"; import { generateText } from "ai";
      const model = anthropic("claude-sonnet-5-5");`,
  },
  openai: { imports: `import OpenAI from "openai"; const client = new OpenAI(); const model = "gpt-5.6-terra";` },
  anthropic: {
    imports: `import Anthropic from "@anthropic-ai/sdk"; const client = new Anthropic(); const model = "claude-sonnet-5-5";
      const max_tokens = 100; const messages = [{ role: "user", content: "Hello." }] as const;`,
    version: "",
  },
};

for (const [name, { imports, version }] of Object.entries(around))
  test.concurrent(`the one line for ${name} sends the whole prompt`, async () => {
    const file = `one-line-${name}.ts`;
    const line = oneLines[name]?.replace("messages })", "messages: [...messages] })");
    const program = `import { promptNow } from "./librarian.ts"; ${imports}
      const prompt = await promptNow(); const input = "Hello."; await ${line}; console.log(prompt.text);`;
    writeFileSync(join(folder, file), program);
    const { stdout, bodies } = await runOnWire(folder, file, version === undefined ? {} : { version });
    const [{ system, instructions, input } = {}] = bodies;
    const sent = system ?? instructions ?? (input as { content: string }[])[0]?.content;
    expect(typeof sent === "string" ? sent : (sent as { text: string }[])[0]?.text).toBe(stdout.trimEnd());
  });
