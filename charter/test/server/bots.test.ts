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
    ["Whose is the Telegram bot? It does not answer yet, because there are “ada”, “eve”."],
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
    ["Whose is the Telegram bot? “ada”, “eve” have the same token, so it answers for neither."],
  ]);
});

test("a bot of an agent that is not there is told of", async () => {
  expect(await asked(["ada"], [{ token: "1:a", agent: "eve" }])).toEqual([
    [],
    ["The Telegram bot of “eve” does not answer: there is no such agent."],
  ]);
});
