import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AcpEntry } from "../../src/delivery/acp/entry.ts";
import type { Host } from "../../src/host/host.ts";
import { type HostStage, newHost } from "../host/stage.ts";
import { type AgentScript, type ScriptedAgent, scriptedAgent } from "./agent-script.ts";

let folder: string;
let stage: HostStage;
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "acp-host-")));
  stage = await newHost();
  await stage.store.agents.put({ ...(await stage.store.agents.get("ada")), model: "acp/one" });
});
afterEach(() => stage.close());

const initialize = { agentCapabilities: { sessionCapabilities: { systemPrompt: {} } } };

async function hostWith(script: AgentScript, entry: Partial<AcpEntry> = {}): Promise<[Host, ScriptedAgent]> {
  const agent = scriptedAgent(folder, { initialize, ...script }, entry);
  const env = { PATH: process.env.PATH, SECRET_OF_OURS: "s3cret-of-ours" };
  return [await stage.another({ acp: { one: agent.entry }, acpHome: join(folder, "home"), env }), agent];
}

const refusal = async (work: Promise<unknown>) => {
  const error = (await work.then(
    () => new Error("nothing was refused"),
    (thrown: unknown) => thrown,
  )) as Error & { code?: string; hint?: string };
  return `${error.code}: ${error.message} ${error.hint}`;
};

test("one that is not served takes turns of the operator's schedules, and no others", async () => {
  const [host, agent] = await hostWith({ turns: [[{ say: "Here." }]] });
  for (const asked of [
    { user: "bo", channel: "web" },
    { channel: "web" },
    { user: "bo", channel: "terminal" },
    { user: "bo", channel: "scheduled" },
    { user: "bo", channel: "editor" },
    { user: "bo", operator: true },
    { channel: "scheduled" },
    {},
  ])
    expect(await refusal(host.runTurn({ agent: "ada", input: "Hi.", user: null, ...asked }))).toBe(
      "not-served: “ada” does not run on a server: the tools of “acp/one” run with the server's rights. " +
        "Run charter chat --agent ada; or set served: true for acp.one in charter.config.ts, if its users may use them.",
    );
  expect(agent.log()).toEqual([]);
  expect((await host.traits(await stage.store.agents.get("ada"))).served).toBe(false);
  const { reply } = await host.runTurn({ agent: "ada", input: "Hi.", user: null, operator: true });
  expect(reply).toBe("Here.");
});

test("instructions that our tool changes are in force in the next turn, told as a change", async () => {
  const [host, agent] = await hostWith(
    {
      turns: [
        [{ call: "update_instructions", input: { instructions: "Answer in French." } }, { say: "I will." }],
        [{ say: "Oui." }],
      ],
    },
    { served: true },
  );
  const said = { agent: "ada", user: "bo", channel: "web" };
  const first = await host.runTurn({ ...said, input: "Answer in French from now on." });
  expect([first.state, first.reply]).toEqual(["answered", "I will."]);
  expect(await host.runTurn({ ...said, input: "Shall we?" })).toMatchObject({ reply: "Oui.", tainted: false });
  const [before, after] = agent.prompts().map((blocks) => blocks.join(""));
  expect(before).not.toContain("now reads");
  expect(after).toMatch(
    /^\[system [0-9a-f]{8}\] Your prompt has changed in “User Instructions”:\nLine 2 \("\(No custom instructions set\.\)"\) now reads:\n\| Answer in French\.\n/,
  );
  const [opened] = agent.received("session/new");
  expect(opened?.systemPrompt).toMatchObject({ mode: "append", content: [{ type: "text" }] });
  const steps = await stage.store.steps.of(first.turn);
  expect(steps[0]?.result).toMatchObject({ answer: { calls: [{ name: "update_instructions" }] } });
});

test("without our tools the prompt names none of them", async () => {
  const [host, agent] = await hostWith({ turns: [[{ say: "Hi." }]] }, { served: true, tools: false });
  await host.runTurn({ agent: "ada", input: "Hi.", user: "bo" });
  const [opened] = agent.received("session/new");
  expect(opened?.mcpServers).toEqual([]);
  const { prompt } = await host.preview({ agent: "ada", user: "bo" });
  for (const words of [JSON.stringify(opened?.systemPrompt), prompt.text])
    expect(words).not.toMatch(/update_instructions|save_memory|## Tools/);
});

test("an agent that nobody described is named, and how to; a directory with ours in it is refused", async () => {
  const host = await stage.another({ env: {} });
  expect(await refusal(host.runTurn({ agent: "ada", input: "Hi.", user: null, operator: true }))).toBe(
    "unknown-model: There is no agent “one” for the model “acp/one”. " +
      'Describe it in charter.config.ts: acp: { one: { command: ["claude-agent-acp"] } }.',
  );
  const [other] = await hostWith({}, { cwd: dirname(stage.store.home.place) });
  const scheduled = other.runTurn({ agent: "ada", input: "Hi.", user: null, operator: true });
  expect(await refusal(scheduled)).toMatch(/^acp-directory: /);
});
