import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ScriptedAgent, type Step, scriptedAgent } from "../acp/agent-script.ts";
import { isAlive } from "../acp/is-alive.ts";
import { eventually } from "../eventually.ts";
import { type Ask, newService, type ServiceStage } from "../service/stage.ts";

/** Agents over ACP behind the public doors: a real server, a bot on the strict fake, schedules, real processes. */

const advertises = { agentCapabilities: { sessionCapabilities: { systemPrompt: {} } } };
const make = { title: "make", kind: "execute", rawInput: { command: "make" } };
const wantsToMake: Step[] = [
  { permission: { toolCallId: "t1", ...make }, allowed: [{ say: "Made." }], denied: [{ say: "I may not." }] },
];

describe("an agent over ACP as a service", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "acp-service-")));
  const acpHome = join(folder, "home");
  const read = join(folder, "read");
  const served = { served: true, env: { LANG: "C" } } as const;
  const agents = {
    talk: scriptedAgent(
      folder,
      {
        initialize: advertises,
        turns: [[{ say: "Good " }, { until: read }, { say: "day." }], [{ say: "Still here." }]],
      },
      served,
    ),
    maker: scriptedAgent(folder, { initialize: advertises, turns: [wantsToMake] }, { ...served, permissions: "hold" }),
    strict: scriptedAgent(folder, { initialize: advertises, turns: [wantsToMake] }, served),
    private: scriptedAgent(folder, { turns: [wantsToMake] }),
    slow: scriptedAgent(folder, { turns: [[{ say: "Half " }, { child: true }, { hang: true }]], deaf: true }, served),
    echo: scriptedAgent(folder, { initialize: advertises, turns: [[{ say: "You said: {input}" }]] }, served),
  } satisfies Record<string, ScriptedAgent>;
  const acp = Object.fromEntries(Object.entries(agents).map(([name, { entry }]) => [name, entry]));

  let stage: ServiceStage;
  let operator: Ask;
  let bo: Ask;
  let cy: Ask;
  const chat = 77;
  beforeAll(async () => {
    process.env.SECRET_OF_OURS = "s3cret-of-ours";
    stage = await newService("sqlite", { acp }, { acpHome });
    operator = await stage.as({ kind: "operator" });
    bo = await stage.as({ kind: "user", user: "bo" });
    cy = await stage.as({ kind: "user", user: "cy" });
    await stage.link("bo", chat);
  });
  afterAll(async () => {
    delete process.env.SECRET_OF_OURS;
    await stage.close();
    const left = Object.values(agents).flatMap(({ pids }) => pids().filter(isAlive));
    rmSync(folder, { recursive: true, force: true });
    expect(left).toEqual([]);
  });

  const use = async (name: keyof typeof agents) => {
    const { status, body } = await operator("PATCH /agents/ada", { model: `acp/${name}` });
    expect([status, body.model]).toEqual([200, `acp/${name}`]);
    return agents[name];
  };
  const say = async (ask: Ask, input: string, more: object = {}) => {
    const { status, body } = await ask("POST /agents/ada/turns", { input, ...more });
    expect([status, body.state]).toEqual([200, "answered"]);
    return body;
  };
  const identityOf = async (turn: string) =>
    (await operator(`GET /turns/${turn}?parts=receipts`)).body.receipts[0].identity;
  const waiting = async (ask: Ask) => (await ask("GET /approvals")).body.calls;
  const wire = (agent: ScriptedAgent) => agent.prompts().map((blocks) => blocks.join(""));
  const identities = (agent: ScriptedAgent) =>
    agent.received("session/new").map(({ systemPrompt }) => JSON.stringify(systemPrompt ?? null));

  /** What a browser reads as it comes. */
  const stream = async (user: string, input: string) => {
    const { secret } = await stage.store.tokens.create({ name: "browser", kind: "user", user });
    const response = await fetch(`${stage.opened.url}/api/agents/ada/turns`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/json",
        accept: "text/event-stream",
      },
      body: JSON.stringify({ input }),
    });
    const deltas: string[] = [];
    for await (const chunk of response.body as AsyncIterable<Uint8Array>)
      for (const [, delta] of Buffer.from(chunk)
        .toString("utf8")
        .matchAll(/"text-delta".*"delta":"([^"]*)"/g)) {
        deltas.push(delta as string);
        // The agent goes on when its first words have been read.
        writeFileSync(read, "");
      }
    return deltas;
  };
  const ended = async () => (await stage.store.runs.list({ agent: "ada" })).filter(({ endedAt }) => endedAt !== null);
  /** The clock goes on by a minute, and a turn comes that was scheduled for then. */
  const runOf = async (input: string, more: object = {}) => {
    const at = new Date(stage.time.now.getTime() + 60_000);
    const before = (await ended()).length;
    const asked = { title: input, input, at: at.toISOString(), ...more };
    expect((await operator("POST /agents/ada/schedules", asked)).status).toBe(201);
    stage.time.now = at;
    await eventually(async () => (await ended()).length > before);
    const [{ turn, state } = { turn: null, state: null }] = await ended();
    const { reply } = (await operator(`GET /turns/${turn}`)).body;
    return { state, reply, identity: await identityOf(turn as string) };
  };

  test("a conversation on the web: drafts are streamed, the identity is sent once, then only what is new", async () => {
    const agent = await use("talk");
    expect(await stream("bo", "Hello there.")).toEqual(["Good ", "day."]);
    const second = await say(bo, "And now?");
    expect(second.reply).toBe("Still here.");
    const [first] = (await operator("GET /agents/ada/turns")).body.turns.slice(-1);
    expect([await identityOf(first.id), await identityOf(second.turn)]).toEqual([
      { slot: "system-prompt", sent: true, says: expect.stringContaining("with this request") },
      { slot: "system-prompt", sent: false, says: expect.any(String) },
    ]);
    expect(identities(agent)).toEqual([expect.stringContaining("Be kind, and brief.")]);
    const [one = "", two = ""] = wire(agent);
    expect([one, two].map((words) => words.includes("Be kind, and brief."))).toEqual([false, false]);
    expect(one).toContain("Hello there.");
    expect(two).toContain("And now?");
    expect(two).not.toMatch(/Hello there|Good day/);
  });

  test("a permission that is held is approved over the API, told in the next turn, and allowed once", async () => {
    const agent = await use("maker");
    expect((await say(bo, "Make it.", { session: "new" })).reply).toBe("I may not.");
    const [held] = await waiting(bo);
    expect(held).toMatchObject({
      tool: "acp:execute",
      input: { kind: "execute", title: "make", input: { command: "make" } },
      asks: "asks to run: make",
      status: "waiting",
    });
    expect(await waiting(cy)).toEqual([]);
    expect((await cy(`POST /approvals/${held.id}/approve`)).status).toBe(404);
    expect((await bo(`POST /approvals/${held.id}/approve`)).status).toBe(200);
    expect((await say(bo, "Go on.")).reply).toBe("Made.");
    expect(wire(agent)[1]).toContain(
      "[Permissions you asked for earlier, given since: ask for the same again, and it is allowed once]",
    );
    expect((await say(bo, "Once more.")).reply).toBe("I may not.");
    expect((await waiting(bo)).map(({ id }: { id: string }) => id)).not.toContain(held.id);
    const [again] = await waiting(bo);
    await bo(`POST /approvals/${again.id}/reject`);
    const chosen = agent.log().flatMap((line) => ("answered" in line ? [line.answered.result] : []));
    expect(chosen).toEqual(["no", "yes", "no"].map((optionId) => ({ outcome: { outcome: "selected", optionId } })));
  });

  test("on Telegram the user is asked with two buttons, and yes is for once", async () => {
    await use("maker");
    const sent = () => stage.telegram.sentTo(chat);
    const before = sent().length;
    stage.telegram.says(chat, "Make it.");
    await stage.telegram.until(() => sent().length === before + 2);
    const [reply, asked] = sent().slice(before);
    expect([reply?.text, asked?.buttons.map(({ text }) => text)]).toEqual(["I may not.", ["Approve", "Reject"]]);
    expect(asked?.text).toContain("The agent wants to run: make.");
    stage.telegram.presses(chat, "Approve");
    await stage.telegram.until(() => sent().length === before + 3);
    expect(sent().at(-1)?.text).toBe("Made.");
    stage.telegram.says(chat, "Make it again.");
    await stage.telegram.until(() => sent().length === before + 5);
    expect(sent().at(-2)?.text).toBe("I may not.");
    stage.telegram.presses(chat, "Reject");
    await stage.telegram.until(() => sent().at(-1)?.buttons.length === 0);
  });

  test("unless its entry says hold, what it asks for in a user's turn is denied, and nobody is asked", async () => {
    await use("strict");
    expect((await say(bo, "Make it.", { session: "new" })).reply).toBe("I may not.");
    expect(await waiting(operator)).toEqual([]);
  });

  test("one that is not served is refused with the reason, on the web and on Telegram; nothing is started", async () => {
    const agent = await use("private");
    const { status, body } = await bo("POST /agents/ada/turns", { input: "Hello." });
    expect([status, body.error.code, body.error.message]).toEqual([
      422,
      "not-served",
      "“ada” does not run on a server: the tools of “acp/private” run with the server's rights.",
    ]);
    expect(await stage.tell(chat, "Hello.")).toBe(
      "I do not work in chats: whoever runs me uses me on their own machine only. Ask them if I should be here.",
    );
    expect(stage.log).toContainEqual(expect.objectContaining({ reason: "not-served" }));
    expect(agent.log()).toEqual([]);
  });

  test("a schedule of the operator's own works with it: the identity goes first, what it asks for is held", async () => {
    const agent = await use("private");
    const carried = { slot: "first-message", sent: true, says: expect.any(String) };
    const run = () => runOf("Make your round.");
    expect(await run()).toEqual({ state: "answered", reply: "I may not.", identity: carried });
    const [held] = await waiting(operator);
    expect(held).toMatchObject({ tool: "acp:execute", scope: { agent: "ada" }, status: "waiting" });
    expect(await waiting(bo)).toEqual([]);
    await operator(`POST /approvals/${held.id}/approve`);
    expect(await run()).toEqual({ state: "answered", reply: "Made.", identity: carried });
    expect(await run()).toEqual({ state: "answered", reply: "I may not.", identity: carried });
    for (const words of wire(agent))
      expect(words).toMatch(/^\[System\]\n[\s\S]*Be kind, and brief\.[\s\S]*Make your round\./);
  });

  test("a user's schedule works with one that is served: each run has the identity, and reaches their chat", async () => {
    const agent = await use("talk");
    const before = identities(agent).length;
    const sent = stage.telegram.textsTo(chat).length;
    for (const count of [1, 2]) {
      const { identity } = await runOf("Look around.", { user: "bo" });
      expect(identity).toMatchObject({ slot: "system-prompt", sent: true });
      await stage.telegram.until(() => stage.telegram.textsTo(chat).length === sent + count);
      expect(stage.telegram.textsTo(chat).at(-1)).toBe("Still here.");
    }
    expect(identities(agent).slice(before)).toEqual(Array(2).fill(expect.stringContaining("Be kind, and brief.")));
  });

  test("two users' words never meet, and nothing of ours is in its environment or directory", async () => {
    const agent = await use("echo");
    const said = { bo: "Bo keeps bees.", cy: "Cy keeps cats." };
    await say(bo, said.bo, { session: "new" });
    await say(cy, said.cy, { session: "new" });
    await say(bo, "And I?");
    const started = agent.log().flatMap((line) => ("started" in line ? [line] : []));
    expect(started.map(({ started: { env } }) => env)).toEqual([{ LANG: "C" }, { LANG: "C" }]);
    expect(new Set(started.map(({ started: { cwd } }) => cwd)).size).toBe(2);
    const [ofBo, ofCy] = started.map(({ pid }) => JSON.stringify(agent.log().filter((line) => line.pid === pid)));
    expect([ofBo?.includes(said.cy), ofCy?.includes(said.bo)]).toEqual([false, false]);
    expect(JSON.stringify(agent.log())).not.toContain("s3cret-of-ours");
    for (const { started: own } of started) {
      expect(own.cwd.startsWith(join(acpHome, "echo-"))).toBe(true);
      expect(readdirSync(own.cwd)).toEqual([]);
    }
  });

  test("who is erased has no process, no directory and no session any more; others go on", async () => {
    const agent = agents.echo;
    const started = agent.log().flatMap((line) => ("started" in line ? [{ ...line.started, pid: line.pid }] : []));
    const [ofBo, ofCy] = started.map(({ cwd, pid }) => ({ cwd, isThere: () => [isAlive(pid), existsSync(cwd)] }));
    const { status, body } = await operator("DELETE /users/bo");
    expect([status, body.erased, body.directories]).toEqual([200, true, expect.arrayContaining([ofBo?.cwd])]);
    expect([ofBo?.isThere(), ofCy?.isThere()]).toEqual([
      [false, false],
      [true, true],
    ]);
    bo = await stage.as({ kind: "user", user: "bo" });
    const { reply } = await say(bo, "Who am I?");
    expect(reply).not.toContain("bees");
    expect(wire(agent).at(-1)).not.toContain("bees");
    expect(identities(agent)).toHaveLength(3);
    expect((await say(cy, "And I?")).reply).not.toContain("What was said before");
    expect(agent.pids().filter(isAlive)).toHaveLength(2);
  });

  test("who is erased in the midst of a turn: it ends, with the process and all it has started", async () => {
    const agent = await use("slow");
    const running = bo("POST /agents/ada/turns", { input: "Bo likes honey.", session: "new" });
    await eventually(() => agent.log().some((line) => "child" in line));
    const { body } = await operator("DELETE /users/bo");
    const [cwd] = agent.log().flatMap((line) => ("started" in line ? [line.started.cwd] : []));
    expect([body.directories.includes(cwd), existsSync(cwd as string)]).toEqual([true, false]);
    expect((await running).status).not.toBe(200);
    expect([agent.prompts().length, agent.pids().filter(isAlive)]).toEqual([1, []]);
    expect(JSON.stringify(await stage.store.turns.list({ agent: "ada", limit: 100 }))).not.toContain("honey");
  });

  test("a directory that another process removed ends the process that worked in it", async () => {
    const agent = await use("echo");
    const [, ofCy] = agent.log().flatMap((line) => ("started" in line ? [line] : []));
    rmSync(ofCy?.started.cwd as string, { recursive: true });
    await say(cy, "Still there?");
    expect(isAlive(ofCy?.pid as number)).toBe(false);
    expect(existsSync(ofCy?.started.cwd as string)).toBe(true);
  });
});
