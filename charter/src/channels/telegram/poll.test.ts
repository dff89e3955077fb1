import { expect, test } from "vitest";
import type { Bot } from "./bot.ts";
import { createPollRound } from "./receive.ts";

/** Rounds of polling a Telegram that answers with whatever it is told to. */
function stage() {
  const [notes, asked, received]: [string[], (number | undefined)[], unknown[]] = [[], [], []];
  let result: unknown = [];
  const api = {
    deleteWebhook: async () => true,
    getUpdates: async ({ offset }: { readonly offset?: number }) => {
      asked.push(offset);
      return result;
    },
  };
  const bot = {
    ask: async (call: (raw: typeof api) => Promise<unknown>) => ({ result: await call(api) }),
    log: (kind: string) => notes.push(kind),
    random: () => 1,
  };
  const round = createPollRound(bot as unknown as Bot, async (update) => {
    received.push(update);
  });
  const poll = (next: unknown) => {
    result = next;
    return round(new AbortController().signal);
  };
  return { notes, asked, received, poll };
}

const one = { update_id: 7 };
const odd: [what: string, updates: unknown][] = [
  ["nothing at all", [null]],
  ["words", ["CANARY"]],
  ["an update without a number", [{ message: {} }]],
  ["a number that is none", [{ update_id: "7" }]],
  ["no list", { update_id: "x" }],
  ["no list, but nothing", null],
];
for (const [what, updates] of odd)
  test(`${what} in place of updates stops no bot, is told once, and is asked for again after a while, and a longer one`, async () => {
    const { poll, notes, asked, received } = stage();
    expect([await poll(updates), await poll(updates), await poll(updates)]).toEqual([1000, 2000, 4000]);
    expect([await poll([one]), await poll([])]).toEqual([0, 0]);
    expect([notes, received, asked.at(-1)]).toEqual([["update-unreadable"], [one], 8]);
  });

test("beside an update that is one, it is passed over, and goes when that is confirmed", async () => {
  const { poll, notes, asked, received } = stage();
  expect(await poll([null, one, {}])).toBe(0);
  await poll([]);
  expect([notes, received, asked]).toEqual([["update-unreadable"], [one], [undefined, 8]]);
});
