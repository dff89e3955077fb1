import { afterEach, describe, expect, test } from "vitest";
import { homes, newPlace } from "../homes.ts";
import { startTelegram } from "../telegram/fake.ts";
import { answering, linkChat } from "./busy.ts";
import { hastyClock } from "./clock.ts";
import { shapeFaults } from "./load.ts";
import { type Answer, eventually, openService, type ServiceOptions } from "./opened.ts";
import { startProvider } from "./provider.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function newService(home: (typeof homes)[number], options: ServiceOptions) {
  const place = await newPlace(home);
  closing.push(place.remove);
  const service = await openService(place, options);
  closing.push(service.close);
  const bo = service.as(await service.token({ kind: "user", user: "bo" }));
  return { ...service, bo, say: (input: string) => bo("POST /api/agents/ada/turns", { input }) };
}

const told = (answer: Answer) => [answer.status, answer.body?.error?.code, shapeFaults(answer)];

describe.each(homes)("a model that is away, on %s", (home) => {
  test("is said to be, in the one shape, each turn on record as failed; a schedule is tried again and succeeds later", async () => {
    const provider = await startProvider();
    closing.push(provider.down);
    const { model, env } = provider;
    const config = { model, limits: { retries: 0 } };
    const clock = hastyClock(100);
    const { store, say, bo } = await newService(home, { clock, env, config });
    expect((await say("Before.")).body.reply).toBe("Re: Before.");
    await provider.down();
    const refused = await say("One.");
    expect(told(refused)).toEqual([502, "model-unreachable", []]);
    const { turn } = refused.body.error;
    expect((await bo(`GET /api/turns/${turn}`)).body).toMatchObject({ input: "One.", state: "failed", reply: null });
    const at = new Date(clock().getTime() + 30_000).toISOString();
    const due = { title: "Later", input: "Due.", at, mostTries: 10 };
    const { id } = (await bo("POST /api/agents/ada/schedules", due)).body;
    const runs = () => store.runs.list({ schedule: id });
    await eventually(async () => (await runs())[0]?.state === "waiting" && (await runs())[0]?.tries !== 0);

    await provider.up();
    for (const [status, code] of [
      [500, "model-failed"],
      [429, "model-busy"],
      [503, "model-failed"],
    ] as const) {
      provider.mode({ status });
      const { status: answered, body } = await say(`While it says ${status}.`);
      expect([answered, body.error.code]).toEqual([code === "model-busy" ? 503 : 502, code]);
    }
    provider.mode("answers");
    expect((await say("After.")).body.reply).toBe("Re: After.");
    await eventually(async () => (await runs())[0]?.endedAt !== null);
    const [run, ...others] = await runs();
    expect([run?.state, (run?.tries ?? 0) > 1, others]).toEqual(["answered", true, []]);
    const states = (await bo("GET /api/agents/ada/turns?limit=50")).body.turns as { input: string; state: string }[];
    const answered = states.filter(({ state }) => state === "answered").map(({ input }) => input);
    expect(answered.sort()).toEqual(["After.", "Before.", "Due."]);
  });
});

describe.each(homes)("Telegram is away, on %s", (home) => {
  test("what was written there meanwhile comes later; what is to be sent waits, and is sent once", async () => {
    const clock = hastyClock(10);
    const telegram = await startTelegram({ clock });
    closing.push(telegram.close);
    const { store, bo } = await newService(home, { model: answering, telegram, clock });
    await linkChat(store, telegram, { user: "bo", chat: 7 });
    telegram.says(7, "Before.");
    await telegram.until(() => telegram.textsTo(7).includes("Re: Before."));
    telegram.down();
    telegram.says(7, "Meanwhile, one.");
    const at = new Date(clock().getTime() + 2000).toISOString();
    await bo("POST /api/agents/ada/schedules", { title: "Meanwhile", input: "Due meanwhile.", at });
    // Its answer has been tried to be sent, in vain.
    await eventually(async () => (await store.dispatches.list({ agent: "ada", state: "waiting" }))[0]?.tries === 1);
    telegram.says(7, "Meanwhile, two.");
    telegram.up();
    const expected = ["Re: Before.", "Re: Due meanwhile.", "Re: Meanwhile, one.", "Re: Meanwhile, two."];
    await telegram.until(() => telegram.textsTo(7).length >= expected.length && telegram.pending() === 0);
    await eventually(async () => (await store.dispatches.list({ agent: "ada", state: "waiting" })).length === 0);
    expect([...telegram.textsTo(7)].sort()).toEqual(expected);
  });
});

describe("a client that goes away", () => {
  test("finds the answer on record, is counted no longer, and keeps nobody waiting", async () => {
    const provider = await startProvider();
    closing.push(provider.down);
    provider.mode("waits");
    const { model, env } = provider;
    const config = { model, apiLimits: { atOnce: { user: 2 } } };
    const { store, house, url, bo, token } = await newService("sqlite", { env, config });
    const secret = await token({ kind: "user", user: "bo" });
    const gone = new AbortController();
    for (const [input, accept] of [
      ["One.", "application/json"],
      ["Two.", "text/event-stream"],
    ] as const) {
      const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json", accept };
      const body = JSON.stringify({ input, session: "new" });
      const asked = fetch(`${url}/api/agents/ada/turns`, { method: "POST", headers, body, signal: gone.signal });
      asked.then((answer) => answer.text()).catch(() => {});
    }
    await provider.waiting(2);
    gone.abort();
    // Neither of them counts any more against what a caller may ask at once.
    await eventually(async () => (await bo("GET /api/me")).status === 200);
    expect(house.running()).toBe(2);
    provider.letGo();
    await eventually(() => house.running() === 0);
    const turns = await store.turns.list({ agent: "ada" });
    expect(turns.map(({ input, state, reply }) => [input, state, reply]).sort()).toEqual([
      ["One.", "answered", "Re: One."],
      ["Two.", "answered", "Re: Two."],
    ]);
  });

  test("or stays, of a model that never answers: the turn has its limit, and the next is fine", async () => {
    const provider = await startProvider();
    closing.push(provider.down);
    provider.mode("waits");
    const { model, env } = provider;
    const { say, house } = await newService("sqlite", { env, config: { model, limits: { turnSeconds: 1 } } });
    expect(told(await say("Well?"))).toEqual([502, "turn-time", []]);
    expect(house.running()).toBe(0);
    provider.mode("answers");
    expect((await say("And now?")).body.reply).toBe("Re: And now?");
  });
});
