import { afterAll, beforeAll, expect, test } from "vitest";
import { eventStream } from "../../src/server/follow.ts";
import { eventRoutes } from "../../src/server/routes/events.ts";
import { allRoutes } from "../../src/server/routes/index.ts";
import { newServed, type Served } from "./served.ts";

let served: Served;
let secret: string;
const beats = new Set<() => void>();
beforeAll(async () => {
  const every = (_milliseconds: number, work: () => void) => {
    beats.add(work);
    return () => beats.delete(work);
  };
  served = await newServed({ routes: [...allRoutes.slice(0, -1), eventRoutes({ every, most: 20 })] });
  secret = await served.token({ kind: "operator" });
});
afterAll(() => served.close());

const freeze = () => served.store.agents.freeze("ada", "amendments");

/** A stream, read piece by piece. */
async function follow(headers: Record<string, string> = {}, app = served.app) {
  const response = await app.fetch(
    new Request("http://localhost/api/events", { headers: { authorization: `Bearer ${secret}`, ...headers } }),
  );
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const next = async () => {
    const { done, value } = await reader.read();
    return done ? undefined : new TextDecoder().decode(value);
  };
  expect(await next()).toBe(": here\n\n");
  return { next, stop: () => reader.cancel() };
}

const idOf = (words: string | undefined) => Number(/^id: (\d+)/.exec(words ?? "")?.[1]);

test("an operator hears of what happens, as it happens, and from when it was away", async () => {
  const { next, stop } = await follow();
  await freeze();
  const first = await next();
  const id = idOf(first);
  const event = { id, scope: { agent: "ada" }, at: "2026-02-18T12:00:00.000Z", kind: "agent-frozen", turn: null };
  expect(first).toBe(
    `id: ${id}\nevent: agent-frozen\ndata: ${JSON.stringify({ ...event, detail: { what: "amendments" } })}\n\n`,
  );
  await stop();
  await served.store.agents.thaw("ada");
  await freeze();
  const again = await follow({ "last-event-id": String(id) });
  const [thawed, frozen] = [await again.next(), await again.next()];
  expect([thawed, frozen].map((words) => /event: (.*)/.exec(words ?? "")?.[1])).toEqual([
    "agent-thawed",
    "agent-frozen",
  ]);
  await freeze();
  expect(idOf(await again.next())).toBeGreaterThan(idOf(frozen));
  await again.stop();
});

test("silence is filled, and whoever goes is forgotten", async () => {
  const { next, stop } = await follow();
  await freeze();
  await next();
  expect(beats.size).toBe(1);
  for (const beat of beats) beat();
  expect(await next()).toBe(": still here\n\n");
  await stop();
  expect(beats.size).toBe(0);
});

// A stream that does not end is not waited for long.
test("a reader who does not read is let go, and comes back for the rest", { timeout: 20_000 }, async () => {
  const { next } = await follow();
  for (let count = 0; count < 40; count++) await freeze();
  const seen: number[] = [];
  for (let words = await next(); words !== undefined; words = await next()) seen.push(idOf(words));
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.length).toBeLessThan(40);
  const { next: after, stop } = await follow({ "last-event-id": String(seen.at(-1)) });
  expect(idOf(await after())).toBeGreaterThan(seen.at(-1) as number);
  await stop();
});

test("it ends with the server", { timeout: 20_000 }, async () => {
  const other = await newServed();
  secret = await other.token({ kind: "operator" });
  const { next } = await follow({}, other.app);
  other.app.close();
  expect(await next()).toBeUndefined();
  await other.close();
  secret = await served.token({ kind: "operator" });
});

test("who only asks for the headers keeps nobody listening", async () => {
  const init = { method: "HEAD", headers: { authorization: `Bearer ${secret}` } };
  const response = await served.app.fetch(new Request("http://localhost/api/events", init));
  expect([response.status, response.body, beats.size]).toEqual([200, null, 0]);
});

test("nobody else is told", async () => {
  expect((await served.bo("GET /events")).body.error.code).toBe("not-allowed");
  expect((await served.operator("GET /events", undefined, { "last-event-id": "yesterday" })).status).toBe(400);
});

test("a store that is away ends a stream, and nothing else: whoever goes then goes", async () => {
  const away = () => Promise.reject(new Error("The store is away."));
  const [closing, gone] = [new AbortController(), new AbortController()];
  let watched = 0;
  const watch = async () => {
    watched++;
    return async () => {
      watched--;
    };
  };
  for (const events of [
    { watch: away, list: away },
    { watch, list: away },
  ]) {
    const signals = { closing: closing.signal, gone: gone.signal };
    const reader = eventStream(events, { after: 1, ...signals }, { every: () => () => {} }).getReader();
    const readAll = async () => {
      while (!(await reader.read()).done);
    };
    await expect(readAll()).rejects.toThrow("The store is away.");
  }
  // What a listener of a signal throws would end the process.
  gone.abort();
  closing.abort();
  await new Promise(setImmediate);
  expect(watched).toBe(0);
});
