import { afterAll, beforeAll, expect, test } from "vitest";
import { createWebhook } from "../../../src/channels/telegram/receive.ts";
import { createApi } from "../../../src/server/app.ts";
import { listen } from "../../../src/server/listen.ts";
import { type Core, newCore } from "./core-stage.ts";

let core: Core;
let trouble = false;
const seen: { body: string; secret: string | null }[] = [];

beforeAll(async () => {
  const webhook = async (request: Request) => {
    const secret = request.headers.get("x-telegram-bot-api-secret-token");
    if (secret !== "right") return new Response("wrong secret of assistant", { status: 401 });
    seen.push({ body: await request.text(), secret });
    return new Response("stored", { status: trouble ? 500 : 200 });
  };
  core = await newCore({
    telegram: new Map([["assistant", webhook]]),
    limits: { failuresPerMinute: 3, bodyBytes: 1_000 },
  });
});
afterAll(() => core.close());

const post = (agent: string, secret: string | undefined, body: unknown = { update_id: 1 }) =>
  core.ask(`/telegram/${agent}`, {
    json: body,
    headers: secret === undefined ? {} : { "x-telegram-bot-api-secret-token": secret },
  });

test("an update from who knows the secret is handed on as it came", async () => {
  const answer = await post("assistant", "right", { update_id: 7, text: "Hello" });
  expect([answer.status, await answer.text()]).toEqual([200, ""]);
  expect(seen.splice(0)).toEqual([{ body: '{"update_id":7,"text":"Hello"}', secret: "right" }]);
});

test("one that could not be kept is asked for again", async () => {
  trouble = true;
  expect((await post("assistant", "right")).status).toBe(503);
  trouble = false;
  seen.length = 0;
});

test("without the secret nothing is learned, not even which agents there are; a token is no secret", async () => {
  const answers = [await post("assistant", "wrong"), await post("nobody", "wrong"), await post("assistant", undefined)];
  const bodies = await Promise.all(answers.map((answer) => answer.text()));
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  expect(new Set(bodies).size).toBe(1);
  const headers = { authorization: `Bearer ${core.tokens.operator}` };
  expect((await core.ask("/telegram/assistant", { json: {}, headers })).status).toBe(429);
  expect(seen).toEqual([]);
});

test("guessing keeps nobody out who knows", async () => {
  expect((await post("assistant", "another guess")).status).toBe(429);
  expect((await post("assistant", "right")).status).toBe(200);
});

test("over a real port: what is no update is taken for good from who knows the secret, and from nobody else", async () => {
  const notes: string[] = [];
  const secret = "a-secret-of-sixteen-letters-and-more";
  const webhook = createWebhook(
    { log: (kind) => notes.push(kind) },
    { isThere: async () => true },
    async () => {},
    secret,
  );
  const { house } = core;
  const listening = await listen(
    createApi({ host: house, operator: "boss", routes: [], telegram: new Map([["assistant", webhook]]) }),
    { port: 0 },
  );
  const bodies = ["", "no JSON", "{}", new Uint8Array([0xff]), "[".repeat(100), `"${"x".repeat(3_000_000)}"`];
  const statuses = async (given: string, sent: typeof bodies) => {
    const all: number[] = [];
    for (const body of sent) {
      const headers = { "x-telegram-bot-api-secret-token": given };
      all.push((await fetch(`${listening.url}/telegram/assistant`, { method: "POST", body, headers })).status);
    }
    return all;
  };
  expect(await statuses(secret, bodies)).toEqual(bodies.map(() => 200));
  expect(notes).toEqual(bodies.map(() => "update-unreadable"));
  // Whoever does not know it is not heard out.
  expect(await statuses("a guess", bodies.slice(0, -1))).toEqual([401, 401, 401, 401, 401]);
  await listening.close(0);
});
