import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Tool, ToolContext } from "../../../src/agent/tool.ts";
import { baselineOf } from "../../../src/delivery/baseline.ts";
import type { Workbench, WorkbenchOptions } from "../../../src/host/index.ts";
import type { Line, Loopback, Told } from "../../agent/extensions/loopback-agent.ts";
import { readBody, systemIn, updatesIn } from "../../agent/on-wire.ts";
import { type CoderStage, newCoderStage } from "../../coder-stage.ts";
import {
  always,
  base,
  environmentIn,
  project,
  skill,
  skillsListing,
  type Tree,
  toolLines,
  usualGuidelines,
  usualToolLines,
  writeExtension,
} from "../../coder-tree.ts";

/** From a file, a tool or an extension to the bytes of the next request: what rebuilds a prompt, and every lever. */

const kind = "openai";
const fine: Line = { text: ["Done."] };
let stage: CoderStage;
let tree: Tree;
let loopback: Loopback;
let workbench: Workbench;
let agent: Told;

beforeEach(async () => {
  stage = await newCoderStage(kind);
  ({ tree, loopback } = stage);
});
afterEach(() => stage.close());

function open(options: Partial<WorkbenchOptions> = {}): void {
  ({ workbench, agent } = stage.open(options));
}

type Request = {
  /** The words before the conversation. */
  readonly system: string;
  readonly tools: readonly string[];
  readonly spoken: readonly { readonly role: string; readonly text?: string }[];
  readonly updates: readonly { readonly section: string; readonly words: string }[];
  /** What stands last: the state of this request. */
  readonly tail: string;
};

/** One turn, in a session of its own unless said otherwise; what its requests were. */
async function ask(input: string, { lines = [fine], session = "new" }: { lines?: Line[]; session?: string } = {}) {
  const from = loopback.bodies().length;
  loopback.play(...lines);
  const outcome = await agent.runTurn({ input, user: "mia", session });
  const requests = loopback.bodies(from).map((body): Request => {
    const { spoken, tools } = readBody(kind, body);
    const last = spoken.at(-1);
    return {
      system: systemIn(kind, body),
      tools: tools.map(({ name }) => name),
      spoken: spoken.map((one) => ("text" in one ? { role: one.role, text: one.text } : { role: one.role })),
      updates: updatesIn(kind, body),
      tail: last && "text" in last ? last.text : "",
    };
  });
  return { outcome, request: requests[0] as Request, requests };
}

const write = (name: string, ...lines: readonly string[]) => writeExtension(tree, name, ...lines);
const tool = (name: string, more = "") => `pi.registerTool({ name: "${name}", label: "x", description: "Does ${name}",
  parameters: { type: "object", properties: {} }, execute: async () => ({ content: [{ type: "text", text: "did ${name}" }] }), ${more} });`;

describe("what rebuilds the prompt", () => {
  test("the start: with the tools that are active at first", async () => {
    open();
    const { request } = await ask("Hello");
    expect(request).toEqual({
      system: base(),
      tools: ["read", "bash", "edit", "write"],
      spoken: [
        { role: "system", text: base() },
        { role: "user", text: "Hello" },
        { role: "system", text: environmentIn(tree) },
      ],
      updates: [],
      tail: environmentIn(tree),
    });
  });

  test("setActiveTools: snippets and guidelines change with the next prompt", async () => {
    write("fewer.js", 'pi.on("tool_call", () => pi.setActiveTools(["read", "ls"]));');
    open();
    const { requests } = await ask("Look around", {
      lines: [{ calls: [{ id: "call_1", name: "read", input: '{"path":"."}' }] }, fine],
    });
    expect(requests.map(({ tools }) => tools)).toEqual([
      ["read", "bash", "edit", "write"],
      ["read", "bash", "edit", "write"],
    ]);
    const { request } = await ask("And now");
    expect(request.tools).toEqual(["read", "ls"]);
    expect(request.system).toBe(base(`${toolLines.read}\n${toolLines.ls}`, always));
  });

  test("reload: SYSTEM.md, APPEND_SYSTEM.md, context files, skills and extensions are read anew", async () => {
    write("one.js", tool("one", 'promptSnippet: "First"'));
    open();
    expect((await ask("Hello")).request.system).toBe(base(`${usualToolLines}\n- one: First`));
    tree.remove("project/.charter/extensions/one.js");
    write("two.js", tool("two", 'promptSnippet: "Second", promptGuidelines: ["Two is enough"]'));
    tree.write("project/.charter/APPEND_SYSTEM.md", "Appended.");
    tree.write("project/AGENTS.md", "Context.");
    tree.write("project/.charter/skills/fly/SKILL.md", skill("fly", "Take off"));
    await workbench.reload();
    const { request } = await ask("Hello again");
    expect(request.tools).toEqual(["read", "bash", "edit", "write", "two"]);
    expect(request.system).toBe(
      [
        base(`${usualToolLines}\n- two: Second`, `${usualGuidelines}\n- Two is enough\n${always}`),
        "Appended.",
        project([`${tree.cwd}/AGENTS.md`, "Context."]),
        skillsListing(["fly", "Take off", `${tree.cwd}/.charter/skills/fly/SKILL.md`]),
      ].join("\n\n"),
    );
    tree.write("project/.charter/SYSTEM.md", "You are a poet.");
    await workbench.reload();
    expect((await ask("Who are you?")).request.system.startsWith("You are a poet.\n\nAppended.")).toBe(true);
  });

  test("an extension may ask for the reload itself: it is done before the next prompt", async () => {
    write("again.js", 'pi.on("before_agent_start", () => pi.reload());', tool("old"));
    open();
    expect((await ask("Hello")).request.tools.at(-1)).toBe("old");
    write("again.js", tool("new"));
    expect((await ask("Hello")).request.tools.at(-1)).toBe("new");
  });

  test("asked for by several at once, it is loaded once; closed while it loads, it is closed after", async () => {
    const loads = () => (globalThis as { charterLoads?: number }).charterLoads ?? 0;
    write(
      "count.js",
      "globalThis.charterLoads = (globalThis.charterLoads ?? 0) + 1;",
      'pi.on("before_agent_start", () => pi.reload());',
    );
    open();
    const before = loads();
    await ask("Hello");
    const first = loads();
    await Promise.all([workbench.declare(), workbench.declare(), workbench.declare()]);
    expect([first - before, loads() - first]).toEqual([1, 1]);
    open({ tools: ["nothing"] });
    await expect(workbench.declare()).rejects.toMatchObject({ code: "unknown-tool" });
    await expect(workbench.reload()).rejects.toMatchObject({ code: "unknown-tool" });
    await expect(workbench.declare()).rejects.toMatchObject({ code: "unknown-tool" });
  });

  test("resources_discover: skills an extension brings are listed", async () => {
    tree.write("elsewhere/dive/SKILL.md", skill("dive", "Go under"));
    write("more.js", `pi.on("resources_discover", () => ({ skillPaths: ["${tree.root}/elsewhere"] }));`);
    open();
    expect((await ask("Hello")).request.system).toBe(
      `${base()}\n\n${skillsListing(["dive", "Go under", `${tree.root}/elsewhere/dive/SKILL.md`])}`,
    );
  });

  test("a tool registered while it runs is there with the next prompt", async () => {
    write("late.js", `pi.on("before_agent_start", () => { ${tool("late", 'promptSnippet: "Better late"')} });`);
    open();
    expect((await ask("Hello")).request.system).toBe(base());
    const { request } = await ask("And now");
    expect(request.system).toBe(base(`${usualToolLines}\n- late: Better late`));
  });
});

describe("an edited file is in the next prompt, without a reload", () => {
  const files = {
    "project/.charter/SYSTEM.md": "base",
    "project/.charter/APPEND_SYSTEM.md": "append",
    "project/AGENTS.md": "Project Context",
  };
  test.each(Object.entries(files))("%s, in a session that goes on", async (file, section) => {
    tree.write(file, "The first words.");
    open();
    const { outcome, request } = await ask("Hello");
    expect(request.system).toContain("The first words.");
    tree.write(file, "Quite other words than before.");
    const again = await ask("And now?", { session: outcome.session });
    const told = [again.request.system, ...again.request.updates.map(({ words }) => words)].join("\n");
    expect(told).toContain("Quite other words than before.");
    expect(again.request.updates.map((one) => one.section)).toEqual(
      again.request.system.includes("Quite other") ? [] : [section],
    );
  });

  test("of a long file only the lines that changed are sent; the next session has them in its prefix", async () => {
    const lines = Array.from({ length: 60 }, (_, at) => `- Rule ${at + 1}: mind what stands in line ${at + 3}.`);
    const about = (all: readonly string[]) => `# How we work\n\n${all.join("\n")}\n`;
    tree.write("project/AGENTS.md", about(lines));
    tree.write("AGENTS.md", "Be kind.");
    open();
    const { outcome, request } = await ask("Hello");
    tree.write("project/AGENTS.md", about(lines.with(9, "- Rule 10: rest.").toSpliced(40, 1)));
    const { session } = outcome;
    const one = await ask("And now?", { session });
    tree.remove("AGENTS.md");
    const other = await ask("And now?", { session });
    const path = `"${tree.cwd}/AGENTS.md"`;
    const first = [
      `Of ${path}, line 14 ("- Rule 10: mind what stands in line 12.") now reads:`,
      "| - Rule 10: rest.",
      `Of ${path}, line 45 ("- Rule 41: mind what stands in line 43.") is gone.`,
    ].join("\n");
    const second = `"${tree.root}/AGENTS.md" is gone.`;
    expect(one.request.updates).toEqual([{ section: "Project Context", words: first }]);
    expect(other.request.updates).toEqual([
      { section: "Project Context", words: first },
      { section: "Project Context", words: second },
    ]);
    expect([one.request.system, other.request.system]).toEqual([request.system, request.system]);
    const { messages } = await loopback.store.sessions.get(session).then(({ baseline }) => ({
      messages: baselineOf(baseline)?.updates.filter((one) => one.section === "project") ?? [],
    }));
    expect(messages.map(({ words }) => words?.text.includes("- Rule 10: rest."))).toEqual([undefined, true]);
    const anew = await ask("Hello");
    expect(anew.request.updates).toEqual([]);
    expect(anew.request.system).toContain("- Rule 10: rest.\n- Rule 11:");
    expect(anew.request.system).not.toContain("Rule 41");
    expect(anew.request.system).not.toContain("Be kind.");
  });

  test("and so is a skill, added, changed and taken away", async () => {
    open();
    expect((await ask("Hello")).request.system).toBe(base());
    const location = `${tree.cwd}/.charter/skills/fly/SKILL.md`;
    tree.write("project/.charter/skills/fly/SKILL.md", skill("fly", "Take off"));
    expect((await ask("Hello")).request.system).toBe(`${base()}\n\n${skillsListing(["fly", "Take off", location])}`);
    tree.write("project/.charter/skills/fly/SKILL.md", skill("fly", "Take off, and land"));
    expect((await ask("Hello")).request.system).toBe(
      `${base()}\n\n${skillsListing(["fly", "Take off, and land", location])}`,
    );
    tree.remove("project/.charter/skills/fly");
    expect((await ask("Hello")).request.system).toBe(base());
  });
});

describe("what an extension does to one prompt", () => {
  test("before_agent_start adds to the system prompt for this turn only", async () => {
    write(
      "mood.js",
      "let asked = 0;",
      'pi.on("before_agent_start", ({ systemPrompt }) => asked++ === 0 ? { systemPrompt: systemPrompt + "\\n\\nBe merry." } : undefined);',
    );
    open();
    const first = await ask("Hello");
    expect(first.request.system).toBe(base());
    expect(first.request.spoken.slice(2)).toEqual([
      { role: "system", text: environmentIn(tree) },
      { role: "system", text: "Be merry." },
    ]);
    const second = await ask("Hello again");
    expect(second.request.system).toBe(base());
    expect(second.request.tail).toContain("Current working directory");
    expect(second.request.tail).not.toContain("Be merry.");
  });

  test("several extensions chain: each is given what the one before made of it", async () => {
    write("a.js", 'pi.on("before_agent_start", (event) => ({ systemPrompt: event.systemPrompt + "\\n\\nA." }));');
    write("b.js", 'pi.on("before_agent_start", (event) => ({ systemPrompt: event.systemPrompt + "\\n\\nB." }));');
    open();
    expect((await ask("Hello")).request.spoken.slice(2)).toEqual([
      { role: "system", text: environmentIn(tree) },
      { role: "system", text: "A.\n\nB." },
    ]);
  });

  test("it may put another prompt in its place, for this turn", async () => {
    write("all.js", 'pi.on("before_agent_start", () => ({ systemPrompt: "You are a teapot." }));');
    open();
    expect((await ask("Hello")).request.spoken).toEqual([
      { role: "system", text: "You are a teapot." },
      { role: "user", text: "Hello" },
    ]);
  });

  test("its message stands with the input", async () => {
    write(
      "note.js",
      'pi.on("before_agent_start", () => ({ message: { customType: "note", content: "It rains.", display: true } }));',
    );
    open();
    expect((await ask("Hello")).request.spoken[1]).toEqual({ role: "user", text: "Hello\n\nIt rains." });
  });

  test("context filters and adds messages, request by request, and keeps none of it", async () => {
    write(
      "context.js",
      'pi.on("context", ({ messages }) => ({ messages: [...messages, { role: "user", content: "Only now.", timestamp: 0 }] }));',
    );
    open();
    const first = await ask("Hello");
    expect(first.request.spoken.slice(1, 3)).toEqual([
      { role: "user", text: "Hello" },
      { role: "user", text: "Only now." },
    ]);
    expect(first.request.tail).toBe(environmentIn(tree));
    const second = await ask("Again", { session: first.outcome.session });
    expect(second.request.spoken.slice(1)).toEqual([
      { role: "user", text: "Hello" },
      { role: "system", text: environmentIn(tree) },
      { role: "assistant", text: "Done." },
      { role: "user", text: "Again" },
      { role: "user", text: "Only now." },
    ]);
  });

  test("sendMessage stands with the next input, once", async () => {
    write(
      "send.js",
      'pi.on("tool_result", () => pi.sendMessage({ customType: "note", content: "The build is red.", display: true }));',
    );
    open();
    const { outcome } = await ask("Build", {
      lines: [{ calls: [{ id: "call_1", name: "read", input: '{"path":"."}' }] }, fine],
    });
    const session = outcome.session;
    const next = await ask("And?", { session });
    expect(next.request.spoken.at(-1)).toEqual({ role: "user", text: "And?\n\nThe build is red." });
    const last = await ask("So?", { session });
    expect(last.request.spoken.at(-1)).toEqual({ role: "user", text: "So?" });
  });
});

test("a coding agent reads and writes in its directory, and nowhere else", async () => {
  tree.write("project/notes.txt", "one\n");
  tree.write("secret.txt", "not yours\n");
  open();
  const call = (id: string, name: string, input: object): Line => ({
    calls: [{ id, name, input: JSON.stringify(input) }],
  });
  const { outcome } = await ask("Work", {
    lines: [
      call("c1", "read", { path: "notes.txt" }),
      call("c2", "edit", { path: "notes.txt", oldText: "one", newText: "two" }),
      call("c3", "read", { path: "notes.txt" }),
      call("c4", "read", { path: "../secret.txt" }),
      fine,
    ],
  });
  expect(outcome.reply).toBe("Done.");
  const results = agent.events.flatMap((event) => (event.kind === "tool-result" ? [event.result] : []));
  expect(results.map(({ name, failed = false }) => [name, failed])).toEqual([
    ["read", false],
    ["edit", false],
    ["read", false],
    ["read", true],
  ]);
  expect(results[0]?.output).toBe("one\n");
  expect(results[2]?.output).toBe("two\n");
  expect(results[3]?.output).not.toContain("not yours");
});

test("what is trusted is out of reach of file tools, wherever the global directory is", async () => {
  open({ home: `${tree.cwd}/own` });
  tree.write("project/own/trust/record.json", "{}");
  const tools = await (await workbench.declare()).tools?.();
  const writing = tools?.find(({ name }) => name === "write") as unknown as Tool<{ path: string; content: string }>;
  const write = async () => writing.run({ path: "own/trust/record.json", content: "" }, {} as ToolContext);
  await expect(write()).rejects.toThrow("“own/trust/record.json” is protected.");
});

test("what the prompt tells the agent to read can be read, wherever it lies, and is not written", async () => {
  tree.write("home/skills/fly/SKILL.md", skill("fly", "Take off"));
  open();
  const path = `${tree.home}/skills/fly/SKILL.md`;
  await ask("Fly", {
    lines: [
      { calls: [{ id: "c1", name: "read", input: JSON.stringify({ path }) }] },
      { calls: [{ id: "c2", name: "write", input: JSON.stringify({ path, content: "" }) }] },
      fine,
    ],
  });
  const results = agent.events.flatMap((event) => (event.kind === "tool-result" ? [event.result] : []));
  expect(results.map(({ name, failed = false }) => [name, failed])).toEqual([
    ["read", false],
    ["write", true],
  ]);
  expect(results[0]?.output).toBe(skill("fly", "Take off"));
});

test("after a reload nothing is heard of the copy before", async () => {
  const place = Symbol.for("charter-test-copies");
  const copies: { on: (event: string, handler: () => void) => void }[] = [];
  Object.assign(globalThis, { [place]: copies });
  write("one.js", 'globalThis[Symbol.for("charter-test-copies")].push(pi);');
  open();
  await workbench.lines();
  await workbench.reload();
  expect([copies.length, workbench.faults()]).toEqual([2, []]);
  for (const copy of copies) copy.on("no_such_event", () => {});
  expect(workbench.faults().map(({ code }) => code)).toEqual(["beyond"]);
  Reflect.deleteProperty(globalThis, place);
});
