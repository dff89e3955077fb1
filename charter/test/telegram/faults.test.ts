import { afterEach, describe, expect, test } from "vitest";
import { Problem } from "../../src/index.ts";
import type { Store } from "../../src/store/index.ts";
import { eventually } from "../eventually.ts";
import { agent, newStage, type Stage } from "./stage.ts";

let stage: Stage;
afterEach(() => stage.close());

const inSeveral = (count: number) =>
  Array.from({ length: count }, (_, n) => `${n + 1}: ${"words ".repeat(500)}`).join("\n\n");

/** A house whose store does not do everything it is asked. */
function houseWith({ house, store }: Stage, broken: Partial<Store>) {
  return { ...house, store: { ...store, ...broken } };
}

describe("when Telegram is in trouble", () => {
  test("every message arrives all the same, in order and once, after 429, 5xx, lost connections and pages of nonsense", async () => {
    stage = await newStage();
    const { fake, model } = stage;
    model.say(inSeveral(6));
    await stage.link("ada", 7);
    fake.trouble("sendMessage", { retryAfter: 7 }, "drop", { status: 500 }, "html", { status: 502 }, { retryAfter: 2 });
    await stage.bot().start();
    fake.says(7, "Tell me everything.");
    await fake.sent(7, 6);
    expect(fake.textsTo(7).map((text) => text.slice(0, 2))).toEqual(["1:", "2:", "3:", "4:", "5:", "6:"]);
    expect(fake.tooSoon()).toBe(0);
    const { statuses } = {
      statuses: fake.calls.filter(({ method }) => method === "sendMessage").map(({ status }) => status),
    };
    expect(statuses).toEqual([429, 0, 500, 502, 502, 429, 200, 200, 200, 200, 200, 200]);
  });
});

test("429 silences the whole bot for as long as Telegram asks, and nothing is lost", async () => {
  stage = await newStage();
  const { fake, model } = stage;
  model.say("Yes.");
  for (const chat of [7, 8, 9]) await stage.link(`user-${chat}`, chat);
  fake.trouble("sendMessage", { retryAfter: 30 });
  await stage.bot().start();
  fake.says(7, "Hm?");
  await fake.until(() => fake.calls.some(({ status }) => status === 429));
  for (const chat of [8, 9]) fake.says(chat, "Hm?");
  await fake.until(() => fake.world.sent.length === 3);
  expect(fake.tooSoon()).toBe(0);
});

test("what was sent is not sent again because the agent's settings cannot be read any more", async () => {
  stage = await newStage();
  const { fake, model, store } = stage;
  model.say(inSeveral(3));
  await stage.link("ada", 7);
  fake.trouble("sendMessage", { retryAfter: 5 });
  await stage.bot().start();
  fake.says(7, "Tell me everything.");
  await fake.until(() => fake.calls.some(({ status }) => status === 429));
  await store.agents.update(agent, async (before) => ({ ...before, settings: { sessions: { idleHours: "soon" } } }));
  await fake.until(() => fake.sentTo(7).length >= 3);
  await eventually(async () => (await store.dispatches.list({ agent, state: "waiting" })).length === 0);
  expect(fake.textsTo(7).map((text) => text.slice(0, 2))).toEqual(["1:", "2:", "3:"]);
});

test("a chat that blocked the bot, or is gone, is given up and reported; the others are not kept waiting", async () => {
  stage = await newStage();
  const { fake, model, store, log } = stage;
  model.say("CANARY for you.");
  for (const chat of [7, 8, 9]) await stage.link(`user-${chat}`, chat);
  fake.block(7);
  await stage.bot().start();
  for (const chat of [7, 8, 9]) fake.says(chat, "Hello");
  fake.block(7);
  fake.world.chats.delete(9);
  await fake.sent(8, 1);
  await eventually(async () => (await store.dispatches.list({ agent, state: "waiting" })).length === 0);
  const dead = await store.dispatches.list({ agent, state: "dead" });
  expect(dead.map(({ address, failure }) => [address, failure]).sort()).toEqual([
    ["7", "403 Forbidden: bot was blocked by the user"],
    ["9", "400 Bad Request: chat not found"],
  ]);
  expect(log.filter((line) => line.includes("dispatch-dead"))).toHaveLength(2);
  expect(log.join()).not.toContain("CANARY");
  const events = await store.events.list({ agent, kind: "dispatch-dead" });
  expect(events).toHaveLength(2);
  expect(JSON.stringify(events)).not.toContain("CANARY");
});

test("Telegram away at the start: the bot starts, keeps trying and is there when Telegram is", async () => {
  stage = await newStage();
  const { fake, log } = stage;
  await stage.link("ada", 7);
  fake.down();
  const bot = stage.bot();
  await bot.start();
  expect(bot.username()).toBeUndefined();
  fake.says(7, "Anybody there?");
  await fake.until(() => fake.calls.length >= 6);
  fake.up();
  await fake.sent(7, 1);
  await eventually(() => bot.username() !== undefined);
  expect([bot.username(), fake.textsTo(7)]).toEqual(["charter_test_bot", ["Fine."]]);
  expect(log.join("\n")).toContain("telegram-unreachable");
  expect(log.join("\n")).toContain("telegram-reachable");
});

test("Telegram away for an hour between question and answer: the answer is sent when it is back", async () => {
  stage = await newStage();
  const { fake, model } = stage;
  model.say(async () => {
    fake.down();
    return inSeveral(3);
  });
  await stage.link("ada", 7);
  await stage.bot().start();
  fake.says(7, "Well?");
  await fake.until(() => fake.calls.filter(({ status }) => status === 0).length >= 3);
  stage.skip(3600);
  const tried = fake.calls.length;
  await fake.until(() => fake.calls.length >= tried + 3);
  fake.up();
  await fake.sent(7, 3);
  expect(fake.textsTo(7).map((text) => text.slice(0, 2))).toEqual(["1:", "2:", "3:"]);
});

describe("a token", () => {
  test.each(["4711:wrong", "nonsense", "12:34/../getMe"])(
    "that is none (%s) is a Problem at the start, without the token in it",
    async (token) => {
      stage = await newStage();
      const started = async () => stage.bot({ token }).start();
      const problem = await started().catch((error: unknown) => error);
      expect(problem).toMatchObject({ name: "Problem", code: "telegram-token" });
      expect(JSON.stringify([problem, String(problem), (problem as Error).stack])).not.toContain(token);
    },
  );

  test("that is revoked while the bot runs loses nothing and is in no log", async () => {
    stage = await newStage();
    const { fake, log, store } = stage;
    await stage.link("ada", 7);
    await stage.bot().start();
    fake.revoke();
    await store.dispatches.add([{ scope: { agent, user: "ada" }, channel: "telegram", address: "7", body: "Ding!" }]);
    await fake.until(() => fake.calls.filter(({ status }) => status === 401).length >= 3);
    expect((await store.dispatches.list({ agent, state: "waiting" })).map(({ body }) => body)).toEqual(["Ding!"]);
    expect(log.join("\n")).not.toContain(fake.token.slice(5));
  });
});

test("two bots that fetch the same updates disturb each other, and answer each message once", async () => {
  stage = await newStage();
  const { fake, model, store } = stage;
  model.say(({ messages }) => `Re: ${(messages.findLast(({ role }) => role === "user") as { text: string }).text}`);
  await stage.link("ada", 7);
  await Promise.all([stage.bot().start(), stage.bot().start()]);
  await fake.until(() => fake.calls.some(({ status }) => status === 409));
  for (let n = 0; n < 5; n++) fake.says(7, `question ${n}`);
  await fake.sent(7, 5);
  expect(fake.textsTo(7)).toEqual([0, 1, 2, 3, 4].map((n) => `Re: question ${n}`));
  expect(await store.turns.list({ agent })).toHaveLength(5);
});

test("a webhook that was left over is taken away: updates are fetched", async () => {
  stage = await newStage();
  const { fake } = stage;
  await stage.link("ada", 7);
  const other = stage.bot({ secret: "a-secret-of-sixteen", polling: false });
  await other.setWebhook("https://bot.example/telegram/eva");
  fake.says(7, "Hello");
  await stage.bot().start();
  await fake.sent(7, 1);
  expect(fake.textsTo(7)).toEqual(["Fine."]);
});

test("an update that cannot be kept now is not confirmed: it comes again, and is answered once", async () => {
  stage = await newStage();
  const { fake, store } = stage;
  await stage.link("ada", 7);
  let away = 3;
  const put: Store["updates"]["put"] = async (update) => {
    if (away-- > 0) throw new Error("the disk CANARY is away");
    return store.updates.put(update);
  };
  // All of the store is away, not this one update's row.
  const find: Store["links"]["find"] = async (...asked) => {
    if (away > 0 && asked[2] === "0") throw new Error("away");
    return store.links.find(...asked);
  };
  const host = houseWith(stage, { updates: { ...store.updates, put }, links: { ...store.links, find } });
  await stage.bot({ host }).start();
  fake.says(7, "Keep this.");
  await fake.sent(7, 1);
  expect(fake.textsTo(7)).toEqual(["Fine."]);
  expect(stage.log.join()).not.toContain("CANARY");
});

test("no message is given up while the disk is full, although it can be read", async () => {
  stage = await newStage();
  const { fake, store, log } = stage;
  await stage.link("ada", 7);
  let full = 8;
  const put: Store["updates"]["put"] = async (update) => {
    if (full-- > 0) throw new Problem("disk-full", "There is no room left.", "Make room.");
    return store.updates.put(update);
  };
  await stage.bot({ host: houseWith(stage, { updates: { ...store.updates, put } }) }).start();
  fake.says(7, "Keep this.");
  await fake.sent(7, 1);
  expect([full, fake.textsTo(7)]).toEqual([-1, ["Fine."]]);
  expect(log.join()).not.toContain("update-given-up");
});

test("an update that fails for its own sake does not keep the others waiting for ever", async () => {
  stage = await newStage();
  const { fake, store, log } = stage;
  await stage.link("ada", 7);
  const put: Store["updates"]["put"] = async (update) => {
    if (update.body.includes("poison")) throw new Error("poison CANARY");
    return store.updates.put(update);
  };
  await stage.bot({ host: houseWith(stage, { updates: { ...store.updates, put } }) }).start();
  fake.says(7, "poison");
  fake.says(7, "bread");
  await fake.sent(7, 1);
  expect(fake.textsTo(7)).toEqual(["Fine."]);
  expect(log.filter((line) => line.includes("update-given-up"))).toHaveLength(1);
  expect(log.join()).not.toContain("CANARY");
});

test("a message that keeps failing is given up after three tries, and the user is told", async () => {
  stage = await newStage();
  const { fake, house } = stage;
  await stage.link("ada", 7);
  let tries = 0;
  const broken = { ...house, runTurn: async () => Promise.reject(new Error(`boom ${++tries}`)) };
  await stage.bot({ host: broken }).start();
  fake.says(7, "Hello");
  await fake.sent(7, 1);
  expect([tries, fake.textsTo(7)]).toEqual([
    3,
    ["I did not get to an answer: something kept going wrong. Please send it again."],
  ]);
});
