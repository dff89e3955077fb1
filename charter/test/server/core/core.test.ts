import { afterAll, beforeAll, expect, test } from "vitest";
import { type Core, newCore } from "./core-stage.ts";

let core: Core;
beforeAll(async () => {
  core = await newCore();
});
afterAll(() => core.close());

const errorOf = async (answer: Response) =>
  ((await answer.json()) as { error: { code: string; message: string } }).error;
const told = async (answer: Response) => [answer.status, (await errorOf(answer)).code];

test("an operator, a user and an agent are who their tokens say", async () => {
  const who = async (token: string) => (await core.ask("/api/who", { token })).json();
  const id = expect.any(String);
  expect(await who(core.tokens.operator)).toEqual({ kind: "operator", id, by: "token" });
  expect(await who(core.tokens.ada)).toEqual({ kind: "user", user: "ada", id, by: "token" });
  expect(await who(core.tokens.bob)).toEqual({ kind: "user", user: "bob", agent: "assistant", id, by: "token" });
  expect(await who(core.tokens.agent)).toEqual({ kind: "agent", agent: "assistant", id, by: "token" });
});

test("nobody is answered without a token, whatever they ask for and however", async () => {
  const paths = [
    "/api/who",
    "/api/nothing",
    "/metrics",
    "/openapi.json",
    "/docs",
    "/nowhere",
    "/",
    "/sign-out",
    "/api",
  ];
  for (const path of paths)
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
      const answer = await core.ask(path, { method });
      const challenge = answer.headers.get("www-authenticate");
      expect([path, method, answer.status, challenge]).toEqual([path, method, 401, 'Bearer realm="charter"']);
    }
});

test("someone at a browser is shown how to sign in; whatever they sent", async () => {
  for (const headers of [{}, { authorization: "Bearer charter_wrong" }, { cookie: "charter_session=charter_wrong" }]) {
    const answer = await core.ask("/docs", { headers: { ...headers, "sec-fetch-mode": "navigate" } });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([401, "text/html; charset=UTF-8"]);
    expect(answer.headers.get("www-authenticate")).toContain("Bearer");
    expect(await answer.text()).toBe(await (await core.ask("/sign-in")).text());
  }
});

test("what says nothing about anybody is answered to anyone", async () => {
  for (const path of ["/health", "/health/ready", "/sign-in", "/sign-in.js", "/charter.css"])
    expect([path, (await core.ask(path)).status]).toEqual([path, 200]);
});

const notTokens: [what: string, header: (secret: string) => string][] = [
  ["one that was made up", () => "Bearer charter_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
  [
    "one with another letter at its end",
    (secret) => `Bearer ${secret.slice(0, -1)}${secret.endsWith("A") ? "B" : "A"}`,
  ],
  ["one in capitals", (secret) => `Bearer ${secret.toUpperCase()}`],
  ["none", () => "Bearer "],
  ["one without saying so", (secret) => secret],
  ["one in another way", (secret) => `Basic ${btoa(`operator:${secret}`)}`],
  ["two", (secret) => `Bearer ${secret}, Bearer ${secret}`],
  ["one that never ends", (secret) => `Bearer ${secret}${"A".repeat(9_000)}`],
  ["a JSON Web Token, where none is taken", () => "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ."],
  ["words of a query", () => "Bearer ' or 1=1 --"],
];
for (const [what, header] of notTokens)
  test(`a token that is ${what} opens nothing`, async () => {
    const answer = await core.ask("/api/who", { headers: { authorization: header(core.tokens.operator) } });
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="charter", error="invalid_token"');
    expect(await told(answer)).toEqual([401, "wrong-token"]);
  });

test("a token opens by its header only: not by the address, not as a user's name", async () => {
  const { operator } = core.tokens;
  expect((await core.ask(`/api/who?token=${operator}&access_token=${operator}`)).status).toBe(401);
  expect((await core.ask("/api/who", { headers: { "x-api-key": operator } })).status).toBe(401);
});

test("a token that was taken back stops at once, whichever process did it", async () => {
  const here = await newCore();
  const { id, secret } = await here.store.tokens.create({ name: "x", kind: "user", user: "ada" });
  expect((await here.ask("/api/who", { token: secret })).status).toBe(200);
  await (await here.another()).tokens.revoke(id);
  expect(await told(await here.ask("/api/who", { token: secret }))).toEqual([401, "wrong-token"]);
  await here.close();
});

test("a token that is over opens nothing", async () => {
  const expiresAt = new Date(core.now().getTime() + 60_000).toISOString();
  const { secret } = await core.store.tokens.create({ name: "x", kind: "operator", expiresAt });
  expect((await core.ask("/api/who", { token: secret })).status).toBe(200);
  core.wait(60);
  expect(await told(await core.ask("/api/who", { token: secret }))).toEqual([401, "wrong-token"]);
});

test("a code to sign in with is no token", async () => {
  const { secret } = await core.store.tokens.create({ name: "x", kind: "sign-in" });
  expect(await told(await core.ask("/api/who", { token: secret }))).toEqual([401, "wrong-token"]);
});

test("what a token does not allow is refused", async () => {
  for (const token of [core.tokens.ada, core.tokens.agent])
    for (const path of ["/api/operator", "/metrics"])
      expect(await told(await core.ask(path, { token }))).toEqual([403, "not-allowed"]);
  expect((await core.ask("/api/operator", { token: core.tokens.operator })).status).toBe(200);
});

test("a body that is not as its schema says is answered with every fault at once", async () => {
  const json = { name: "", times: 10, more: 1 };
  const answer = await core.ask("/api/greet/Rome?loud=perhaps", { token: core.tokens.ada, json: {} });
  expect(answer.status).toBe(400);
  expect((await errorOf(answer)).code).toBe("bad-request");
  const another = await core.ask("/api/greet/Rome", { token: core.tokens.ada, json });
  expect(await another.json()).toEqual({
    error: {
      code: "bad-request",
      message: expect.stringContaining("body.name: "),
      hint: "Correct what is named; /openapi.json describes every address.",
      invalid: [
        { at: "body.name", reason: expect.any(String) },
        { at: "body.times", reason: expect.any(String) },
        { at: "body.more", reason: expect.stringContaining("“times”") },
      ],
    },
  });
});

test("what is well asked is answered", async () => {
  const answer = await core.ask("/api/greet/Rome", { token: core.tokens.ada, json: { name: "Ada", times: 2 } });
  expect([answer.status, await answer.json()]).toEqual([200, { said: "Rome: Hello, Ada! Hello, Ada!" }]);
});

const bodies: [
  what: string,
  body: string | Uint8Array<ArrayBuffer>,
  type: string | undefined,
  answer: [number, string],
][] = [
  ["no JSON", '{"name": "Ada"', "application/json", [400, "bad-request"]],
  ["nothing", "", "application/json", [400, "bad-request"]],
  ["two values", '{"name":"Ada"}{"name":"Bob"}', "application/json", [400, "bad-request"]],
  ["bytes that are no UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22]), "application/json", [400, "bad-request"]],
  [
    "JSON in another encoding",
    new Uint8Array(Buffer.from('{"name":"Ada"}', "utf16le")),
    "application/json",
    [400, "bad-request"],
  ],
  ["JSON that nests without end", `{"name":${"[".repeat(200_000)}`, "application/json", [400, "bad-request"]],
  [
    "JSON that nests without end, and ends",
    `{"name":${'{"a":'.repeat(65)}1${"}".repeat(65)}}`,
    "application/json",
    [400, "bad-request"],
  ],
  ["a form", "name=Ada", "application/x-www-form-urlencoded", [415, "bad-content-type"]],
  ["JSON that says it is a text", '{"name":"Ada"}', "text/plain", [415, "bad-content-type"]],
  ["JSON that says nothing", '{"name":"Ada"}', undefined, [415, "bad-content-type"]],
  ["a list of its own prototype", '{"__proto__":{"name":"Ada"}}', "application/json", [400, "bad-request"]],
];
for (const [what, body, type, answer] of bodies)
  test(`a body that is ${what} is turned away`, async () => {
    const sent = await core.ask("/api/greet/Rome", {
      ...{
        method: "POST",
        token: core.tokens.ada,
        body: typeof body === "string" ? new TextEncoder().encode(body) : body,
      },
      headers: type === undefined ? {} : { "content-type": type },
    });
    expect(await told(sent)).toEqual(answer);
  });

test("what is no UTF-8, or nests too deep, is turned away before any route sees it", async () => {
  const send = async (body: string | Uint8Array<ArrayBuffer>) => {
    const answer = await core.ask("/api/any", { method: "POST", token: core.tokens.ada, body });
    return answer.status === 200 ? 200 : (await errorOf(answer)).message;
  };
  expect(await send(new Uint8Array([0x22, 0xc3, 0x28, 0x22]))).toBe("The body is not UTF-8.");
  expect(await send("[".repeat(65))).toBe("The body nests deeper than 64 levels.");
  expect(await send(`${"[".repeat(64)}${"]".repeat(64)}${"{".repeat(64)}`)).toBe(200);
});

test("brackets in words are no depth, and JSON may begin with a byte order mark", async () => {
  const name = `${"[".repeat(100)}\\"{{`;
  const sent = await core.ask("/api/greet/Rome", { token: core.tokens.ada, json: { name } });
  expect(await sent.json()).toEqual({ said: `Rome: Hello, ${name}!` });
  const headers = { "content-type": "application/json" };
  const marked = { method: "POST", token: core.tokens.ada, headers, body: '\ufeff{"name":"Ada"}' };
  expect((await core.ask("/api/greet/Rome", marked)).status).toBe(200);
});

test("a Problem is answered with its status; what the server stands on is told to the operator only", async () => {
  const ask = async (code: string, token: string) => {
    const answer = await core.ask(`/api/problem/${code}`, { token });
    return [answer.status, await errorOf(answer)];
  };
  const [message, hint] = ["At db.internal:5432 it went wrong.", "Fix db.internal."];
  expect(await ask("unknown-agent", core.tokens.ada)).toEqual([404, { code: "unknown-agent", message, hint }]);
  expect(await ask("store-unreachable", core.tokens.operator)).toEqual([
    503,
    { code: "store-unreachable", message, hint, request: expect.any(String) },
  ]);
  expect(await ask("store-unreachable", core.tokens.ada)).toEqual([
    503,
    {
      code: "store-unreachable",
      message: "The service cannot answer this now.",
      hint: "Try again in a while; if it stays so, tell the operator which request it was.",
      request: expect.any(String),
    },
  ]);
});

test("what nobody foresaw is told by the request's id, to anyone; the log says where it came from", async () => {
  for (const path of ["/api/broken", "/api/thrown"]) {
    core.lines.length = 0;
    const answer = await core.ask(path, { token: core.tokens.operator });
    const id = answer.headers.get("x-request-id");
    expect([answer.status, await answer.json()]).toEqual([
      500,
      {
        error: {
          code: "internal",
          message: "An unexpected error occurred on the server.",
          hint: "Tell the operator the request's id: the server's log has the details.",
          request: id,
        },
      },
    ]);
    const [line] = core.lines;
    expect(line).toMatchObject({
      request: id,
      status: 500,
      failure: { name: path === "/api/broken" ? "TypeError" : "string" },
    });
    expect(JSON.stringify(line)).not.toContain("hunter2");
  }
});

test("an address that is not there, or is asked in another way", async () => {
  const { operator: token } = core.tokens;
  expect(await told(await core.ask("/api/nothing", { token }))).toEqual([404, "not-found"]);
  expect(await told(await core.ask("/api/who/", { token }))).toEqual([404, "not-found"]);
  const wrong = await core.ask("/api/who", { token, method: "DELETE" });
  expect([wrong.headers.get("allow"), await told(wrong)]).toEqual(["GET, HEAD", [405, "method-not-allowed"]]);
  const both = await core.ask("/api/greet/Rome", { token });
  expect([both.headers.get("allow"), await told(both)]).toEqual(["POST", [405, "method-not-allowed"]]);
  const options = await core.ask("/api/who", { token, method: "OPTIONS" });
  expect([options.status, options.headers.get("allow"), await options.text()]).toEqual([204, "GET, HEAD", ""]);
});

test("a HEAD is a GET without its words", async () => {
  const { operator: token } = core.tokens;
  const answer = await core.ask("/api/who", { token, method: "HEAD" });
  expect([answer.status, answer.headers.get("content-type"), await answer.text()]).toEqual([
    200,
    "application/json",
    "",
  ]);
});

test("every answer forbids a browser whatever it does not need, and has an id of its own", async () => {
  const asked: [string, Parameters<Core["ask"]>[1]?][] = [
    ["/api/who", { token: core.tokens.operator }],
    ["/api/who"],
    ["/api/nothing", { token: core.tokens.operator }],
    ["/api/broken", { token: core.tokens.operator }],
    ["/health"],
    ["/sign-in"],
    ["/docs", { token: core.tokens.operator }],
    ["/api/agents/%00", { token: core.tokens.operator }],
  ];
  const ids = new Set<string | null>();
  for (const [path, asking] of asked) {
    const { headers } = await core.ask(path, asking);
    ids.add(headers.get("x-request-id"));
    expect(headers.get("content-security-policy")).toContain("default-src 'none';");
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("content-security-policy")).not.toMatch(/unsafe|\*|https?:/);
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "x-frame-options": "DENY",
      "cache-control": path === "/sign-in" ? "no-cache" : "no-store",
    });
    expect(headers.get("access-control-allow-origin")).toBeNull();
  }
  expect([ids.size, ids.has(null)]).toEqual([asked.length, false]);
});
