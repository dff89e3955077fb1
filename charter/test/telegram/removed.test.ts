import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { sleep } from "../../src/agent/limits.ts";
import { createStore, sqlite } from "../../src/store/index.ts";
import { hangs } from "../agent/model.ts";
import { meeting } from "../agent/stage.ts";
import { eventually } from "../eventually.ts";
import { agent, newStage, type Stage } from "./stage.ts";

let stage: Stage;
const folder = mkdtempSync(join(tmpdir(), "charter-removed-"));
afterEach(() => stage.close());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a bot whose agent another process removes", () => {
  test("stops its turn and asks Telegram for nothing; brought back from its file, the agent answers", async () => {
    stage = await newStage();
    const { fake, model, store, log } = stage;
    const begun = meeting();
    model.say(hangs(begun.meet));
    await stage.link("ada", 7);
    let absent = 0;
    const pause = async (milliseconds: number, signal: AbortSignal) => {
      await sleep(milliseconds / 50, signal);
      if (milliseconds === 2000 && log.length > 0) absent++;
    };
    await stage.bot({ sleep: pause }).start();
    const file = join(folder, "eva.checkpoint");
    await store.checkpoint.save(file, { agent });
    fake.says(7, "Are you there?");
    await begun.met;
    const other = await createStore(sqlite(stage.url));
    await other.remove(agent);
    await eventually(async () => (await store.turns.list({ agent }))[0]?.state !== "running");
    await eventually(() => absent > 3);
    const asked = fake.calls.length;
    fake.says(7, "Hello?");
    const before = absent;
    await eventually(() => absent > before + 9);
    expect(fake.calls.slice(asked)).toEqual([]);
    expect([fake.textsTo(7), fake.pending()]).toEqual([[], 1]);
    expect(log.map((line) => JSON.parse(line).kind)).toEqual(["agent-removed"]);
    model.say("Here I am.");
    await other.checkpoint.restore(file, { replace: true });
    await other.close();
    await fake.until(() => fake.sentTo(7).length > 0);
    expect(fake.textsTo(7)).toEqual(["Here I am."]);
  });
});

test("what Telegram posts for an agent that was removed is taken and left, so that it is not posted for ever", async () => {
  stage = await newStage();
  const secret = "s".repeat(32);
  const bot = stage.bot({ secret, polling: false });
  await stage.link("ada", 7);
  await bot.start();
  await stage.store.remove(agent, { erase: true });
  const message = { message_id: 1, date: 1771416000, chat: { id: 7, type: "private" }, from: { id: 7 }, text: "Hi." };
  const posted = new Request("https://bot.example/", {
    method: "POST",
    headers: { "x-telegram-bot-api-secret-token": secret },
    body: JSON.stringify({ update_id: 5, message }),
  });
  const answer = await bot.webhook(posted);
  expect([answer.status, await answer.text(), stage.fake.textsTo(7)]).toEqual([200, "Its agent was removed.", []]);
});
