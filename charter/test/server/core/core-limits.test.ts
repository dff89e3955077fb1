import { SignJWT } from "jose";
import { afterEach, expect, test } from "vitest";
import { signInLink } from "../../../src/operations/users/tokens.ts";
import { createApi } from "../../../src/server/app.ts";
import { type Asking, type Core, newCore } from "./core-stage.ts";

let core: Core;
afterEach(() => core.close());

const wrong = (count: number) => `charter_${String(count).padStart(43, "0")}`;
const statuses = async (asked: readonly Asking[]) => {
  const all: number[] = [];
  for (const one of asked) all.push((await core.ask("/api/who", one)).status);
  return all;
};
const times = (count: number, asking: (at: number) => Asking) => Array.from({ length: count }, (_, at) => asking(at));

test("a caller who asks more often than it may is told when to come back; others are not held up", async () => {
  core = await newCore({ limits: { requestsPerMinute: { user: 3 } } });
  const token = core.tokens.ada;
  expect(await statuses(times(4, () => ({ token })))).toEqual([200, 200, 200, 429]);
  const answer = await core.ask("/api/who", { token });
  expect([answer.headers.get("retry-after"), await answer.json()]).toEqual([
    "20",
    {
      error: {
        code: "rate-limited",
        message: "This caller sends too many requests.",
        hint: "Try again in 20 s.",
      },
    },
  ]);
  expect(await statuses([{ token: core.tokens.bob }, { token: core.tokens.operator }])).toEqual([200, 200]);
  core.wait(20);
  expect(await statuses([{ token }, { token }])).toEqual([200, 429]);
});

test("requests that are turned away for other reasons count as well", async () => {
  core = await newCore({ limits: { requestsPerMinute: 3 } });
  const token = core.tokens.ada;
  for (const path of ["/api/nothing", "/api/broken", "/api/operator"]) await core.ask(path, { token });
  expect(await statuses([{ token }])).toEqual([429]);
});

test("tokens that are guessed are not looked at after a while; who is known still comes in", async () => {
  core = await newCore({ limits: { failuresPerMinute: 5 } });
  const from = "203.0.113.9";
  const good = core.tokens.ada;
  expect(await statuses([{ token: good, from }])).toEqual([200]);
  expect(await statuses(times(7, (at) => ({ token: wrong(at), from })))).toEqual([401, 401, 401, 401, 401, 429, 429]);
  const answer = await core.ask("/api/who", { token: wrong(99), from });
  expect(answer.headers.get("retry-after")).toBe("12");
  // Bob's token would hold; but whether it does is not found out from there, now.
  expect(
    await statuses([
      { token: core.tokens.bob, from },
      { token: good, from },
    ]),
  ).toEqual([429, 200]);
  expect(await statuses([{ token: core.tokens.bob, from: "203.0.113.10" }])).toEqual([200]);
  core.wait(12);
  expect(await statuses([{ token: core.tokens.agent, from }])).toEqual([200]);
});

test("who is known and then taken back is not known any more", async () => {
  core = await newCore({ limits: { failuresPerMinute: 2 } });
  const { id, secret } = await core.store.tokens.create({ name: "x", kind: "user", user: "ada" });
  expect(await statuses([{ token: secret }])).toEqual([200]);
  expect(await statuses(times(3, (at) => ({ token: wrong(at) })))).toEqual([401, 401, 429]);
  await core.store.tokens.revoke(id);
  expect(await statuses([{ token: secret }])).toEqual([401]);
});

test("someone who has not noticed that their token is over guesses nothing", async () => {
  core = await newCore({ limits: { failuresPerMinute: 3 } });
  expect(await statuses(times(50, () => ({ token: wrong(1) })))).toEqual(Array(50).fill(401));
  expect(await statuses([{ token: core.tokens.ada }])).toEqual([200]);
});

test("nor does a room full of people whose JSON Web Tokens end at the same moment", async () => {
  const secret = "a secret that is shared, 32 bytes";
  core = await newCore({ limits: { failuresPerMinute: 3 }, jwt: { secret } });
  const end = core.now().getTime() / 1000 + 60;
  const signed = (sub: string, exp: number) =>
    new SignJWT({ sub, exp }).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(secret));
  const tokens = await Promise.all(Array.from({ length: 20 }, (_, at) => signed(`user ${at}`, end)));
  expect(await statuses(tokens.map((token) => ({ token })))).toEqual(Array(20).fill(200));
  core.wait(70);
  expect(await statuses(tokens.map((token) => ({ token })))).toEqual(Array(20).fill(401));
  expect(await statuses([{ token: await signed("user 7", end + 3600) }])).toEqual([200]);
  const forged = times(5, (at) => ({ token: `${tokens[at]?.slice(0, -8)}AAAAAAAA` }));
  expect(await statuses(forged)).toEqual([401, 401, 401, 429, 429]);
});

test("one network of IPv6 is one guesser, however many addresses it has", async () => {
  core = await newCore({ limits: { failuresPerMinute: 4 } });
  const guess = (at: number) => ({ token: wrong(at), from: `2001:db8:1:2::${at.toString(16)}` });
  expect(await statuses(times(6, guess))).toEqual([401, 401, 401, 401, 429, 429]);
  expect(await statuses([{ token: core.tokens.ada, from: "2001:db8:1:3::1" }])).toEqual([200]);
});

test("behind a proxy of our own, everyone is counted for themselves, whatever they write into the header", async () => {
  core = await newCore({ limits: { failuresPerMinute: 2 }, proxies: 1 });
  const guess = (at: number) => ({
    ...{ token: wrong(at), from: "10.0.0.2" },
    headers: { "x-forwarded-for": `198.51.100.${at}, 203.0.113.9` },
  });
  expect(await statuses(times(4, guess))).toEqual([401, 401, 429, 429]);
  const headers = { "x-forwarded-for": "203.0.113.10" };
  expect(await statuses([{ token: core.tokens.ada, from: "10.0.0.2", headers }])).toEqual([200]);
});

test("a header nobody configured a proxy for is nobody's: a program on this machine guesses as one, and the log says so once", async () => {
  core = await newCore({ limits: { failuresPerMinute: 2 } });
  const guess = (at: number) => ({
    ...{ token: wrong(at), from: "127.0.0.1" },
    headers: {
      "x-forwarded-for": `198.51.100.${at}`,
      forwarded: `for=198.51.100.${at}`,
      "x-real-ip": `198.51.100.${at}`,
    },
  });
  expect(await statuses(times(4, guess))).toEqual([401, 401, 429, 429]);
  expect(core.lines.filter(({ kind }) => kind === "proxies-not-set")).toEqual([
    {
      about: "server",
      kind: "proxies-not-set",
      header: "x-forwarded-for",
      message: "A request came with “x-forwarded-for”, which is ignored.",
      hint: "Set proxies (CHARTER_PROXIES) to how many proxies of yours add to X-Forwarded-For; 0 for none.",
    },
  ]);
});

test("where it was said how many proxies there are, none included, the log has nothing to say; a wrong number is refused", async () => {
  for (const proxies of [0, 1]) {
    await core?.close();
    core = await newCore({ proxies });
    await core.ask("/health", { headers: { "x-forwarded-for": "198.51.100.1" } });
    expect(core.lines.map(({ kind }) => kind)).toEqual([undefined]);
  }
  for (const proxies of [-1, 1.5, Number.NaN])
    expect(() => createApi({ host: core.house, operator: "boss", routes: [], proxies })).toThrow(
      `“proxies” is ${proxies}.`,
    );
});

test("sign-in codes are not guessed either", async () => {
  core = await newCore({ limits: { failuresPerMinute: 3 } });
  const headers = { origin: "http://localhost", "x-charter-csrf": "1" };
  const handIn = async (code: string) => (await core.ask("/sign-in", { json: { code }, headers })).status;
  const all: number[] = [];
  for (let at = 0; at < 5; at++) all.push(await handIn(wrong(at)));
  expect(all).toEqual([401, 401, 401, 429, 429]);
  const code = (await signInLink(core.store, "")).split("#")[1] as string;
  expect(await handIn(code)).toBe(429);
  core.wait(20);
  expect(await handIn(code)).toBe(200);
});

test("no more of one caller's requests are worked on at once than may be; when one is done, another may come", async () => {
  const waiting: (() => void)[] = [];
  core = await newCore({
    limits: { concurrentRequests: { user: 2 } },
    routes: [
      (api) => {
        api.get("/slow", async (context) => {
          await new Promise<void>((resolve) => waiting.push(resolve));
          return context.json({});
        });
        api.get("/who", (context) => context.json({}));
      },
    ],
  });
  const token = core.tokens.ada;
  const both = [core.ask("/api/slow", { token }), core.ask("/api/slow", { token })];
  while (waiting.length < 2) await new Promise((resolve) => setImmediate(resolve));
  expect(await statuses([{ token }, { token: core.tokens.bob }])).toEqual([429, 200]);
  waiting[0]?.();
  expect((await Promise.race(both)).status).toBe(200);
  expect(await statuses([{ token }])).toEqual([200]);
  waiting[1]?.();
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
});

test("who leaves before it is known who asked takes no place from those who stay", async () => {
  core = await newCore({ limits: { concurrentRequests: { user: 1 } } });
  const headers = { authorization: `Bearer ${core.tokens.ada}` };
  const gone = { outgoing: { destroyed: true, once: () => {} } } as never;
  for (let count = 0; count < 3; count++)
    await core.app.fetch(new Request("http://localhost/api/who", { headers }), gone);
  expect(await statuses([{ token: core.tokens.ada }])).toEqual([200]);
});

test("a body is read up to its limit and no further, whether it says how long it is or not", async () => {
  core = await newCore({ limits: { bodyBytes: 1_000 } });
  const token = core.tokens.ada;
  const send = async (body: string | ReadableStream, headers: Record<string, string> = {}) => {
    const answer = await core.ask("/api/any", { method: "POST", token, body, headers, duplex: "half" } as never);
    return [answer.status, await answer.json()];
  };
  const told = {
    error: {
      code: "too-large",
      message: "The body has more than 1,000 bytes.",
      hint: "Send less at once; the operator can raise the limit.",
    },
  };
  expect(await send("x".repeat(1_000))).toEqual([200, { length: 1_000 }]);
  expect(await send("x".repeat(1_001))).toEqual([413, told]);
  expect(await send("é".repeat(501))).toEqual([413, told]);
  expect(await send("short", { "content-length": "5000" })).toEqual([413, told]);
  expect(await send("short", { "content-length": "x" })).toEqual([413, told]);
  let pulled = 0;
  let cancelled = false;
  const long = new ReadableStream({
    pull: (controller) => {
      pulled++;
      controller.enqueue(new Uint8Array(100).fill(120));
      if (pulled === 1_000) controller.close();
    },
    cancel: () => {
      cancelled = true;
    },
  });
  expect(await send(long, { "content-length": "5" })).toEqual([413, told]);
  expect([pulled < 20, cancelled]).toEqual([true, true]);
});

test("nobody's body is read before it is known who is asking", async () => {
  core = await newCore();
  let pulled = 0;
  const body = new ReadableStream(
    {
      pull: (controller) => {
        pulled++;
        controller.enqueue(new Uint8Array(10));
      },
    },
    { highWaterMark: 0 },
  );
  const answer = await core.ask("/api/any", { method: "POST", body, duplex: "half" } as never);
  expect([answer.status, pulled]).toEqual([401, 0]);
});

test("limits that are none are refused when the server is made", async () => {
  core = await newCore();
  for (const limits of [
    { requestsPerMinute: 0 },
    { bodyBytes: -1 },
    { failuresPerMinute: Number.NaN },
    { concurrentRequests: { user: 0 } },
  ])
    await expect(newCore({ limits })).rejects.toThrow(expect.objectContaining({ code: "bad-limit" }));
});
