import { afterEach, expect, test } from "vitest";
import type { Store } from "../../src/store/index.ts";
import { privateMessage } from "./fake.ts";
import { agent, everythingIn, newStage, type Stage } from "./stage.ts";

let stage: Stage;
afterEach(() => stage.close());

const secret = "a-secret-of-sixteen-letters-and-more";
const address = "https://bot.example/telegram/eva";
const posted = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  new Request(address, { method: "POST", body, headers: { "x-telegram-bot-api-secret-token": secret, ...headers } });
const update = (id: number, text: string) =>
  JSON.stringify({ update_id: id, message: privateMessage(7, id, { text }) });

test("what Telegram posts is answered, each update once, also when it is posted again", async () => {
  stage = await newStage();
  const { fake, model, store } = stage;
  model.say("Hello back.");
  await stage.link("ada", 7);
  const bot = stage.bot({ secret });
  fake.reaches(address, bot.webhook);
  await bot.start();
  await bot.setWebhook(address);
  const first = fake.says(7, "Hello");
  await fake.sent(7, 1);
  fake.again(first);
  fake.says(7, "Hello again");
  await fake.until(() => fake.sentTo(7).length === 2 && fake.pending() === 0);
  expect(fake.textsTo(7)).toEqual(["Hello back.", "Hello back."]);
  expect(await store.turns.list({ agent })).toHaveLength(2);
  expect(fake.calls.filter(({ method }) => method === "getUpdates")).toEqual([]);
});

test("whoever does not know the secret is not heard, and leaves nothing behind", async () => {
  stage = await newStage();
  const { store, log } = stage;
  await stage.link("ada", 7);
  const bot = stage.bot({ secret });
  const before = await everythingIn(store);
  const forged = ["", "a-secret", secret.toUpperCase(), `${secret}x`].map((one) =>
    bot.webhook(posted(update(1, "CANARY"), { "x-telegram-bot-api-secret-token": one })),
  );
  const bare = bot.webhook(new Request(address, { method: "POST", body: update(1, "CANARY") }));
  const without = stage.bot().webhook(posted(update(1, "CANARY")));
  const answers = await Promise.all([...forged, bare, without]);
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401]);
  expect(await everythingIn(store)).toBe(before);
  expect(log).toEqual([]);
});

test("what is no update is taken and told to the operator, whatever it is: posted again it would be none either", async () => {
  stage = await newStage();
  const bot = stage.bot({ secret });
  const bodies = [
    "",
    "{",
    "CANARY",
    "null",
    "[]",
    "7",
    '{"update_id":"1"}',
    '{"update_id":1e400}',
    `{"update_id":1,"x":"${"x".repeat(1_100_000)}"}`,
    new Uint8Array([0x7b, 0xff, 0x7d]),
    "[".repeat(500_000),
  ];
  const answers = await Promise.all(bodies.map((body) => bot.webhook(posted(body))));
  expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200));
  expect(stage.log).toEqual(bodies.map(() => '{"about":"telegram","kind":"update-unreadable","agent":"eva"}'));
  expect(
    (await bot.webhook(new Request(address, { headers: { "x-telegram-bot-api-secret-token": secret } }))).status,
  ).toBe(405);
});

test("an update of a shape nobody knows is taken and told by its number, and leaves nothing behind", async () => {
  stage = await newStage();
  const { store } = stage;
  const bot = stage.bot({ secret });
  await stage.link("ada", 7);
  const before = await everythingIn(store);
  const chat = { id: 7, type: "private" };
  const odd: readonly [update: object, told: boolean][] = [
    [{}, false],
    [{ poll: {} }, false],
    [{ callback_query: { id: "1" } }, false],
    [{ message: {} }, true],
    [{ message: null }, true],
    [{ message: "CANARY" }, true],
    [{ message: { chat: { id: "7", type: "private" }, text: "CANARY" } }, true],
    [{ message: { chat: { id: { toString: 1 }, type: "private" }, text: "CANARY" } }, true],
    [{ callback_query: 7 }, false],
    [{ callback_query: { id: "1", from: { id: 7 }, message: {} } }, true],
    [{ callback_query: { id: 1, from: { id: 7 }, message: { chat, message_id: 1 } } }, true],
    [{ callback_query: { id: "1", from: null, message: { chat, message_id: 1 } } }, false],
  ];
  for (const [at, [update]] of odd.entries())
    expect([update, (await bot.webhook(posted(JSON.stringify({ update_id: at, ...update })))).status]).toEqual([
      update,
      200,
    ]);
  const told = odd.flatMap(([, isTold], at) => (isTold ? [at] : []));
  expect(stage.log).toEqual(
    told.map((at) => `{"about":"telegram","kind":"update-unreadable","agent":"eva","update":${at}}`),
  );
  expect(await everythingIn(store)).toBe(before);
});

test.each([1e300, -5, 253_402_300_800, "yesterday", null])(
  "a message that was sent at %s is answered all the same",
  async (date) => {
    stage = await newStage();
    const { fake } = stage;
    await stage.link("ada", 7);
    const bot = stage.bot({ secret });
    fake.reaches(address, bot.webhook);
    await bot.start();
    await bot.setWebhook(address);
    fake.happens({ message: { ...privateMessage(7, 1, { text: "Hello" }), date } });
    await fake.sent(7, 1);
    expect([fake.textsTo(7), fake.pending()]).toEqual([["Fine."], 0]);
  },
);

test("what is cut off is asked for again; a stranger's body is not read at all", async () => {
  stage = await newStage();
  const bot = stage.bot({ secret });
  let read = 0;
  const cut = () =>
    new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          if (read++ === 0) controller.enqueue(new TextEncoder().encode('{"update_id":1}'));
          else controller.error(new Error("cut off"));
        },
      },
      { highWaterMark: 0 },
    );
  const postCut = (given: string) =>
    bot.webhook(
      new Request(address, {
        ...{ method: "POST", body: cut(), duplex: "half", headers: { "x-telegram-bot-api-secret-token": given } },
      } as RequestInit),
    );
  expect([(await postCut("a guess")).status, read]).toEqual([401, 0]);
  expect([(await postCut(secret)).status, stage.log]).toEqual([400, []]);
});

test("200 is said only when the update is kept; until then Telegram posts it again", async () => {
  stage = await newStage();
  const { fake, store, house } = stage;
  await stage.link("ada", 7);
  let away = 2;
  const find: Store["links"]["find"] = async (...asked) => {
    if (away-- > 0) throw new Error("away");
    return store.links.find(...asked);
  };
  const bot = stage.bot({ secret, host: { ...house, store: { ...store, links: { ...store.links, find } } } });
  fake.reaches(address, bot.webhook);
  await bot.start();
  await bot.setWebhook(address);
  fake.says(7, "Keep this.");
  await fake.sent(7, 1);
  const statuses = fake.calls.filter(({ method }) => method === "(post)").map(({ status }) => status);
  expect([statuses.at(0), statuses.at(-1)]).toEqual([503, 200]);
  expect(fake.textsTo(7)).toEqual(["Fine."]);
});

test("an address Telegram cannot reach is a Problem; Telegram away is not", async () => {
  stage = await newStage();
  const { fake } = stage;
  const bot = stage.bot({ secret });
  await expect(bot.setWebhook("http://127.0.0.1/telegram")).rejects.toMatchObject({ code: "telegram-refused" });
  fake.trouble("setWebhook", "drop", { status: 500 });
  await bot.setWebhook(address);
  await fake.until(() => fake.calls.some(({ method, status }) => method === "setWebhook" && status === 200));
});

test("a secret that could be guessed is none", async () => {
  stage = await newStage();
  for (const weak of ["", "short", "with spaces in it, long enough"])
    expect(() => stage.bot({ secret: weak })).toThrow(expect.objectContaining({ code: "telegram-secret" }));
  await expect(stage.bot().setWebhook(address)).rejects.toMatchObject({ code: "telegram-secret" });
});
