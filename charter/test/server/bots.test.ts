import { expect, test } from "vitest";
import { decideBots } from "../../src/server/bots.ts";
import type { TelegramConfig } from "../../src/server/config.ts";
import { memoryStore } from "../../src/testing/index.ts";

const storeWith = async (...names: string[]) => {
  const store = await memoryStore();
  for (const name of names) await store.agents.add({ name, charter: "assistant" });
  return store;
};

const asked = async (names: string[], bots: TelegramConfig[]) => {
  const store = await storeWith(...names);
  const { decided, undecided } = await decideBots(store, bots);
  await store.close();
  return [decided.map(({ agent }) => agent), undecided.map(({ message }) => message)];
};

test("the only agent has the bot; of two, whoever started it is asked", async () => {
  expect(await asked(["ada"], [{ token: "1:a" }])).toEqual([["ada"], []]);
  expect(await asked(["ada", "eve"], [{ token: "1:a" }, { token: "2:b", agent: "eve" }])).toEqual([
    ["eve"],
    ["The Telegram bot does not answer yet: which agent it belongs to is not set. There are “ada”, “eve”."],
  ]);
});

test("one token at two agents answers for neither; the other bots answer", async () => {
  const bots = [
    { token: "1:a", agent: "ada" },
    { token: "1:a", agent: "eve" },
    { token: "2:b", agent: "ivy" },
  ];
  expect(await asked(["ada", "eve", "ivy"], bots)).toEqual([
    ["ivy"],
    ["“ada”, “eve” have the same Telegram token, so the bot answers for neither."],
  ]);
});

test("a bot of an agent that is not there is told of", async () => {
  expect(await asked(["ada"], [{ token: "1:a", agent: "eve" }])).toEqual([
    [],
    ["The Telegram bot of “eve” does not answer: there is no such agent."],
  ]);
});
