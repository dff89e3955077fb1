import { once } from "node:events";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ListeningServer, listen } from "../../../src/server/listen.ts";
import { say } from "../wire.ts";
import { type Core, newCore, sampleRoutes } from "./core-stage.ts";

let core: Core;
let server: ListeningServer;
let goOn: () => void = () => {};
const began = Promise.withResolvers<void>();
let ended = 0;

beforeAll(async () => {
  core = await newCore({
    routes: [
      sampleRoutes,
      (api, { closing }) => {
        api.get("/slow", async (context) => {
          await new Promise<void>((resolve) => {
            goOn = resolve;
            began.resolve();
          });
          return context.json({ done: true });
        });
        api.get("/endless", (context) => {
          const body = new ReadableStream({
            start: (controller) => {
              controller.enqueue("data: first\n\n");
              closing.addEventListener("abort", () => {
                ended++;
                controller.close();
              });
            },
            cancel: () => void ended++,
          }).pipeThrough(new TextEncoderStream());
          return context.body(body, 200, { "content-type": "text/event-stream" });
        });
      },
    ],
  });
  server = await listen(core.app, { port: 0 });
});
afterAll(async () => {
  await server.close(0);
  await core.close();
});

const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

test("a thousand that connect while the process is busy wait, and none is dropped", async () => {
  const flags = new Int32Array(new SharedArrayBuffer(8));
  const connects = `
    const { port, count, flags } = require("node:worker_threads").workerData;
    const sockets = Array.from({ length: count }, () => require("node:net").connect(port, "127.0.0.1"));
    let open = 0;
    for (const one of sockets) one.on("connect", () => ++open === count && (Atomics.store(flags, 0, 1), Atomics.notify(flags, 0)));`;
  const workerData = { port: Number(new URL(server.url).port), count: 1000, flags };
  const worker = new Worker(connects, { eval: true, workerData });
  // This thread accepts nothing meanwhile. Whoever finds no room tries again until it is given up.
  expect(Atomics.wait(flags, 0, 0, 20_000)).toBe("ok");
  await worker.terminate();
});

test("a port is opened on this machine only, and answers", async () => {
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const answer = await fetch(`${server.url}/api/who`, as(core.tokens.ada));
  expect([answer.status, await answer.json()]).toMatchObject([200, { user: "ada" }]);
  const json = { method: "POST", body: JSON.stringify({ name: "Ada" }) };
  const headers = { ...as(core.tokens.ada).headers, "content-type": "application/json" };
  expect(await (await fetch(`${server.url}/api/greet/Rome`, { ...json, headers })).json()).toEqual({
    said: "Rome: Hello, Ada!",
  });
});

test("a body is read the same way from the wire: whole, with its kind said, within its limit", async () => {
  const send = async (
    path: string,
    body: string | Uint8Array<ArrayBuffer> | undefined,
    more: Record<string, string> = {},
  ) => {
    const headers = { ...as(core.tokens.ada).headers, ...more };
    const answer = await fetch(`${server.url}${path}`, {
      method: "POST",
      headers,
      ...(body === undefined ? {} : { body }),
    });
    return [answer.status, await answer.json()];
  };
  const json = { "content-type": "application/json" };
  const error = (code: string) => ({ error: expect.objectContaining({ code }) });
  const bytes = new TextEncoder().encode('{"name":"Ada"}');
  expect(await send("/api/greet/Rome", bytes, json)).toEqual([200, { said: "Rome: Hello, Ada!" }]);
  expect(await send("/api/greet/Rome", bytes)).toEqual([415, error("bad-content-type")]);
  expect(await send("/api/greet/Rome", undefined, json)).toEqual([400, error("bad-request")]);
  expect(await send("/api/greet/Rome", new Uint8Array([0xff, 0xfe]), json)).toEqual([400, error("bad-request")]);
  expect(await send("/api/any", undefined)).toEqual([200, { length: 0 }]);
  expect(await send("/api/any", "x".repeat(1_048_576))).toEqual([200, { length: 1_048_576 }]);
  expect(await send("/api/any", "x".repeat(1_048_577))).toEqual([413, error("too-large")]);
});

test("a port that is taken, and an address that is not ours, are said so", async () => {
  const port = Number(new URL(server.url).port);
  await expect(listen(core.app, { port })).rejects.toThrow(expect.objectContaining({ code: "port-taken" }));
  await expect(listen(core.app, { port: 0, host: "203.0.113.1" })).rejects.toThrow(
    expect.objectContaining({ code: "bad-host" }),
  );
});

test("guesses are counted by the address they come from", async () => {
  const stage = await newCore({ limits: { failuresPerMinute: 2 } });
  const here = await listen(stage.app, { port: 0 });
  const guess = async (at: number) => (await fetch(`${here.url}/api/who`, as(`charter_${at}`))).status;
  expect([await guess(1), await guess(2), await guess(3)]).toEqual([401, 401, 429]);
  await here.close(0);
  await stage.close();
});

test("an answer that is still being written counts as one at once, until it ends", async () => {
  const stage = await newCore({
    limits: { concurrentRequests: { user: 1 } },
    routes: [
      (api) => {
        api.get("/endless", (context) =>
          context.body(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) })),
        );
        api.get("/who", (context) => context.json({}));
      },
    ],
  });
  const here = await listen(stage.app, { port: 0 });
  const leave = new AbortController();
  const open = await fetch(`${here.url}/api/endless`, { ...as(stage.tokens.ada), signal: leave.signal });
  expect(open.status).toBe(200);
  const who = async () => (await fetch(`${here.url}/api/who`, as(stage.tokens.ada))).status;
  expect(await who()).toBe(429);
  leave.abort();
  let status = 429;
  while (status === 429) status = await who();
  expect(status).toBe(200);
  await here.close(0);
  await stage.close();
});

test("a client that leaves in the middle of its body is no fault of the server's", async () => {
  core.lines.length = 0;
  const head = `POST /api/any HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${core.tokens.ada}\r\n`;
  let told = false;
  await say(server.url, `${head}content-length: 100\r\nexpect: 100-continue\r\n\r\n`, (so, more, leave) => {
    if (!so.includes("100 Continue") || told) return;
    told = true;
    more("half of it");
    leave();
  });
  while (core.lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(core.lines[0]).toMatchObject({ route: "/api/any", status: 400, code: "bad-request" });
});

test("whoever asks whether to send a body that is too large is told not to", async () => {
  const head = `POST /api/any HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${core.tokens.ada}\r\n`;
  const large = await say(
    server.url,
    `${head}content-length: 5000000\r\nexpect: 100-continue\r\n\r\n`,
    (so, _, leave) => {
      if (so.includes("too-large")) leave();
    },
  );
  expect([large.status, large.all.includes("100 Continue")]).toEqual([413, false]);
});

test("closing waits for what runs, ends what would never end, and takes nothing new", async () => {
  const here = await listen(core.app, { port: 0 });
  const slow = fetch(`${here.url}/api/slow`, as(core.tokens.ada));
  await began.promise;
  const endless = await fetch(`${here.url}/api/endless`, as(core.tokens.ada));
  const reading = endless.text();
  // One that is kept alive, and idle.
  await (await fetch(`${here.url}/health`)).text();
  const before = ended;
  const closed = here.close(10_000);
  await expect(fetch(`${here.url}/health`)).rejects.toThrow();
  expect([await reading, ended - before]).toEqual(["data: first\n\n", 1]);
  goOn();
  const answer = await slow;
  expect([answer.status, await answer.json()]).toEqual([200, { done: true }]);
  await closed;
});

test("closing does not wait for a connection that nobody has asked anything over", async () => {
  const other = await listen(core.app, { port: 0 });
  const early = connect(Number(new URL(other.url).port), "127.0.0.1");
  await once(early, "connect");
  await fetch(`${other.url}/health`);
  await Promise.all([other.close(600_000), once(early.resume(), "close")]);
});

test("what does not end in time is cut off", async () => {
  const stage = await newCore({
    routes: [
      (api) => {
        api.get("/deaf", (context) =>
          context.body(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) })),
        );
      },
    ],
  });
  const here = await listen(stage.app, { port: 0 });
  const deaf = await fetch(`${here.url}/api/deaf`, as(stage.tokens.ada));
  const reading = deaf.text();
  await Promise.all([here.close(50), expect(reading).rejects.toThrow()]);
  await stage.close();
});

test("connections beyond the most are closed as they come", async () => {
  const stage = await newCore();
  const here = await listen(stage.app, { port: 0, connections: 1 });
  const first = connect(Number(new URL(here.url).port), "127.0.0.1");
  await once(first, "connect");
  const second = await say(here.url, "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
  expect(second.all).toBe("");
  first.destroy();
  await here.close(0);
  await stage.close();
});
