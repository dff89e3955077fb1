import { afterEach, describe, expect, test } from "vitest";
import { createScheduler } from "../../../src/channels/scheduled/scheduler.ts";
import { spoken } from "../../agent/model.ts";
import { newServed, type Served } from "../served.ts";

let served: Served;
afterEach(() => served.close());

describe("sessions over HTTP", () => {
  test("are listed, opened and summed up; the first answer says so", async () => {
    served = await newServed();
    const { bo, cy, operator, model } = served;
    model.say("One!", "Two!", "In short: one.", "Three!");
    const first = await bo("POST /agents/ada/turns", { input: "One." });
    served.wait(60);
    const opened = await bo("POST /agents/ada/sessions", {});
    expect([opened.status, opened.body]).toEqual([
      201,
      {
        id: expect.any(String),
        scope: { agent: "ada", user: "bo" },
        receiver: "test/one",
        channel: "web",
        because: "new",
        startedAt: "2026-02-18T12:01:00.000Z",
        lastAt: "2026-02-18T12:01:00.000Z",
        endedAt: null,
      },
    ]);
    const second = await bo("POST /agents/ada/turns", { input: "Two." });
    expect([second.body.session, second.body.notices]).toEqual([
      opened.body.id,
      [{ code: "session-new", message: "This is a new session: what was said before is not in it." }],
    ]);
    const { status, body } = await bo("GET /agents/ada/sessions?channel=web&open=true");
    const shown = body.sessions.map((one: { id: string; turns: number; firstInput: string }) => [
      one.id,
      one.turns,
      one.firstInput,
    ]);
    expect([status, shown, body.more]).toEqual([
      200,
      [
        [opened.body.id, 1, "Two."],
        [first.body.session, 1, "One."],
      ],
      false,
    ]);
    expect((await cy("GET /agents/ada/sessions")).body.sessions).toEqual([]);
    expect((await operator("GET /agents/ada/sessions?user=bo")).body.sessions).toHaveLength(2);

    const path = `POST /agents/ada/sessions/${first.body.session}/compact`;
    const summed = await bo(path);
    expect([summed.status, summed.body]).toEqual([
      200,
      {
        turn: expect.any(String),
        session: first.body.session,
        before: expect.any(Number),
        after: expect.any(Number),
      },
    ]);
    const back = await bo("POST /agents/ada/turns", { input: "Three.", session: first.body.session });
    expect(back.body.reply).toBe("Three!");
    expect(spoken(model.requests.at(-1) as never).slice(0, 2)).toEqual([
      "user: [What was said before, in short]\nIn short: one.",
      "user: Three.",
    ]);
    expect((await cy(path)).status).toBe(404);
    const empty = (await bo("POST /agents/ada/sessions", {})).body.id;
    const nothing = await bo(`POST /agents/ada/sessions/${empty}/compact`);
    expect([nothing.status, nothing.body.error.code]).toEqual([409, "nothing-said"]);
  });

  test("the agent's settings say when one is idle and whether one has all channels; nonsense is refused", async () => {
    served = await newServed();
    const { operator, model } = served;
    const set = (sessions: unknown) => operator("PATCH /agents/ada", { settings: { sessions } });
    expect((await set({ idleHours: -1 })).body.error).toMatchObject({
      code: "bad-settings",
      message: "The settings: “sessions.idleHours” is -1.",
    });
    expect((await set({ idleHours: 1, across: true })).body.error).toBeUndefined();
    const ask = async (channel: string) =>
      (await operator("POST /agents/ada/turns", { input: "Hello.", user: "bo", channel })).body;
    const web = await ask("web");
    const chat = await ask("telegram");
    expect(chat.session).toBe(web.session);
    const [first, second] = model.requests;
    expect(second?.system).toEqual(first?.system);
    const said = spoken(second as never);
    expect(said.filter((text) => !text.startsWith("system:"))).toEqual([
      "user: (by web)\nHello.",
      "assistant: Fine.",
      "user: (by telegram)\nHello.",
    ]);
    expect(said.filter((text) => text.startsWith("system: ## Channel")).map((text) => text.split("\n")[1])).toEqual([
      "You are responding via web.",
      "You are responding via telegram.",
    ]);
    expect(JSON.stringify(second?.messages.at(-1))).toContain("You are responding via telegram.");
    served.wait(3700);
    const later = await ask("web");
    expect(later.session).not.toBe(web.session);
    expect(later.notices.map(({ code }: { code: string }) => code)).toEqual(["session-new"]);
  });

  test("what a schedule said in one is listed with its turns where that is asked for, and counted apart", async () => {
    served = await newServed();
    const { bo, model, house } = served;
    const { body: own } = await bo("POST /agents/ada/turns", { input: "Hello." });
    const at = new Date((await house.store.turns.get(own.turn)).startedAt).getTime() + 60_000;
    const digest = { title: "Digest", input: "Write it.", at: new Date(at).toISOString() };
    expect((await bo("POST /agents/ada/schedules", digest)).status).toBe(201);
    served.wait(61);
    model.say("News.");
    const worker = createScheduler({ host: house });
    expect(await worker.tick()).toBe(1);
    await worker.stop(0);
    const within = `GET /agents/ada/turns?session=${own.session}`;
    const [turns, all, odd] = [await bo(within), await bo(`${within}&told=true`), await bo(`${within}&told=1`)];
    expect([turns.body.total, all.body.total, odd.status]).toEqual([1, 2, 400]);
    expect(all.body.turns[0]).toMatchObject({ reply: "News.", told: { session: own.session, schedule: "Digest" } });
    expect((await bo("GET /agents/ada/sessions")).body.sessions).toMatchObject([
      { id: own.session, turns: 1, told: 1 },
    ]);
  });
});
