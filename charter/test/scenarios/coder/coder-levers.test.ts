import { afterEach, beforeEach, expect, test } from "vitest";
import type { Workbench } from "../../../src/host/index.ts";
import type { Line, Told } from "../../agent/extensions/loopback-agent.ts";
import { readBody, systemIn } from "../../agent/on-wire.ts";
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

/** How the levers on a coding agent's prompt go together: who stays, who goes, who speaks last. */

const kind = "openai";
let stage: CoderStage;
let tree: Tree;
let workbench: Workbench;
let agent: Told;

beforeEach(async () => {
  stage = await newCoderStage(kind);
  tree = stage.tree;
  ({ workbench, agent } = stage.open());
});
afterEach(() => stage.close());

/** One turn in a session of its own; what a model read of its last request. */
async function ask(input: string, lines: Line[] = [{ text: ["Done."] }], session = "new") {
  stage.loopback.play(...lines);
  const outcome = await agent.runTurn({ input, user: "mia", session });
  const body = stage.loopback.bodies().at(-1) as never;
  return { outcome, system: systemIn(kind, body), ...readBody(kind, body) };
}

const write = (name: string, ...lines: readonly string[]) => writeExtension(tree, name, ...lines);
const deploy = `pi.registerTool({ name: "deploy", label: "x", description: "Ships the app to a stage",
  promptSnippet: "Ship the app", promptGuidelines: ["Ask before you ship"],
  parameters: { type: "object", properties: { stage: { type: "string", enum: ["test", "live"] } }, required: ["stage"] },
  execute: async (_id, { stage }) => ({ content: [{ type: "text", text: "shipped to " + stage }] }) });`;

test("a tool's line, its guideline and its definition come and go with the tool, in the very turn it is asked for", async () => {
  write(
    "deploy.js",
    deploy,
    'pi.on("input", ({ text }) => { pi.setActiveTools(text === "Ship" ? ["read", "deploy"] : ["read", "ls"]); });',
  );
  const without = base(`${toolLines.read}\n${toolLines.ls}`, always);
  const first = await ask("Look");
  expect([first.system, first.tools.map(({ name }) => name)]).toEqual([without, ["read", "ls"]]);
  const second = await ask("Ship");
  expect(second.system).toBe(base(`${toolLines.read}\n- deploy: Ship the app`, `- Ask before you ship\n${always}`));
  expect(second.tools.map(({ name }) => name)).toEqual(["read", "deploy"]);
  const third = await ask("Look");
  expect([third.system, third.tools]).toEqual([without, first.tools]);
});

test("before_agent_start speaks after a SYSTEM.md too, which stays until its file changes", async () => {
  tree.write("project/.charter/SYSTEM.md", "You are a poet.");
  write(
    "mood.js",
    'pi.on("before_agent_start", (event) => ({ systemPrompt: event.systemPrompt + "\\n\\nBe merry." }));',
  );
  for (const input of ["One", "Two"]) {
    const { system, spoken } = await ask(input);
    expect([system, ...spoken.slice(-2)]).toEqual([
      "You are a poet.",
      { role: "system", text: environmentIn(tree) },
      { role: "system", text: "Be merry.", breakpoint: true },
    ]);
  }
  tree.remove("project/.charter/SYSTEM.md");
  expect((await ask("Three")).system).toBe(base());
});

test("before_agent_start is given the whole prompt, as it would be sent", async () => {
  tree.write("project/.charter/APPEND_SYSTEM.md", "Prefer small commits.");
  tree.write("project/AGENTS.md", "Run the tests.");
  tree.write("project/.charter/skills/fly/SKILL.md", skill("fly", "Take off"));
  write(
    "echo.js",
    deploy,
    'pi.on("before_agent_start", ({ systemPrompt }) => { pi.sendMessage({ customType: "echo", content: systemPrompt }); });',
  );
  await ask("One");
  const { spoken } = await ask("Two");
  const whole = [
    base(`${usualToolLines}\n- deploy: Ship the app`, `${usualGuidelines}\n- Ask before you ship\n${always}`),
    "Prefer small commits.",
    project([`${tree.cwd}/AGENTS.md`, "Run the tests."]),
    skillsListing(["fly", "Take off", `${tree.cwd}/.charter/skills/fly/SKILL.md`]),
    environmentIn(tree),
  ].join("\n\n");
  expect(spoken.find(({ role }) => role === "user")).toMatchObject({ text: `Two\n\n${whole}` });
});

test("resources_discover is asked at the start and at each reload, and told which", async () => {
  tree.write("startup/dive/SKILL.md", skill("dive", "Go under"));
  tree.write("reload/climb/SKILL.md", skill("climb", "Go up"));
  write("more.js", `pi.on("resources_discover", ({ reason }) => ({ skillPaths: ["${tree.root}/" + reason] }));`);
  expect((await ask("Hello")).system).toBe(
    `${base()}\n\n${skillsListing(["dive", "Go under", `${tree.root}/startup/dive/SKILL.md`])}`,
  );
  await workbench.reload();
  expect((await ask("Hello")).system).toBe(
    `${base()}\n\n${skillsListing(["climb", "Go up", `${tree.root}/reload/climb/SKILL.md`])}`,
  );
});

test("all a model reads in a turn: the system prompt, the messages, and the definitions of the active tools", async () => {
  write(
    "all.js",
    deploy,
    'pi.on("input", () => { pi.setActiveTools(["deploy"]); });',
    'pi.sendMessage({ customType: "greeting", content: "It is a quiet day.", display: true });',
    'pi.on("before_agent_start", () => ({ message: { customType: "note", content: "The build is green.", display: true } }));',
    'pi.on("context", ({ messages }) => ({ messages: messages.filter(({ customType }) => customType !== "note") }));',
  );
  const calls = [{ id: "call_1", name: "deploy", input: '{"stage":"test"}' }];
  const { system, spoken, tools } = await ask("Ship it", [{ calls }, { text: ["Done."] }]);
  const text = base("- deploy: Ship the app", `- Ask before you ship\n${always}`);
  expect(system).toBe(text);
  expect(spoken).toEqual([
    { role: "system", text, breakpoint: true },
    { role: "user", text: "Ship it" },
    { role: "user", text: "It is a quiet day." },
    { role: "system", text: environmentIn(tree) },
    { role: "call", id: "call_1", name: "deploy", input: { stage: "test" } },
    { role: "result", id: "call_1", output: "shipped to test", breakpoint: true },
  ]);
  expect(tools).toEqual([
    {
      name: "deploy",
      description: "Ships the app to a stage",
      input: {
        type: "object",
        properties: { stage: { type: "string", enum: ["test", "live"] } },
        required: ["stage"],
      },
    },
  ]);
});
