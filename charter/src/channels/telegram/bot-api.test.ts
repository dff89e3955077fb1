import { expect, test } from "vitest";
import { createBotApi } from "./bot.ts";

const token = "4711:TOKEN-CANARY";
const never = new AbortController().signal;
const answers = (status: number, body: unknown) => async () =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), { status });
const refused = (status: number, description: string, more: object = {}) =>
  answers(status, { ok: false, error_code: status, description, ...more });

const rows: [what: string, fetch: typeof globalThis.fetch, expected: object][] = [
  ["an answer", answers(200, { ok: true, result: true }), { result: true }],
  [
    "a token that is none",
    refused(401, "Unauthorized"),
    { fault: { kind: "unauthorised", reason: "401 Unauthorized" } },
  ],
  ["an address that is none", refused(404, "Not Found"), { fault: { kind: "unauthorised", reason: "404 Not Found" } }],
  ["someone else at it", refused(409, "Conflict: x"), { fault: { kind: "conflict", reason: "409 Conflict: x" } }],
  [
    "a message nobody can get",
    refused(403, "Forbidden: blocked"),
    { fault: { kind: "refused", reason: "403 Forbidden: blocked" } },
  ],
  [
    "too many messages",
    refused(429, "Too Many Requests", { parameters: { retry_after: 7 } }),
    { fault: { kind: "busy", reason: "429 Too Many Requests", afterMs: 7000 } },
  ],
  ["too many messages, without a time", refused(429, "x"), { fault: { kind: "busy", reason: "429 x", afterMs: 1000 } }],
  ["trouble at Telegram's", refused(500, "Internal"), { fault: { kind: "unreachable", reason: "500 Internal" } }],
  ["a page of nonsense", answers(502, "<html>"), { fault: { kind: "unreachable", reason: "no answer" } }],
  [
    "no way there",
    async (url) => {
      throw Object.assign(new TypeError(`fetch failed: ${url}`), { cause: { code: "ECONNREFUSED" } });
    },
    { fault: { kind: "unreachable", reason: "no answer (ECONNREFUSED)" } },
  ],
];
for (const [what, fetch, expected] of rows)
  test(`what comes of a call is a value, without the token or anyone's words: ${what}`, async () => {
    const ask = createBotApi({ token, fetch, ending: never });
    const answer = await ask((api) => api.sendMessage({ chat_id: 7, text: "WORDS-CANARY" }));
    expect(answer).toEqual(expected);
    expect(JSON.stringify(answer)).not.toContain("CANARY");
  });

test("what is still asked at the end is called off", async () => {
  const ending = new AbortController();
  const fetch: typeof globalThis.fetch = (_, init) =>
    new Promise((_, reject) => {
      init?.signal?.addEventListener("abort", () => reject(new Error("called off")));
      ending.abort();
    });
  const { fault } = await createBotApi({ token, fetch, ending: ending.signal })((api) => api.getMe());
  expect(fault?.kind).toBe("unreachable");
});

test("another server is asked where one is named, and no answer leads elsewhere with the token", async () => {
  const asked: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    asked.push(String(url), init?.redirect);
    return Response.json({ ok: true, result: true });
  };
  await createBotApi({ token, fetch, apiRoot: "http://localhost:8081/", ending: never })((api) => api.getMe());
  expect(asked).toEqual([`http://localhost:8081/bot${token}/getMe`, "error"]);
});
