import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ListeningServer, listen } from "../../src/server/listen.ts";
import { type Core, newCore } from "./core/core-stage.ts";
import { type Said, say } from "./wire.ts";

let core: Core;
let server: ListeningServer;
beforeAll(async () => {
  core = await newCore({ limits: { bodyBytes: 10_000, failuresPerMinute: 10_000 } });
  server = await listen(core.app, { port: 0, headersMs: 400, requestMs: 800 });
});
afterAll(async () => {
  await server.close(0);
  await core.close();
});

const host = "host: localhost";
const close = "connection: close";
const bearer = () => `authorization: Bearer ${core.tokens.operator}`;
const get = (target: string, ...headers: string[]) =>
  say(server.url, [`GET ${target} HTTP/1.1`, host, close, ...headers, "", ""].join("\r\n"));
const post = (body: string, ...headers: string[]) =>
  say(server.url, [`POST /api/any HTTP/1.1`, host, close, bearer(), ...headers, "", body].join("\r\n"));
const codeOf = ({ body }: Said) => /"code":"([^"]+)"/.exec(body)?.[1];
const told = (said: Said) => [said.status, codeOf(said)];

/** The server goes on as if nothing had been. */
async function standsFirm(): Promise<void> {
  const answer = await get("/api/who", bearer());
  expect(answer.status).toBe(200);
}

const paths: [what: string, target: string, status: number][] = [
  ["dots up to what needs no token", "/health/../api/operator", 401],
  ["dots up and out", "/../../../../etc/passwd", 401],
  ["encoded dots", "/health/%2e%2e/api/operator", 401],
  ["half-encoded dots", "/health/.%2e/api/operator", 401],
  ["dots behind an encoded slash", "/health/..%2fapi/operator", 401],
  ["dots encoded twice", "/health/%252e%252e/api/operator", 401],
  ["a page's name before it", "/sign-in/../metrics", 401],
  ["a page's name behind it", "/metrics/sign-in.js", 401],
  ["a page's name in a parameter", "/metrics;/sign-in.js", 401],
  ["a page's name in other case", "/Sign-In", 401],
  ["a backslash", "/health\\..\\metrics", 400],
  ["NUL", "/metrics%00/sign-in", 400],
  ["NUL behind a page's name", "/sign-in%00", 400],
  ["a line break", "/sign-in%0d%0aset-cookie:%20a=b", 400],
  ["an overlong slash", "/health%c0%af..%c0%afmetrics", 400],
  ["two slashes", "//metrics", 400],
  ["two slashes and a host", "//evil.example/metrics", 400],
  ["another host before it", "http://evil.example/metrics", 421],
  ["our host before it", "http://localhost/metrics", 401],
  ["a host and its password", "http://localhost@evil.example/metrics", 421],
  ["no path", "*", 400],
  ["nothing of the kind", "metrics", 400],
  ["a fragment", "/metrics#/health", 401],
  ["a query that looks like a path", "/metrics?/health", 401],
];
for (const [what, target, status] of paths)
  test(`a path with ${what} leads nowhere without a token`, async () => {
    const answer = await get(target);
    expect([target, answer.status]).toEqual([target, status]);
    expect(answer.head.toLowerCase()).not.toContain("set-cookie");
    expect(answer.body).not.toContain("charter_requests_total");
  });

test("with a token, a name with a slash in it is a name, and nothing else", async () => {
  const place = async (name: string) => {
    const { status, body } = await get(`/api/places/${name}`, bearer());
    return status === 200 ? (JSON.parse(body) as { place: string }).place : status;
  };
  expect(await place("a%2Fb")).toBe("a/b");
  expect(await place("..%2Fwho")).toBe("../who");
  expect(await place("%252e%252e")).toBe("%2e%2e");
  expect(await place("a/b")).toBe(404);
});

const requests: [what: string, words: () => string, status: number][] = [
  ["no HTTP at all", () => "hello\r\n\r\n", 400],
  ["TLS, where there is none", () => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400],
  ["no host", () => `GET /api/who HTTP/1.1\r\n${bearer()}\r\n\r\n`, 400],
  ["two hosts", () => `GET /api/who HTTP/1.1\r\n${host}\r\nhost: evil.example\r\n${close}\r\n${bearer()}\r\n\r\n`, 421],
  ["a host that is none", () => `GET /api/who HTTP/1.1\r\nhost: a b<script>\r\n${close}\r\n${bearer()}\r\n\r\n`, 400],
  [
    "a stranger's host, though it has the token",
    () => `GET /api/who HTTP/1.1\r\nhost: evil.example\r\n${close}\r\n${bearer()}\r\n\r\n`,
    421,
  ],
  ["a header broken over lines", () => `GET /api/who HTTP/1.1\r\n${host}\r\nx: a\r\n b: c\r\n${close}\r\n\r\n`, 400],
  ["a header with NUL", () => `GET /api/who HTTP/1.1\r\n${host}\r\nx: a\0b\r\n${close}\r\n\r\n`, 400],
  [
    "a bare line feed in a header",
    () => `GET /api/who HTTP/1.1\r\n${host}\r\nx: a\nset-cookie: b=c\r\n${close}\r\n\r\n`,
    400,
  ],
  ["headers that never end", () => `GET /api/who HTTP/1.1\r\n${host}\r\nx: ${"a".repeat(40_000)}\r\n\r\n`, 431],
  [
    "two ways to say how long it is",
    () =>
      `POST /api/any HTTP/1.1\r\n${host}\r\n${bearer()}\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  [
    "two lengths",
    () => `POST /api/any HTTP/1.1\r\n${host}\r\n${bearer()}\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello`,
    400,
  ],
  [
    "a length below nothing",
    () => `POST /api/any HTTP/1.1\r\n${host}\r\n${bearer()}\r\ncontent-length: -1\r\n\r\n`,
    400,
  ],
  [
    "a chunk of no size",
    () => `POST /api/any HTTP/1.1\r\n${host}\r\n${bearer()}\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`,
    400,
  ],
  ["a method nobody knows", () => `FETCH /api/who HTTP/1.1\r\n${host}\r\n${close}\r\n${bearer()}\r\n\r\n`, 400],
  ["TRACE", () => `TRACE /api/who HTTP/1.1\r\n${host}\r\n${close}\r\n${bearer()}\r\n\r\n`, 405],
];
for (const [what, words, status] of requests)
  test(`a request with ${what} is turned away in the usual shape, and the server stands`, async () => {
    const answer = await say(server.url, words());
    expect(answer.status).toBe(status);
    expect(answer.all.toLowerCase()).not.toContain("set-cookie");
    expect(JSON.parse(answer.body.replace(/^[\da-f]+\r\n|\r\n0\r\n\r\n$/g, ""))).toMatchObject({
      error: { code: expect.any(String) },
    });
    await standsFirm();
  });

test("a second request hidden in the first one's body is a body", async () => {
  const hidden = `GET /api/operator HTTP/1.1\r\n${host}\r\n${bearer()}\r\n\r\n`;
  core.lines.length = 0;
  const answer = await post(hidden, `content-length: ${hidden.length}`);
  expect([answer.status, answer.all.match(/HTTP\/1\.1/g)?.length]).toEqual([200, 1]);
  expect(core.lines.map(({ route }) => route)).toEqual(["/api/any"]);
});

test("a body that is too large is not read to its end, whether it says so or not", async () => {
  const said = await post("x".repeat(20_000), "content-length: 20000");
  expect(told(said)).toEqual([413, "too-large"]);
  const endless = `3e8\r\n${"x".repeat(1000)}\r\n`.repeat(20);
  expect(told(await post(endless, "transfer-encoding: chunked"))).toEqual([413, "too-large"]);
  await standsFirm();
});

test("a body in chunks is refused once it is too large, and not before", async () => {
  const chunks = (count: number) => `${`3e8\r\n${"x".repeat(1000)}\r\n`.repeat(count)}0\r\n\r\n`;
  expect((await post(chunks(10), "transfer-encoding: chunked")).status).toBe(200);
  expect(told(await post(chunks(11), "transfer-encoding: chunked"))).toEqual([413, "too-large"]);
});

test("whoever does not finish its headers is not waited for", async () => {
  const answer = await say(server.url, `GET /api/who HTTP/1.1\r\n${host}\r\nx: `);
  expect(told(answer)).toEqual([408, "too-slow"]);
  await standsFirm();
});

test("whoever does not finish its body is not waited for", async () => {
  const head = [`POST /api/any HTTP/1.1`, host, bearer(), "content-length: 100", "", "half"].join("\r\n");
  const answer = await say(server.url, head);
  expect([408, 400, 0]).toContain(answer.status);
  await standsFirm();
});

test("whoever says nothing at all is not waited for, and told nothing: it would be taken for a later request's answer", async () => {
  expect((await say(server.url, "")).all).toBe("");
});

test("whoever asked in time is answered, however busy this process was before it could read that", async () => {
  const own = await listen(core.app, { port: 0, headersMs: 50, requestMs: 800 });
  const asks = `fetch("${own.url}/health").then(({ status }) => require("node:worker_threads").parentPort.postMessage(status))`;
  const client = new Worker(asks, { eval: true, execArgv: [] });
  const answered = once(client, "message");
  // Between what comes to a turn of the loop, it is busy for longer than a client may take.
  const busy = setInterval(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200), 0);
  const [status] = await answered;
  clearInterval(busy);
  await own.close(0);
  expect(status).toBe(200);
});

test("hundreds who open a door and stand in it keep nobody out", async () => {
  const slow = Array.from({ length: 300 }, () => say(server.url, `GET /api/who HTTP/1.1\r\n${host}\r\n`));
  await standsFirm();
  for (const { status } of await Promise.all(slow)) expect([408, 0]).toContain(status);
  await standsFirm();
});

test("words of a stranger stand in no header of the answer", async () => {
  const evil = "evil%22%3E%3Cscript%3E";
  const answer = await get(`/api/places/${evil}`, bearer(), "x-request-id: evil", "origin: https://evil.example");
  expect(answer.status).toBe(200);
  expect(answer.head).not.toContain("evil");
});

test("the answer does not say what it is made with", async () => {
  const { head } = await get("/api/who", bearer());
  expect(head.toLowerCase()).not.toMatch(/x-powered-by|server:/);
});

test("an attempt to speak another protocol is answered in this one", async () => {
  const upgrade = await get("/api/who", bearer(), "connection: upgrade", "upgrade: websocket", "sec-websocket-key: x");
  expect(upgrade.status).toBe(200);
  const tunnel = await say(server.url, `CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example:443\r\n\r\n`);
  expect(tunnel.all).not.toContain("200");
  await standsFirm();
});
