import { afterEach, expect, test } from "vitest";
import { type FakeTelegram, startTelegram } from "./fake.ts";

let fake: FakeTelegram;
afterEach(() => fake.close());

async function call(method: string, payload: object = {}, token = fake.token): Promise<[number, string]> {
  const response = await fetch(`${fake.url}/bot${token}/${method}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(payload),
  });
  const { description = "ok" } = (await response.json()) as { description?: string };
  return [response.status, description];
}

const keyboard = (data: unknown, text: unknown = "Yes") => ({ inline_keyboard: [[{ text, callback_data: data }]] });

test("it refuses what Telegram refuses, in Telegram's words", async () => {
  fake = await startTelegram();
  fake.says(7, "/start");
  fake.says(8, "/start");
  fake.block(8);
  const rows: [method: string, payload: object, expected: [number, string]][] = [
    ["getMe", {}, [200, "ok"]],
    ["getYou", {}, [404, "Not Found"]],
    ["sendMessage", { chat_id: 7, text: "x".repeat(4096) }, [200, "ok"]],
    ["sendMessage", { chat_id: 7, text: "x".repeat(4097) }, [400, "Bad Request: message is too long"]],
    ["sendMessage", { chat_id: 7, text: " \n " }, [400, "Bad Request: message text is empty"]],
    ["sendMessage", { chat_id: 7, text: "\ud800" }, [400, "Bad Request: strings must be encoded in UTF-8"]],
    ["sendMessage", { chat_id: 9, text: "x" }, [400, "Bad Request: chat not found"]],
    ["sendMessage", { chat_id: 8, text: "x" }, [403, "Forbidden: bot was blocked by the user"]],
    ["sendMessage", { chat_id: 7, text: "x", txt: "y" }, [400, 'Bad Request: field "txt" is not known to sendMessage']],
    ["sendMessage", { chat_id: 7, text: "x", parse_mode: "Word" }, [400, "Bad Request: unsupported parse_mode"]],
    [
      "sendMessage",
      { chat_id: 7, text: "1 < 2", parse_mode: "HTML" },
      [400, "Bad Request: can't parse entities: Unsupported start tag"],
    ],
    ["sendMessage", { chat_id: 7, text: "x", reply_markup: keyboard("y".repeat(64)) }, [200, "ok"]],
    [
      "sendMessage",
      { chat_id: 7, text: "x", reply_markup: keyboard("y".repeat(65)) },
      [400, "Bad Request: BUTTON_DATA_INVALID"],
    ],
    ["sendMessage", { chat_id: 7, text: "x", reply_markup: {} }, [400, "Bad Request: object expected as reply markup"]],
    ["editMessageText", { chat_id: 7, message_id: 99, text: "x" }, [400, "Bad Request: message to edit not found"]],
    ["editMessageText", { chat_id: 7, message_id: 1, text: "y" }, [200, "ok"]],
    [
      "answerCallbackQuery",
      { callback_query_id: "?" },
      [400, "Bad Request: query is too old and response timeout expired or query ID is invalid"],
    ],
    ["sendChatAction", { chat_id: 7, action: "dancing" }, [400, "Bad Request: wrong parameter action in request"]],
    [
      "setWebhook",
      { url: "http://x.example" },
      [400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook"],
    ],
    [
      "setWebhook",
      { url: "https://x.example", secret_token: "ä" },
      [400, "Bad Request: secret token contains unallowed characters"],
    ],
  ];
  for (const [method, payload, expected] of rows)
    expect([method, payload, await call(method, payload)]).toEqual([method, payload, expected]);
  expect(await call("getMe", {}, "4711:wrong")).toEqual([401, "Unauthorized"]);
  expect(await call("getMe", {}, "wrong")).toEqual([404, "Not Found"]);
});

test("updates come until they are confirmed, and only to the newest who asks", async () => {
  fake = await startTelegram();
  const ask = async (payload: object) => {
    const response = await fetch(`${fake.url}/bot${fake.token}/getUpdates`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(payload),
    });
    const { result = [] } = (await response.json()) as { result?: { update_id: number }[] };
    return [response.status, result.map(({ update_id: id }) => id)];
  };
  const [one, two] = [fake.says(7, "a"), fake.says(7, "b")];
  expect(await ask({})).toEqual([200, [one, two]]);
  expect(await ask({ limit: 1 })).toEqual([200, [one]]);
  expect(await ask({ offset: two })).toEqual([200, [two]]);
  expect(await ask({ offset: two + 1 })).toEqual([200, []]);
  const first = ask({ timeout: 50 });
  await call("getMe");
  const second = ask({ timeout: 50 });
  expect(await first).toEqual([409, []]);
  const three = fake.says(7, "c");
  expect(await second).toEqual([200, [three]]);
  await call("setWebhook", { url: "https://x.example" });
  expect(await ask({})).toEqual([409, []]);
  await call("deleteWebhook");
  expect(await ask({})).toEqual([200, [three]]);
});

test("who comes before the time Telegram asked to wait is sent away again, and counted", async () => {
  let now = 0;
  fake = await startTelegram({ clock: () => new Date(now) });
  fake.says(7, "/start");
  fake.trouble("sendMessage", { retryAfter: 3 });
  const send = () => call("sendMessage", { chat_id: 7, text: "x" });
  expect(await send()).toEqual([429, "Too Many Requests: retry after 3"]);
  now = 2999;
  expect(await send()).toEqual([429, "Too Many Requests: retry after 1"]);
  now = 3000;
  expect([await send(), fake.tooSoon()]).toEqual([[200, "ok"], 1]);
});
