import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/agent/index.ts";
import { createScheduler } from "../../src/channels/scheduled/scheduler.ts";
import { createReceive } from "../../src/channels/telegram/receive.ts";
import type { Host } from "../../src/host/host.ts";
import { Problem } from "../../src/index.ts";
import type { Store } from "../../src/store/index.ts";
import { calls } from "../agent/model.ts";
import { homes } from "../homes.ts";
import { newScheduled, type ScheduledStage } from "../scheduled/stage.ts";
import { everythingIn } from "../telegram/stage.ts";

let stage: ScheduledStage;
afterEach(() => stage.close());
const bo = { agent: "ada", user: "bo" };

/** No word of theirs is anywhere, and no row that would be theirs. */
async function expectNothing(store: Store): Promise<void> {
  expect(await everythingIn(store)).not.toContain("nightjar");
  expect((await store.erasable({ user: "bo" })).rows).toEqual({});
}

describe.each(homes)("someone is erased on %s", (home) => {
  test("while a turn of theirs waits for another: it is not begun, and what they said is not kept", async () => {
    stage = await newScheduled(home);
    const { host: house, model, store } = stage;
    model.say(async () => {
      await store.erase({ user: "bo" });
      return "Fine.";
    }, "Fine.");
    const say = (input: string) => house.runTurn({ ...bo, channel: "web", input });
    // Either may be the one that waits.
    const ended = await Promise.allSettled([say("I heard a nightjar."), say("I saw a nightjar.")]);
    expect(ended).toContainEqual(
      expect.objectContaining({
        status: "rejected",
        reason: expect.objectContaining({ code: "unknown-session" }),
      }),
    );
    expect(await everythingIn(store)).not.toContain("nightjar");
    expect(await say("Hello again.")).toMatchObject({ state: "answered" });
  });

  test("when a run of theirs was just taken: no turn is begun with its words", async () => {
    stage = await newScheduled(home);
    const { store, time, model } = stage;
    await stage.link("bo", "7");
    await stage.schedule({ input: "Look for the nightjar.", at: "2026-02-19T08:00:00Z" });
    time.now = new Date("2026-02-19T08:00:00Z");
    const runTurn: Host["runTurn"] = async (...asked) => {
      await store.erase({ user: "bo" });
      return stage.host.runTurn(...asked);
    };
    const told: string[] = [];
    const worker = createScheduler({
      host: { ...stage.host, runTurn },
      on: (event) => told.push("state" in event ? event.state : event.kind),
    });
    await worker.tick();
    await worker.stop();
    expect([told.at(-1), model.requests]).toEqual(["lost", []]);
    expect(await everythingIn(store)).not.toContain("nightjar");
    expect(await store.turns.list({ agent: "ada" })).toEqual([]);
  });

  test("between the look at their chat and the row of their message: there is no row", async () => {
    stage = await newScheduled(home);
    const { store, host: house, time } = stage;
    await stage.link("bo", "7");
    const find: Store["links"]["find"] = async (...asked) => {
      const found = await store.links.find(...asked);
      await store.erase({ user: "bo" });
      return found;
    };
    const nothing = () => {};
    const bot = {
      ...{
        host: { ...house, store: { ...store, links: { ...store.links, find } } },
        agent: "ada",
        channel: "telegram",
        number: "1",
      },
      ...{ clock: () => time.now, sleep: async () => {}, random: () => 0, log: nothing, runInBackground: nothing },
      ask: async () => Promise.reject(new Error("nobody asks")),
      download: async () => Promise.reject(new Error("nobody asks")),
    };
    const chat = { id: 7, type: "private", first_name: "Bo" } as const;
    const message = { message_id: 1, date: 1_771_000_000, chat, text: "I saw a nightjar." } as never;
    await createReceive(bot, nothing, nothing)({ update_id: 1, message });
    await expectNothing(store);
  });

  test.each(["save_memory", "set_reminder", "set_time_zone", "update_instructions"])(
    "while %s waits to be run: it leaves nothing",
    async (name) => {
      const slow = defineTool({
        name: "slow",
        summary: "Takes its time",
        input: z.object({}),
        trusted: true,
        harmless: true,
        run: async (_, { store, turn, scope, propose }) => {
          await store.erase({ user: "bo" });
          const { setReminder, setTimeZone } = await import("../../src/agent/tools/reminders.ts");
          const context = { store, turn, scope, now: "2026-02-18T15:04:00.000Z" } as never;
          const operation = { kind: "rewrite", content: "a nightjar" } as const;
          const late: Record<string, () => unknown> = {
            save_memory: () => store.memory.save(scope, { text: "a nightjar", turn }),
            set_reminder: () => setReminder().run({ text: "a nightjar", at: "2027-01-01" } as never, context),
            set_time_zone: () => setTimeZone().run({ zone: "Asia/Tokyo" } as never, context),
            update_instructions: () => propose({ section: "instructions", operation }),
          };
          const came = await Promise.resolve(late[name]?.()).catch((error: unknown) => error);
          said = came instanceof Problem ? came.message : JSON.stringify(came);
          return "done";
        },
      });
      let said = "";
      stage = await newScheduled(home, {}, { tools: [slow] });
      const { host: house, model, store } = stage;
      model.say(calls(["slow"]), "Fine.");
      const outcome = await house.runTurn({ ...bo, channel: "web", input: "I saw a nightjar." });
      expect(outcome).toMatchObject({ state: "failed", problem: { code: "turn-over" } });
      expect(said).toContain("was erased while it ran");
      expect(await everythingIn(store)).not.toContain("nightjar");
      expect(await store.users.find("bo")).toBeUndefined();
      const { spending: _, ...rows } = (await store.erasable({ user: "bo" })).rows as { spending?: number };
      expect(rows).toEqual({});
    },
  );
});
