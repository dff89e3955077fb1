import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/agent/index.ts";
import { calls, hangs, scripted, systemOf } from "../agent/model.ts";
import { meeting } from "../agent/stage.ts";
import { type HostStage, newHost, soul } from "./stage.ts";

describe("a house", () => {
  let stage: HostStage;
  beforeAll(async () => {
    stage = await newHost();
  });
  afterAll(() => stage.close());

  test("takes a turn with the assistant's prompt for its channel, and the user's own time", async () => {
    const { host, model, store } = stage;
    await store.users.put({ id: "bo", zone: "Asia/Kolkata" });
    const outcome = await host.runTurn({ agent: "ada", user: "bo", channel: "web", input: "Hello." });
    expect(outcome).toMatchObject({ state: "answered", reply: "Fine." });
    const sent = model.requests.at(-1);
    const all = JSON.stringify(sent);
    expect(systemOf(sent as never)).toContain(soul);
    expect(all).toContain("You are responding via web.");
    expect(all).toContain("Wednesday, February 18, 2026 at 08:34 PM (Asia/Kolkata)");
  });

  test("an operator's change of the soul in one house is in the next turn of another", async () => {
    const other = await stage.another();
    const context = await other.amendmentContext({ agent: "ada" });
    const operation = { kind: "rewrite", content: "Be stern." } as const;
    expect(await other.store.propose(context, { section: "soul", operation, actor: "operator" })).toMatchObject({
      verdict: "accepted",
    });
    await stage.host.runTurn({ agent: "ada", user: "bo", channel: "web", input: "Again." });
    const all = systemOf(stage.model.requests.at(-1) as never);
    expect(all).toContain("Be stern.");
    expect(all).not.toContain(soul);
  });

  test("a changed setting is in the next turn, and the model of an agent may change", async () => {
    const { host, store, model } = stage;
    await store.agents.put({
      name: "ada",
      charter: "assistant",
      settings: { original: { identity: { name: "Eda" } } },
    });
    await host.runTurn({ agent: "ada", user: "cy", channel: "web", input: "Who are you?" });
    expect(systemOf(model.requests.at(-1) as never)).toContain("You are Eda");
  });

  test("interleaved turns have each their own channel and minute", async () => {
    const { host, model, time } = stage;
    const places = [
      ["web", "2026-02-18T15:10:00Z", "03:10 PM"],
      ["telegram", "2026-02-18T15:11:00Z", "03:11 PM"],
      ["scheduled", "2026-02-18T15:12:00Z", "03:12 PM"],
      ["web", "2026-02-18T15:13:00Z", "03:13 PM"],
    ] as const;
    for (const [channel, now, minute] of places) {
      time.now = new Date(now);
      await host.runTurn({ agent: "ada", user: "di", channel, input: "Now?", session: "none" });
      const sent = JSON.stringify(model.requests.at(-1));
      expect(sent).toContain(`You are responding via ${channel}.`);
      expect(sent).toContain(`at ${minute} (UTC)`);
    }
  });

  test("lends a scheduled run the means to say that there is nothing to report, and no other channel", async () => {
    const names = async (channel: string) =>
      (await stage.host.tools({ agent: "ada", channel })).map(({ name }) => name);
    expect(await names("web")).toEqual([
      "update_instructions",
      "read_memory",
      "save_memory",
      "update_memory",
      "forget_memory",
      "set_reminder",
      "list_reminders",
      "cancel_reminder",
      "set_time_zone",
    ]);
    expect(await names("scheduled")).toContain("nothing_to_report");
    expect(await names("telegram")).not.toContain("nothing_to_report");
  });

  test("shows the prompt that the next turn would have, at any time, in either edition", async () => {
    const { prompt, model, tokenizer } = await stage.host.preview({
      agent: "ada",
      user: "bo",
      channel: "telegram",
      at: "2026-12-24T17:00:00Z",
    });
    expect(prompt.text).toContain("You are responding via telegram.");
    expect(prompt.text).toContain("Thursday, December 24, 2026 at 10:30 PM (Asia/Kolkata)");
    expect(prompt.text).toContain(
      "Available tools: update_instructions, read_memory, save_memory, update_memory, forget_memory, set_reminder",
    );
    expect(model).toBe("stand-in/scripted");
    expect(prompt.tokens(tokenizer).total).toBeGreaterThan(100);
    await expect(stage.host.preview({ agent: "ada", channel: "pigeon" })).rejects.toMatchObject({
      code: "unknown-channel",
    });
    await expect(stage.host.preview({ agent: "eve" })).rejects.toMatchObject({ code: "unknown-agent" });
  });

  test("quotes a change before it is made", async () => {
    const operation = { kind: "rewrite", content: "Be brief." } as const;
    const proposal = { section: "instructions", operation, actor: "user" } as const;
    const { verdict, quote } = await stage.host.quote({ agent: "ada", user: "bo" }, proposal);
    expect(verdict).toMatchObject({ verdict: "accepted", after: "Be brief." });
    expect(quote?.says).toContain("tokens");
    expect(await stage.store.history.sections({ agent: "ada", user: "bo" })).toEqual([]);
  });

  test("runs one of an agent's tools for a program, as a turn of its own", async () => {
    const asked = { tool: "update_instructions", input: { instructions: "Answer in verse." } };
    const came = await stage.host.callTool({ agent: "ada", user: "fay" }, asked);
    expect(came.failed).toBe(false);
    expect(await stage.store.turns.get(came.turn)).toMatchObject({
      scope: { agent: "ada", user: "fay" },
      state: "answered",
      input: 'update_instructions {"instructions":"Answer in verse."}',
    });
    await stage.host.runTurn({ agent: "ada", user: "fay", channel: "web", input: "Hi." });
    expect(JSON.stringify(stage.model.requests.at(-1))).toContain("Answer in verse.");
    const unknown = await stage.host.callTool({ agent: "ada", user: "mia" }, { tool: "fly", input: {} });
    expect(unknown).toMatchObject({ failed: true, output: expect.stringContaining("There is no tool “fly”") });
  });
});

describe("a house", () => {
  test("waits for the turns that run before it closes, and takes no more", async () => {
    const { host, model, close } = await newHost();
    const [began, go] = [meeting(), meeting()];
    model.say(async () => {
      began.meet();
      await go.met;
      return "At last.";
    });
    const turn = host.runTurn({ agent: "ada", user: "bo", channel: "web", input: "Slowly." });
    await began.met;
    expect(host.runningTurns()).toBe(1);
    const closed = host.close(60_000);
    await expect(host.runTurn({ agent: "ada", input: "One more.", user: "mia" })).rejects.toMatchObject({
      code: "closing",
    });
    go.meet();
    expect(await turn).toMatchObject({ state: "answered", reply: "At last." });
    await closed;
    expect(host.runningTurns()).toBe(0);
    await close();
  });

  test("stops what is not over in time, and records it as failed", async () => {
    const { host, model, close, store } = await newHost();
    const began = meeting();
    model.say(hangs(began.meet));
    const turn = host.runTurn({ agent: "ada", user: "bo", channel: "web", input: "For ever." });
    await began.met;
    await host.close(0);
    const outcome = await turn;
    expect(outcome.state).toBe("failed");
    expect((await store.turns.get(outcome.turn)).state).toBe("failed");
    await close();
  });

  test("lets someone decide only what is in their own scope", async () => {
    const send = defineTool({
      name: "send",
      input: z.object({ to: z.string() }),
      summary: "Sends",
      trusted: true,
      run: () => "Sent.",
    });
    const read = defineTool({
      name: "read_web",
      input: z.object({}),
      summary: "Reads",
      harmless: true,
      run: () => "Buy now!",
    });
    const { host, model, close } = await newHost("sqlite", { tools: [send, read] });
    model.say(calls(["read_web"]), calls(["send", { to: "cy" }]), "It waits.");
    await host.runTurn({ agent: "ada", user: "bo", channel: "web", input: "Read and send." });
    const [held] = await host.store.calls.list({ agent: "ada", user: "bo" });
    const id = held?.id as string;
    await expect(host.approve(id, "cy", { agent: "ada", user: "cy" })).rejects.toMatchObject({
      code: "unknown-proposal",
    });
    await expect(host.reject(id, "cy", undefined, { agent: "ada" })).rejects.toMatchObject({
      code: "unknown-proposal",
    });
    expect(await host.approve(id, "bo", { agent: "ada", user: "bo" })).toMatchObject({ call: { status: "approved" } });
    await expect(host.approve(id, "bo", { agent: "ada", user: "bo" })).rejects.toMatchObject({
      code: "already-decided",
    });
    await close();
  });

  test("does not serve a coding agent, nor load a charter it is told not to", async () => {
    const { host, store, close, another } = await newHost();
    await store.agents.add({ name: "dev", charter: "coder" });
    await expect(host.runTurn({ agent: "dev", input: "ls", user: "mia" })).rejects.toMatchObject({
      code: "not-served",
    });
    const strict = await another({
      checkCharter: async ({ name }) => {
        throw new Error(`not ${name}`);
      },
    });
    await expect(strict.preview({ agent: "ada" })).rejects.toThrow("not ada");
    await expect(strict.runTurn({ agent: "ada", input: "Hi.", user: "mia" })).rejects.toThrow("not ada");
    await close();
  });

  test("tells its watchers of every turn, whose and where, until they have heard enough", async () => {
    const { host, close } = await newHost("sqlite", { loadModel: async () => scripted(["Hello."]) });
    const heard: unknown[] = [];
    const stop = host.watch(({ kind }, about) => heard.push([kind, about]));
    await host.runTurn({ agent: "ada", user: "bo", channel: "web", input: "Hi." });
    stop();
    await host.runTurn({ agent: "ada", user: "bo", channel: "web", input: "Hi." });
    const about = { agent: "ada", user: "bo", channel: "web" };
    expect(heard).toEqual([
      ["turn-start", about],
      ["phase", about],
      ["step-start", about],
      ["phase", about],
      ["draft", about],
      ["step-end", about],
      ["phase", about],
      ["turn-end", about],
    ]);
    await close();
  });
});
