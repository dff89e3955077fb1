import { expect, test } from "vitest";
import { sql } from "../../../src/store/home/sql.ts";
import { eventually } from "../../eventually.ts";
import { shapeFaults } from "../load.ts";
import { chat, newScene, type Scene } from "../started.ts";

/** They wait for their processes most of the time, so they wait together. */
function processTest(name: string, work: (scene: Scene) => Promise<void>): void {
  test.concurrent(name, async () => {
    const scene = await newScene();
    try {
      await work(scene);
    } finally {
      await scene.close();
    }
  });
}

const states = async ({ store }: Scene) => {
  const turns = await store.turns.list({ agent: "ada" });
  return turns.map(({ input, state }) => [input, state]).sort();
};

processTest(
  "told to stop, it finishes the turns that run, answers them everywhere, takes no more, and ends in peace",
  async (scene) => {
    const { provider, telegram } = scene;
    provider.mode("waits");
    const { bo, child, said, ended } = await scene.start();
    const asked = bo("POST /api/agents/ada/turns", { input: "On the web." });
    telegram.says(chat, "On Telegram.");
    await provider.waiting(2);
    child.kill("SIGTERM");
    await eventually(() => said().includes("Stopping when 2 running turns end"));
    // Nobody is let in any more.
    expect(await bo("GET /api/me").then(shapeFaults, (error: Error) => error.name)).toBe("TypeError");
    provider.letGo();
    const answer = await asked;
    expect([answer.status, answer.body.reply]).toEqual([200, "Re: On the web."]);
    expect(await ended).toBe(0);
    expect(telegram.textsTo(chat)).toEqual(["Re: On Telegram."]);
    expect(await states(scene)).toEqual([
      ["On Telegram.", "answered"],
      ["On the web.", "answered"],
    ]);
  },
);

processTest(
  "killed and started again: what it ran is marked as interrupted, a message it had taken is answered, once",
  async (scene) => {
    const { provider, telegram } = scene;
    provider.mode("waits");
    const first = await scene.start();
    const asked = first.bo("POST /api/agents/ada/turns", { input: "On the web." }).catch((error: Error) => error.name);
    telegram.says(chat, "On Telegram.");
    await provider.waiting(2);
    first.child.kill("SIGKILL");
    expect([await asked, await first.ended]).toEqual(["TypeError", "SIGKILL"]);
    expect(await states(scene)).toEqual([
      ["On Telegram.", "running"],
      ["On the web.", "running"],
    ]);
    // A minute later, as far as those can tell who wait for whoever took the message to be heard of.
    const past = new Date(Date.now() - 1).toISOString();
    await scene.store.home.write("everything", (db) => db.run(sql`update updates set leased_until = ${past}`));
    provider.mode("answers");
    const second = await scene.start();
    await telegram.until(() => telegram.textsTo(chat).length > 0);
    expect(await states(scene)).toEqual([
      ["On Telegram.", "answered"],
      ["On Telegram.", "interrupted"],
      ["On the web.", "interrupted"],
    ]);
    const { status, body } = await second.bo("POST /api/agents/ada/turns", { input: "Once more." });
    expect([status, body.reply]).toEqual([200, "Re: Once more."]);
    second.child.kill("SIGTERM");
    expect(await second.ended).toBe(0);
    expect(telegram.textsTo(chat)).toEqual(["Re: On Telegram."]);
  },
);
