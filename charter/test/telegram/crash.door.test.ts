import { once } from "node:events";
import { expect, test } from "vitest";
import { moments } from "./crash-bot.ts";
import { agent, newScene } from "./crash-scene.ts";

// What the store does when its workers die is looked at on both homes, in chat-workers.test.ts.
test("a process may die anywhere between a message and its answer: each message is answered, by one turn", async () => {
  const { store, fake, bot } = await newScene([7]);
  for (const [index, moment] of moments.entries()) {
    fake.says(7, `message ${index}`);
    const child = bot(moment);
    await once(child, "exit");
    expect([moment, child.signalCode]).toEqual([moment, "SIGKILL"]);
  }
  bot();
  await fake.until(() => fake.textsTo(7).at(-1) === "Re: message 5");
  // Telegram knows no names for messages: what it took and we died over is sent once more.
  const answers = moments.map((_, index) => `Re: message ${index}`);
  expect(fake.textsTo(7)).toEqual(["Re: message 0", ...answers]);
  // The process that dies over what it sends may be at the next message by then: that turn is cut off, and begun anew.
  const turns = (await store.turns.list({ agent })).filter(({ state }) => state !== "interrupted");
  expect(turns.map(({ input, state }) => [input, state]).sort()).toEqual(
    moments.map((_, index) => [`message ${index}`, "answered"]),
  );
});
