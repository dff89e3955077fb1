import { afterAll, beforeAll, expect, test } from "vitest";
import { eventOperations } from "../../../src/operations/conversations/conversations.ts";
import { allRoutes, createApi } from "../../../src/server/app.ts";
import { operationRoutes } from "../../../src/server/operation-routes.ts";
import { answerEvents, eventFeed, type TransientEvent } from "../../../src/server/turns/events.ts";
import type { StoreEvent } from "../../../src/store/event.ts";
import { newServed, type Served } from "../served.ts";

const eventRoutes = (options: Parameters<typeof answerEvents>[0] = {}) =>
  operationRoutes(eventOperations, { "events.follow": answerEvents(options) });

let served: Served;
let secret: string;
const beats = new Set<() => void>();
beforeAll(async () => {
  const every = (_milliseconds: number, work: () => void) => {
    beats.add(work);
    return () => beats.delete(work);
  };
  served = await newServed({ routes: [eventRoutes({ every, maxWaiting: 20 }), ...allRoutes] });
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

test("a turn is told of when it begins, without an id, and when it ended, with one", async () => {
  const { next, stop } = await follow();
  const asked = { agent: "ada", user: "bo", channel: "web", input: "Say nothing of this." };
  const { turn, session } = await served.house.runTurn(asked);
  const about = { scope: { agent: "ada", user: "bo" }, at: "2026-02-18T12:00:00.000Z" };
  const started = { ...about, kind: "turn-started", turn, detail: { session, channel: "web" } };
  expect(await next()).toBe(`event: turn-started\ndata: ${JSON.stringify(started)}\n\n`);
  const ended = await next();
  const id = idOf(ended);
  const event = { id, ...about, kind: "turn-ended", turn, detail: { state: "answered" } };
  expect(ended).toBe(`id: ${id}\nevent: turn-ended\ndata: ${JSON.stringify(event)}\n\n`);
  await stop();
  // Whoever was away is told what is kept, and that is the end of it.
  const again = await follow({ "last-event-id": String(id - 1) });
  expect(await again.next()).toBe(ended);
  await again.stop();
});

test("a user hears of their own, with their agent, and nothing that is the operator's; one watch is enough for all", async () => {
  const as = async (user: string, agent?: string) => ({
    authorization: `Bearer ${await served.token({ kind: "user", user, ...(agent === undefined ? {} : { agent }) })}`,
  });
  let watches = 0;
  const { store } = served.house;
  const watched: Served["house"] = {
    ...served.house,
    store: {
      ...store,
      events: {
        ...store.events,
        watch: (listener) => {
          watches++;
          return store.events.watch(listener);
        },
      },
    },
  };
  const app = createApi({ host: watched, operator: "olga", routes: [eventRoutes()] });
  const bo = await follow(await as("bo", "ada"), app);
  const cy = await follow(await as("cy"), app);
  const boWithEve = await follow(await as("bo", "eve"), app);
  await freeze();
  const say = (agent: string, user: string) => served.house.runTurn({ agent, user, channel: "web", input: "Hush." });
  await say("ada", "cy");
  const { turn } = await say("ada", "bo");
  const other = await say("eve", "bo");
  const heard = async ({ next, stop }: Awaited<ReturnType<typeof follow>>) => {
    const all = [await next(), await next()];
    await stop();
    return all.map((words) => JSON.parse(/^data: (.*)$/m.exec(words ?? "")?.[1] as string));
  };
  const facts = (events: { kind: string; scope: object; turn: string; detail: object }[]) =>
    events.map(({ kind, scope, turn: id, detail }) => ({ kind, scope, turn: id, detail }));
  const mine = { scope: { agent: "ada", user: "bo" }, turn };
  expect(facts(await heard(bo))).toEqual([
    { kind: "turn-started", ...mine, detail: { session: expect.any(String), channel: "web" } },
    { kind: "turn-ended", ...mine, detail: { state: "answered" } },
  ]);
  expect((await heard(cy)).map(({ scope }) => scope.user)).toEqual(["cy", "cy"]);
  expect((await heard(boWithEve)).map((event) => event.turn)).toEqual([other.turn, other.turn]);
  expect(watches).toBe(1);
  const again = await follow({ ...(await as("bo", "ada")), "last-event-id": "0" }, app);
  expect(/"scope":(\{[^}]*\})/.exec((await again.next()) ?? "")?.[1]).toBe('{"agent":"ada","user":"bo"}');
  await again.stop();
  expect(watches).toBe(2);
  app.close();
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
test("a reader who does not read is let go, and comes back for the rest", async () => {
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

test("it ends with the server", async () => {
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

test("an agent's program is told nothing", async () => {
  const agents = served.as(await served.token({ kind: "agent", agent: "ada" }));
  expect((await agents("GET /events")).body.error.code).toBe("not-allowed");
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
    const signals = { closing: closing.signal, disconnected: gone.signal, shutOut: new AbortController().signal };
    const reader = eventFeed(events, { after: 1, ...signals }, { every: () => () => {} }).getReader();
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

test("what happens while one comes back is told once, none of it is lost, and no turn begins after its end", async () => {
  const event = (id: number, kind = "amended"): StoreEvent => ({
    ...{ id, kind, scope: { agent: "ada" }, at: "2026-02-18T12:00:00.000Z", turn: "t1", detail: {} },
  });
  const { id: _, ...started } = event(0, "turn-started");
  let hear: (event: StoreEvent) => void = () => {};
  let pass: (event: TransientEvent) => void = () => {};
  const events = {
    watch: async (listener: (event: StoreEvent) => void) => {
      hear = listener;
      return async () => {};
    },
    // PostgreSQL may show the eighth before the seventh, which is written meanwhile.
    list: async () => {
      pass(started);
      const found = [event(8, "turn-ended"), event(6)];
      for (const one of [event(8, "turn-ended"), event(7), event(9)]) hear(one);
      return found;
    },
  };
  const watchTransient = (listener: (event: TransientEvent) => void) => {
    pass = listener;
    return () => {};
  };
  const [closing, gone] = [new AbortController(), new AbortController()];
  const signals = { closing: closing.signal, disconnected: gone.signal, shutOut: new AbortController().signal };
  const stream = eventFeed(events, { after: 5, ...signals, watchTransient }, { every: () => () => {} });
  const reader = stream.getReader();
  const told: string[] = [];
  for (let count = 0; count < 6; count++) {
    const { value } = await reader.read();
    const words = new TextDecoder().decode(value);
    told.push(`${Number.isNaN(idOf(words)) ? "" : idOf(words)} ${/event: (.*)/.exec(words)?.[1] ?? words.trim()}`);
  }
  expect(told).toEqual([" : here", " turn-started", "6 amended", "8 turn-ended", "7 amended", "9 amended"]);
  await reader.cancel();
});
