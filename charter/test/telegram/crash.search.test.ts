import { once } from "node:events";
import { expect, test } from "vitest";
import { raw } from "../../src/store/home/sql.ts";
import { eventually } from "../eventually.ts";
import { times } from "../tiers/search.ts";
import { agent, newScene } from "./crash-scene.ts";

const triedTwice = raw("select id from updates where state in ('waiting', 'taken') and tries >= 2");

test("processes that die at any other time lose no message and answer none by two turns", async () => {
  const chats = [1, 2, 3];
  const { store, fake, bot } = await newScene(chats);
  const rounds = times(40, 3);
  for (let round = 0; round < rounds; round++) {
    for (const chat of chats) fake.says(chat, `${chat}-${round}`);
    const child = bot(round === 0 ? "while the turn runs" : undefined);
    const exit = once(child, "exit");
    await once(child.stdout as NodeJS.EventEmitter, "data");
    const calls = fake.calls.length + (round % 4) * 2;
    if (round > 0) {
      await fake.until(() => fake.calls.length > calls);
      // Three tries are all there are: over no message more than two processes die, however slow the machine is.
      await eventually(async () => (await store.home.read("everything", (db) => db.all(triedTwice))).length === 0);
      child.kill("SIGKILL");
    }
    await exit;
  }
  bot();
  const answered = () => new Set(fake.world.sent.map(({ text }) => text)).size;
  await fake.until(() => answered() === rounds * chats.length);
  for (const chat of chats) {
    const texts = fake.textsTo(chat).filter((text, index, all) => text !== all[index - 1]);
    expect(texts).toEqual(Array.from({ length: rounds }, (_, round) => `Re: ${chat}-${round}`));
  }
  expect(fake.world.sent.length - answered()).toBeLessThanOrEqual(rounds * chats.length);
  const turns = await store.turns.list({ agent, limit: 1000 });
  expect(turns.filter(({ state }) => state === "answered")).toHaveLength(rounds * chats.length);
  expect(turns.filter(({ state }) => state === "interrupted").length).toBeGreaterThan(0);
});
