import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { allRoutes } from "../../src/server/app.ts";
import { type Asking, base, type Core, newCore } from "./core/core-stage.ts";

/** What a request says of itself: who it is for, where it comes from, how it is written. */

let core: Core;
beforeEach(async () => {
  core = await newCore({ routes: allRoutes });
});
afterEach(() => core.close());

const [turns, sessions] = ["/api/agents/assistant/turns", "/api/agents/assistant/sessions"];
const chat = { id: "c", messages: [{ role: "user", parts: [{ type: "text", text: "hello" }] }] };

async function ask(path: string, asking: Asking = {}): Promise<[status: number, code: string | undefined]> {
  const answer = await core.ask(path, { token: core.tokens.ada, ...asking });
  const { error } = (await answer.json()) as { error?: { code: string } };
  return [answer.status, error?.code];
}

describe("the channel of a turn", () => {
  const own = ["scheduled", "telegram", "terminal", "editor", "automaton"];

  test.each(own)("“%s” is the service's own: no user's turn or session comes by it", async (channel) => {
    expect(await ask(turns, { json: { input: "hello", channel } })).toEqual([403, "not-allowed"]);
    expect(await ask(turns, { json: { ...chat, channel } })).toEqual([403, "not-allowed"]);
    expect(await ask(sessions, { json: { channel } })).toEqual([403, "not-allowed"]);
    expect(await core.store.turns.list()).toEqual([]);
  });

  test("the web is everybody's, and an operator may say where a turn came from", async () => {
    expect(await ask(turns, { json: { input: "hello", channel: "web" } })).toEqual([200, undefined]);
    const asking = { token: core.tokens.operator, json: { input: "hello", user: "bob", channel: "scheduled" } };
    expect(await ask(turns, asking)).toEqual([200, undefined]);
  });
});

describe("a query that an address does not take", () => {
  const untaken: readonly [asked: string, asking: Asking][] = [
    [`${sessions}?user=bob`, { json: {} }],
    [`${turns}?user=bob`, { json: { input: "hello" } }],
    [`${turns}?drafts=never`, { json: { input: "hello" } }],
    ["/api/agents/assistant/proposals?user=bob", { json: { section: "soul", operation: { kind: "reset" } } }],
    ["/api/agents/assistant/memory?user=bob", { json: { text: "A note." } }],
    ["/api/agents/assistant/links?user=bob", { json: { channel: "telegram" } }],
    ["/api/agents/assistant/schedules?user=bob", { json: { title: "A", input: "B", at: "2027-01-01T00:00:00Z" } }],
    ["/api/me?user=bob", {}],
    ["/api/events?user=bob", {}],
  ];

  test.each(untaken)("%s is refused, and not answered as if it had not been asked", async (path, asking) => {
    expect(await ask(path, asking)).toEqual([400, "bad-request"]);
  });

  test("no address under /api ignores one: each takes some, and checks them, or takes none", async () => {
    const document = (await (await core.ask("/openapi.json", { token: core.tokens.operator })).json()) as {
      paths: Record<string, Record<string, object>>;
    };
    const ignored: string[] = [];
    for (const [path, methods] of Object.entries(document.paths).filter(([name]) => name.startsWith("/api/")))
      for (const method of Object.keys(methods)) {
        const asked = `${path.replaceAll(/\{\w+\}/g, "x")}?nobody-knows-this=1`;
        const { operator: token } = core.tokens;
        const body = method === "get" || method === "delete" ? {} : { json: {} };
        const answer = await core.ask(asked, { token, method: method.toUpperCase(), ...body });
        if (!(await answer.text()).includes("nobody-knows-this")) ignored.push(`${method} ${path}: ${answer.status}`);
      }
    expect(ignored).toEqual([]);
  });
});

describe("the charset of a body", () => {
  const posted = (type: string, body = '{"input":"hello"}') =>
    ask(turns, { method: "POST", body, headers: { "content-type": type } });

  test.each([
    "application/json",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    "application/json; charset=us-ascii",
  ])("%s is read", async (type) => {
    expect(await posted(type)).toEqual([200, undefined]);
  });

  test.each([
    "application/json; charset=utf-16",
    "application/json; charset=UTF-16LE",
    'application/json; x=y; Charset = "iso-8859-1"',
    "application/json; charset=utf-8; charset=utf-7",
    "application/json; charset=",
  ])("%s is refused: its bytes would be read as other words", async (type) => {
    expect(await posted(type)).toEqual([415, "bad-content-type"]);
    expect(await core.store.turns.list()).toEqual([]);
  });

  test("at every door that reads a body: with a token, signing in, from Telegram", async () => {
    const headers = { "content-type": "application/json; charset=utf-16", "x-charter-csrf": "1", origin: base };
    const body = Buffer.from('{"code":"x"}', "utf16le");
    const asked = [sessions, "/sign-in", "/chat/sign-in", "/telegram/assistant"].map((path) =>
      ask(path, { method: "POST", body, headers }),
    );
    expect(await Promise.all(asked)).toEqual(asked.map(() => [415, "bad-content-type"]));
  });
});
