import { expect, test } from "vitest";
import type { TelegramConfig } from "../../src/channels/telegram/bots.ts";
import { decideBots } from "../../src/channels/telegram/bots.ts";
import { memoryStore } from "../../src/testing/index.ts";

const storeWith = async (...names: string[]) => {
  const store = await memoryStore();
  for (const name of names) await store.agents.add({ name, charter: "assistant" });
  return store;
};

const asked = async (names: string[], bots: TelegramConfig[], linked: string[] = []) => {
  const store = await storeWith(...names);
  for (const agent of linked) {
    const { code } = await store.links.createCode({ agent, user: "bo" }, "telegram");
    await store.links.redeem(agent, "telegram", code, "7");
  }
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

test("a second agent does not stop the bot: it stays with the agent whose chats are linked", async () => {
  expect(await asked(["ada", "eve"], [{ token: "1:a" }], ["ada"])).toEqual([["ada"], []]);
  const both = [{ token: "1:a" }, { token: "2:b", agent: "eve" }];
  expect(await asked(["ada", "eve", "ivy"], both, ["ada", "eve"])).toEqual([["ada", "eve"], []]);
  expect(await asked(["ada", "eve"], [{ token: "1:a" }], ["ada", "eve"])).toEqual([
    [],
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
