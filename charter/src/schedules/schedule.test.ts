import { afterAll, beforeAll, expect, test } from "vitest";
import { problemOf } from "../../test/store/contract/given.ts";
import { createStore, type Store, sqlite } from "../store/index.ts";
import { type CreateScheduleOptions, createSchedule } from "./schedule.ts";

const now = new Date("2026-02-18T12:00:00.000Z");
let store: Store;
beforeAll(async () => {
  store = await createStore(sqlite(":memory:"), { now: () => now });
  await store.agents.add({ name: "ada", charter: "assistant" });
  await store.agents.add({ name: "eva", charter: "assistant", settings: { zone: "Asia/Tokyo" } });
  await store.users.put({ id: "bo", zone: "Europe/Berlin" });
});
afterAll(() => store.close());

const ask = (asked: Partial<CreateScheduleOptions>) =>
  createSchedule({ scope: { agent: "ada", user: "bo" }, title: "Digest", input: "Write it.", ...asked }, store, now);

test("a cron line in the user's zone, which stays the user's", async () => {
  expect(await ask({ cron: "  0  8 * * 1-5 " })).toEqual({
    id: expect.any(String),
    scope: { agent: "ada", user: "bo" },
    title: "Digest",
    cron: "0 8 * * 1-5",
    zone: null,
    input: "Write it.",
    channel: "scheduled",
    missed: "once",
    overlap: "skip",
    maxTries: 3,
    tainted: false,
    nextAt: "2026-02-19T07:00:00.000Z",
    lastAt: null,
    endedAt: null,
  });
});

const zones: [what: string, asked: Partial<CreateScheduleOptions>, nextAt: string][] = [
  ["a zone of its own", { zone: "America/New_York" }, "2026-02-18T13:00:00.000Z"],
  ["the agent's, where the user has none", { scope: { agent: "eva", user: "cy" } }, "2026-02-18T23:00:00.000Z"],
  [
    "the operator's, where the agent has none",
    { scope: { agent: "ada" }, defaultZone: "Asia/Kolkata" },
    "2026-02-19T02:30:00.000Z",
  ],
  ["UTC, where nobody has one", { scope: { agent: "ada", user: "cy" } }, "2026-02-19T08:00:00.000Z"],
];
for (const [what, asked, nextAt] of zones)
  test(`eight o'clock by ${what}`, async () =>
    expect(await ask({ cron: "0 8 * * *", ...asked })).toMatchObject({ nextAt }));

test("once, at a local time or a moment", async () => {
  const cron = null;
  expect(await ask({ at: "2026-03-01T09:00" })).toMatchObject({ cron, nextAt: "2026-03-01T08:00:00.000Z" });
  expect(await ask({ at: "2026-03-01T09:00:00-08:00" })).toMatchObject({ cron, nextAt: "2026-03-01T17:00:00.000Z" });
});

test("its policies are kept", async () => {
  const policy = { missed: "skip", overlap: "queue", maxTries: 1 } as const;
  expect(await ask({ cron: "@daily", ...policy })).toMatchObject({ cron: "@daily", ...policy });
});

const example = "Give minute, hour, day of the month, month and day of the week, as in “0 8 * * 1-5”.";
const bad: [asked: Partial<CreateScheduleOptions>, problem: string][] = [
  [
    { cron: "0 8 * *" },
    `bad-cron: The cron line “0 8 * *” has not five fields (or six, with seconds first). ${example}`,
  ],
  [
    { cron: "2026-03-01T09:00" },
    `bad-cron: The cron line “2026-03-01T09:00” has not five fields (or six, with seconds first). ${example}`,
  ],
  [
    { cron: "0 0 8 * * * 2026" },
    `bad-cron: The cron line “0 0 8 * * * 2026” has not five fields (or six, with seconds first). ${example}`,
  ],
  [
    { cron: "*/10 * * * * *" },
    `bad-cron: The cron line “*/10 * * * * *” comes more often than once a minute. ${example}`,
  ],
  [
    { cron: "0,30 * * * * *" },
    `bad-cron: The cron line “0,30 * * * * *” comes more often than once a minute. ${example}`,
  ],
  [{ cron: "0 0 30 2 *" }, `bad-cron: The cron line “0 0 30 2 *” never comes. ${example}`],
  [
    { cron: "61 8 * * *" },
    `bad-cron: The cron line “61 8 * * *” cannot be understood: Invalid value for minute: 61. ${example}`,
  ],
  [
    {},
    "bad-schedule: The schedule needs either a cron line or a time. Give one of them: `cron` to repeat, `at` for once.",
  ],
  [
    { cron: "@daily", at: "2026-03-01" },
    "bad-schedule: The schedule needs either a cron line or a time. Give one of them: `cron` to repeat, `at` for once.",
  ],
  [
    { at: "2026-02-18T12:59" },
    "bad-schedule: The schedule is for 2026-02-18T11:59:00.000Z, which is past. Give a time after 2026-02-18T12:00:00.000Z; one without a zone is read in Europe/Berlin.",
  ],
  [{ at: "tomorrow" }, "bad-time: “tomorrow” is no time. Give an ISO 8601 time, as in 2026-02-18T15:04:00Z."],
  [
    { cron: "@daily", zone: "Mars/Olympus" },
    "bad-zone: “Mars/Olympus” is no time zone. Give one like Europe/Berlin or UTC.",
  ],
  [
    { cron: "@daily", title: " " },
    "bad-schedule: The schedule has no title that can be shown. Give 1 to 200 characters on one line.",
  ],
  [
    { cron: "@daily", title: "a\nb" },
    "bad-schedule: The schedule has no title that can be shown. Give 1 to 200 characters on one line.",
  ],
  [
    { cron: "@daily", input: " " },
    "bad-schedule: The schedule has nothing to ask, or too much. Give an input of 1 to 20,000 characters.",
  ],
  [
    { cron: "@daily", missed: "never" as "skip" },
    "bad-schedule: The schedule has “never” for what was missed. Say once (the newest is made up for) or skip.",
  ],
  [
    { cron: "@daily", overlap: "stop" as "skip" },
    "bad-schedule: The schedule has “stop” for what overlaps. Say skip, or queue (it waits for the run before it).",
  ],
  [
    { cron: "@daily", maxTries: 0 },
    "bad-schedule: The schedule has 0 for its tries. Give a whole number from 1 to 10.",
  ],
  [
    { cron: "@daily", scope: { agent: "nobody" } },
    "unknown-agent: There is no agent “nobody”. See them with `charter agents`.",
  ],
];
for (const [asked, problem] of bad)
  test(`${JSON.stringify(asked)} is a problem`, async () => expect(await problemOf(ask(asked))).toBe(problem));

test("a second of its own is allowed, once a minute", async () => {
  expect(await ask({ cron: "15 * * * * *" })).toMatchObject({ nextAt: "2026-02-18T12:00:15.000Z" });
});

test("the hundred and first of a user is refused; others still get theirs", async () => {
  const scope = { agent: "ada", user: "di" };
  for (let count = 0; count < 100; count++) await ask({ scope, cron: "@daily" });
  expect(await problemOf(ask({ scope, cron: "@daily" }))).toBe(
    "bad-schedule: The schedule would be one too many: there are 100 already. Cancel one that is not needed any more.",
  );
  await ask({ scope: { agent: "ada", user: "ed" }, cron: "@daily" });
});
