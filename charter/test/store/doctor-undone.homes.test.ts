import { expect, onTestFinished, test } from "vitest";
import { checkOverdue } from "../../src/cli/commands/maintain/doctor-agents.ts";
import { createStore } from "../../src/store/index.ts";
import { homes, newPlace } from "../homes.ts";

const scope = { agent: "ada", user: "bo" };
const minute = 60_000;

test.for(homes)("what a service left undone is found (%s)", async (home) => {
  const place = await newPlace(home);
  onTestFinished(place.remove);
  let time = Date.UTC(2026, 1, 18, 12);
  const now = () => new Date(time);
  const store = await createStore(place.open(), { now });
  try {
    await store.agents.add({ name: "ada", charter: "assistant", model: null, settings: {} });
    const look = () => checkOverdue(store, now());
    expect(await look()).toEqual([]);

    const nextAt = "2026-02-18T12:01:00.000Z";
    await store.schedules.add({ scope, title: "Digest", input: "Mail?", nextAt });
    expect(await look()).toEqual([
      { what: "Schedules are on time, and no message waits to be answered or sent.", fine: true },
    ]);
    time += 10 * minute;
    expect(await look()).toEqual([
      {
        what: "1 schedule is overdue, since 2026-02-18 12:01 UTC.",
        fine: false,
        hint: "No process runs them: start `charter start` or `charter work`.",
      },
    ]);

    const [lost, stuck] = await store.dispatches.add([
      { scope, channel: "telegram", address: "7", body: "One." },
      { scope, channel: "telegram", address: "8", body: "Two." },
    ]);
    await store.dispatches.markDead(lost?.id as string, "Forbidden: bot was blocked by the user");
    await store.updates.put({ scope, channel: "telegram", id: "1", address: "7", body: "Hi." });
    for (let tries = 0; tries < 3; tries++) {
      await store.updates.claim("ada", "telegram");
      await store.updates.fail("ada", "telegram", "1", "The model is away.");
    }
    await store.updates.put({ scope, channel: "telegram", id: "2", address: "7", body: "Hi?" });
    const words = async () => (await look()).map(({ what }) => what);
    expect(await words()).toEqual([
      "1 schedule is overdue, since 2026-02-18 12:01 UTC.",
      "1 message could not be answered within a week, the last: The model is away.",
      "1 message could not be sent within a week, the last: Forbidden: bot was blocked by the user",
    ]);
    time += 10 * minute;
    expect(await words()).toEqual([
      "1 schedule is overdue, since 2026-02-18 12:01 UTC.",
      "1 message waits to be answered, since 2026-02-18 12:10 UTC.",
      "1 message could not be answered within a week, the last: The model is away.",
      "1 message waits to be sent, since 2026-02-18 12:10 UTC: nobody tried.",
      "1 message could not be sent within a week, the last: Forbidden: bot was blocked by the user",
    ]);
    await store.inbox.post({ agent: "ada", id: "m1", sender: "cy", body: "Hello?" });
    expect([await store.work.open(), await store.inbox.counts("ada")]).toEqual([
      {
        updates: [{ agent: "ada", channel: "telegram", count: 1 }],
        messages: [{ agent: "ada", channel: "inbox", count: 1 }],
        dispatches: [{ agent: "ada", channel: "telegram", count: 1 }],
        runs: [],
      },
      { waiting: 1, taken: 0, answered: 0, dead: 0, withdrawn: 0 },
    ]);
    await store.dispatches.markSent(stuck?.id as string);
    time += 8 * 24 * 60 * minute;
    expect(await words()).toEqual([
      "1 schedule is overdue, since 2026-02-18 12:01 UTC.",
      "1 message waits to be answered, since 2026-02-18 12:10 UTC.",
    ]);
  } finally {
    await store.close();
  }
});
