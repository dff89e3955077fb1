import { afterAll, beforeAll, expect, test } from "vitest";
import { type Core, newCore } from "./core-stage.ts";

const trusted = "https://app.example.com";
let closed: Core;
let open: Core;
beforeAll(async () => {
  closed = await newCore();
  open = await newCore({ origins: [trusted, "http://localhost:5173"] });
});
afterAll(async () => {
  await closed.close();
  await open.close();
});

const preflight = (origin: string) => ({
  method: "OPTIONS",
  headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization" },
});
const allowed = ({ headers }: Response) => headers.get("access-control-allow-origin");

test("no other site's page may ask, unless the operator says so", async () => {
  const answer = await closed.ask("/api/who", preflight(trusted));
  expect([answer.status, allowed(answer)]).toEqual([401, null]);
  const asked = await closed.ask("/api/who", { token: closed.tokens.ada, headers: { origin: trusted } });
  expect([asked.status, allowed(asked), asked.headers.get("vary")]).toEqual([200, null, null]);
});

test("a trusted site's page may ask, with a token", async () => {
  const asks = await open.ask("/api/who", preflight(trusted));
  expect([asks.status, Object.fromEntries(asks.headers)]).toMatchObject([
    204,
    {
      "access-control-allow-origin": trusted,
      "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers": "authorization, content-type, accept, idempotency-key",
      "access-control-max-age": "600",
      vary: "origin",
    },
  ]);
  const asked = await open.ask("/api/who", { token: open.tokens.ada, headers: { origin: trusted } });
  expect([asked.status, allowed(asked), asked.headers.get("vary")]).toEqual([200, trusted, "origin"]);
  expect(asked.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
});

test("its page can read why it was refused", async () => {
  const answer = await open.ask("/api/who", { headers: { origin: trusted } });
  expect([answer.status, allowed(answer)]).toEqual([401, trusted]);
});

test("a cookie is never taken from it, nor offered", async () => {
  const answer = await open.ask("/api/who", preflight(trusted));
  expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  const headers = { origin: trusted, cookie: `charter_session=${open.tokens.operator}`, "x-charter-csrf": "1" };
  expect((await open.ask("/api/who", { headers })).status).toBe(403);
  expect((await open.ask("/api/any", { method: "POST", body: "x", headers })).status).toBe(403);
});

const strangers = [
  "https://evil.example",
  "null",
  `${trusted}.evil.example`,
  "https://evil.app.example.com",
  `${trusted}:8443`,
  "http://app.example.com",
  "*",
];
for (const origin of strangers)
  test(`“${origin}” is not trusted because another is`, async () => {
    expect(allowed(await open.ask("/api/who", preflight(origin)))).toBeNull();
    expect(allowed(await open.ask("/api/who", { token: open.tokens.ada, headers: { origin } }))).toBeNull();
  });

test("an MCP client in a page is refused before it says who it is, unless its page is ours or trusted", async () => {
  const statusOf = async (core: Core, origin?: string) => {
    const headers = origin === undefined ? {} : { origin };
    const answer = await core.ask("/mcp", { method: "POST", headers });
    return answer.status === 403 ? ((await answer.json()) as { error: { code: string } }).error.code : answer.status;
  };
  const asked = [undefined, trusted, "http://localhost", "http://localhost.evil.example", "null"];
  expect(await Promise.all(asked.map((origin) => statusOf(open, origin)))).toEqual([
    ...[401, 401, 401],
    ...["foreign-page", "foreign-page"],
  ]);
  expect(await statusOf(closed, trusted)).toBe("foreign-page");
});

for (const origin of [
  "*",
  "app.example.com",
  "https://app.example.com/",
  "https://app.example.com/path",
  "null",
  "javascript:x",
])
  test(`“${origin}” is no origin to trust`, async () => {
    await expect(newCore({ origins: [origin] })).rejects.toThrow(expect.objectContaining({ code: "bad-origin" }));
  });
