import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ModelResult } from "../../src/delivery/model.ts";
import { type AgentScript, type ScriptedAgent, scriptedAgent } from "./agent-script.ts";
import { isAlive } from "./is-alive.ts";
import { acpStage, talkTo } from "./talk.ts";

const echo: AgentScript = { turns: [[{ say: "{input}" }]] };

type Start = { readonly env: Readonly<Record<string, string>>; readonly cwd: string };
const starts = (agent: ScriptedAgent): Start[] =>
  agent.log().flatMap((line) => ("started" in line ? [line.started] : []));

test("a process never serves two users; each has a directory of its own, and nothing of ours", async () => {
  const { folder, agents } = acpStage("as processes");
  const agent = scriptedAgent(folder, echo, { env: { TOKEN: "given" } });
  const env = { PATH: process.env.PATH, OPENAI_API_KEY: "ours", CHARTER_CHAIN_KEY: "ours" };
  const model = agents({ one: agent.entry }, { env }).model("one");
  const places = [
    { user: "ann" },
    { user: "Ann" },
    { user: "operator" },
    { operator: true },
    { operator: true, user: "cy" },
    { user: "ann", agent: "bo" },
  ];
  const talks = places.map((place, index) => talkTo(model, { id: `s${index}`, ...place }));
  const results = await Promise.all(talks.map((talk, index) => talk.say(`word-${index}`)));
  results.push((await talks[0]?.say("once more")) as ModelResult);
  expect(results.map(({ fault }) => fault)).toEqual(results.map(() => undefined));
  const started = starts(agent);
  expect(started).toHaveLength(6);
  expect(new Set(started.map(({ cwd }) => cwd)).size).toBe(6);
  expect(started.map(({ env: given }) => given)).toEqual(
    started.map(() => ({ PATH: process.env.PATH, TOKEN: "given" })),
  );
  for (const { cwd } of started) expect(statSync(cwd).mode & 0o777).toBe(0o700);
  const byProcess = Map.groupBy(agent.log(), ({ pid }) => pid);
  for (const lines of byProcess.values()) {
    const words = new Set(JSON.stringify(lines).match(/word-\d/g));
    expect(words.size).toBe(1);
  }
});

test("the operator's own turns are taken in the directory that is configured", async () => {
  const { folder, agents } = acpStage("as processes");
  const cwd = join(folder, "project");
  mkdirSync(cwd);
  const agent = scriptedAgent(folder, echo, { cwd });
  const model = agents({ one: agent.entry }).model("one");
  await talkTo(model, { id: "s1", operator: true }).say("Hello");
  await talkTo(model, { id: "s2", user: "ann" }).say("Hello");
  await talkTo(model, { id: "s3", user: "ann", operator: true }).say("Hello");
  const [own, users, asAnn, ...others] = starts(agent).map((start) => start.cwd);
  expect([own, asAnn, others]).toEqual([realpathSync(cwd), realpathSync(cwd), []]);
  expect(users).toContain("/home/one-");
});

test("nothing is started before it is asked, and nothing is left when all are closed", async () => {
  const { folder, agents } = acpStage("as processes");
  const agent = scriptedAgent(folder, echo);
  const all = agents({ one: agent.entry });
  const model = all.model("one");
  expect(existsSync(join(folder, "home"))).toBe(false);
  await talkTo(model).say("Hello");
  expect(agent.pids().filter(isAlive)).toHaveLength(1);
  await all.close();
  expect(agent.pids().filter(isAlive)).toEqual([]);
  expect(await talkTo(model).reply("Hello")).toBe("model-aborted");
});
