import { afterEach, expect, test } from "vitest";
import { command } from "../cli.ts";
import { eventually } from "../eventually.ts";
import { chat, newScene, type Scene } from "../service/started.ts";

let scene: Scene;
afterEach(() => scene.close());

const startedBy = (agent: string) => ({
  program: [process.execPath, command] as const,
  env: { TELEGRAM_AGENT: agent },
});

test("two agents and one bot: all else starts, and the notice asks whose the bot is", {
  timeout: 120_000,
}, async () => {
  scene = await newScene();
  const { store, telegram } = scene;
  await store.agents.add({ name: "eve", charter: "assistant" });
  const { bo, said, child, ended } = await scene.start(startedBy(""));
  expect(said()).toBe(
    "notice: bot-undecided: The Telegram bot does not answer yet: which agent it belongs to is not set. There are “ada”, “eve”. Set TELEGRAM_AGENT, or telegram.agent in charter.config.ts, to one of them, and start again.\n",
  );
  for (const agent of ["ada", "eve"]) {
    const { body } = await bo(`POST /api/agents/${agent}/turns`, { input: "Hi." });
    expect([body.state, body.reply]).toEqual(["answered", "Re: Hi."]);
  }
  const at = new Date(Date.now() + 1000).toISOString();
  const set = await bo("POST /api/agents/eve/schedules", { title: "Tea", input: "Tea?", at });
  expect(set.status).toBe(201);
  await eventually(async () => (await store.runs.list({ agent: "eve", user: "bo" }))[0]?.state === "answered");
  telegram.says(chat, "Anyone?");
  expect(telegram.calls).toEqual([]);
  child.kill("SIGTERM");
  expect(await ended).toBe(0);

  const again = await scene.start(startedBy("ada"));
  await telegram.until(() => telegram.sentTo(chat).length === 1);
  expect([again.said(), telegram.textsTo(chat)]).toEqual(["", ["Re: Anyone?"]]);
});
