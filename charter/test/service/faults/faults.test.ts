import { expect, test } from "vitest";
import { eventually } from "../../eventually.ts";
import { newPlace } from "../../homes.ts";
import { startTelegram } from "../../telegram/fake.ts";
import { answering, linkChat } from "../busy.ts";
import { movedClock } from "../clock.ts";
import { shapeFaults } from "../load.ts";
import { type Answer, openService, type ServiceOptions } from "../opened.ts";
import { startProvider } from "../provider.ts";

type Closing = { readonly push: (close: () => unknown) => unknown };

/** They wait more than they work, so they wait together; each closes its own, the last opened first. */
function faultTest(name: string, work: (closing: Closing) => Promise<void>): void {
  test.concurrent(name, async () => {
    const closing: (() => unknown)[] = [];
    try {
      await work(closing);
    } finally {
      for (const close of closing.reverse()) await close();
    }
  });
}

async function newService(closing: Closing, options: ServiceOptions) {
  const place = await newPlace("sqlite");
  closing.push(place.remove);
  const service = await openService(place, options);
  closing.push(service.close);
  const secret = await service.token({ kind: "user", user: "bo" });
  const bo = service.as(secret);
  return { ...service, bo, secret, say: (input: string) => bo("POST /api/agents/ada/turns", { input }) };
}

const inAnHour = (clock: () => Date) => new Date(clock().getTime() + 3_600_000).toISOString();

const told = (answer: Answer) => [answer.status, answer.body?.error?.code, shapeFaults(answer)];

faultTest(
  `a model that is away, is said to be: each turn is on record as failed, a schedule succeeds later`,
  async (closing) => {
    const provider = await startProvider();
    closing.push(provider.down);
    const { model, env } = provider;
    const config = { model, limits: { retries: 0 } };
    const clock = movedClock();
    const { store, say, bo } = await newService(closing, { clock, env, config });
    expect((await say("Before.")).body).toMatchObject({ reply: "Re: Before." });
    await provider.down();
    const refused = await say("One.");
    expect(told(refused)).toEqual([502, "model-unreachable", []]);
    const { turn } = refused.body.error;
    expect((await bo(`GET /api/turns/${turn}`)).body).toMatchObject({ input: "One.", state: "failed", reply: null });
    const at = inAnHour(clock);
    const due = { title: "Later", input: "Due.", at, maxTries: 10 };
    const scheduled = await bo("POST /api/agents/ada/schedules", due);
    expect(scheduled.status).toBe(201);
    const runs = () => store.runs.list({ schedule: scheduled.body.id });
    clock.reach(at);
    await eventually(async () => (await runs())[0]?.state === "waiting" && (await runs())[0]?.tries !== 0);

    await provider.up();
    const rows: [says: number, answered: number, code: string][] = [
      [500, 502, "model-failed"],
      [429, 503, "model-busy"],
      [503, 503, "model-busy"],
      [401, 502, "model-rejected"],
    ];
    for (const [status, answered, code] of rows) {
      provider.mode({ status });
      expect(told(await say(`While it says ${status}.`))).toEqual([answered, code, []]);
    }
    provider.mode("answers");
    expect((await say("After.")).body).toMatchObject({ reply: "Re: After." });
    await eventually(async () => {
      const [run] = await runs();
      if (run?.nextTryAt) clock.reach(run.nextTryAt);
      return run?.endedAt !== null;
    });
    const [run, ...others] = await runs();
    expect([run?.state, (run?.tries ?? 0) > 1, others]).toEqual(["answered", true, []]);
    const states = (await bo("GET /api/agents/ada/turns?limit=50")).body.turns as { input: string; state: string }[];
    const answered = states.filter(({ state }) => state === "answered").map(({ input }) => input);
    expect(answered.sort()).toEqual(["After.", "Before.", "Due."]);
  },
);

faultTest(
  `Telegram is away: what was written there comes later, what is to be sent waits and is sent once`,
  async (closing) => {
    const clock = movedClock();
    const telegram = await startTelegram({ clock });
    closing.push(telegram.close);
    const { store, bo } = await newService(closing, { model: answering, telegram, clock });
    await linkChat(store, telegram, { user: "bo", chat: 7 });
    telegram.says(7, "Before.");
    await telegram.until(() => telegram.textsTo(7).includes("Re: Before."));
    telegram.down();
    telegram.says(7, "Meanwhile, one.");
    const at = inAnHour(clock);
    const due = { title: "Meanwhile", input: "Due meanwhile.", at };
    expect((await bo("POST /api/agents/ada/schedules", due)).status).toBe(201);
    clock.reach(at);
    // Its answer has been tried to be sent, in vain.
    const waiting = () => store.dispatches.list({ agent: "ada", state: "waiting" });
    await eventually(async () => ((await waiting())[0]?.tries ?? 0) > 0);
    telegram.says(7, "Meanwhile, two.");
    telegram.up();
    const expected = ["Re: Before.", "Re: Due meanwhile.", "Re: Meanwhile, one.", "Re: Meanwhile, two."];
    await eventually(async () => {
      const [next] = await waiting();
      if (next?.nextTryAt) clock.reach(next.nextTryAt);
      return telegram.textsTo(7).length >= expected.length && telegram.pending() === 0 && !next;
    });
    expect([...telegram.textsTo(7)].sort()).toEqual(expected);
  },
);

faultTest("a client that goes away finds the answer on record, and is counted until it is there", async (closing) => {
  const provider = await startProvider();
  closing.push(provider.down);
  provider.mode("waits");
  const { model, env } = provider;
  const config = { model, apiLimits: { concurrentRequests: { user: 2 } } };
  const { store, host, url, bo, secret } = await newService(closing, { env, config });
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
  const refused = [429, "rate-limited", []];
  expect(told(await bo("GET /api/me"))).toEqual(refused);
  gone.abort();
  // Their turns go on, and count for as long: nobody has more at once by going away.
  expect([told(await bo("GET /api/me")), host.runningTurns()]).toEqual([refused, 2]);
  provider.letGo();
  await eventually(async () => (await bo("GET /api/me")).status === 200);
  const turns = await store.turns.list({ agent: "ada" });
  expect(turns.map(({ input, state, reply }) => [input, state, reply]).sort()).toEqual([
    ["One.", "answered", "Re: One."],
    ["Two.", "answered", "Re: Two."],
  ]);
});

faultTest("a model that never answers: the turn has its limit, and the next is fine", async (closing) => {
  const provider = await startProvider();
  closing.push(provider.down);
  provider.mode("waits");
  const { model, env } = provider;
  const { say, host } = await newService(closing, {
    env,
    config: { model, limits: { turnSeconds: 1 } },
  });
  expect(told(await say("Well?"))).toEqual([502, "turn-time", []]);
  expect(host.runningTurns()).toBe(0);
  provider.mode("answers");
  // It has the same limit, which a slow machine may need several times.
  await eventually(async () => (await say("And now?")).body.reply === "Re: And now?");
});
