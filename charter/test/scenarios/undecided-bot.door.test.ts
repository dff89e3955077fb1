import { afterEach, expect, test } from "vitest";
import { command } from "../cli.ts";
import { eventually } from "../eventually.ts";
import { chat, newScene, type Scene } from "../service/started.ts";

let scene: Scene;
afterEach(() => scene.close());

const unset = { program: [process.execPath, command] as const, env: { TELEGRAM_AGENT: "" } };

test("two agents and one bot: it stays with whose chats are linked; without any, all else starts, and a notice asks", {
  timeout: 120_000,
}, async () => {
  scene = await newScene();
  const { store, telegram } = scene;
  await store.agents.add({ name: "eve", charter: "assistant" });
  telegram.says(chat, "Anyone?");
  const first = await scene.start(unset);
  await telegram.until(() => telegram.sentTo(chat).length === 1);
  expect([first.said(), telegram.textsTo(chat)]).toEqual(["", ["Re: Anyone?"]]);
  first.child.kill("SIGTERM");
  expect(await first.ended).toBe(0);

  await store.links.remove({ agent: "ada", user: "bo" }, "telegram", String(chat));
  const asked = telegram.calls.length;
  const { bo, said, child, ended } = await scene.start(unset);
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
  expect(telegram.calls).toHaveLength(asked);
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});
