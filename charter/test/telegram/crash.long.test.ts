import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { raw } from "../../src/store/home/sql.ts";
import { createStore, type Store } from "../../src/store/index.ts";
import { eventually } from "../eventually.ts";
import { newPlace, type PlaceName } from "../homes.ts";
import { type Life, type Moment, moments } from "./crash-bot.ts";
import { type FakeTelegram, startTelegram } from "./fake.ts";

const agent = "eva";
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Scene = {
  readonly store: Store;
  readonly fake: FakeTelegram;
  /** Whatever those before it had taken, and died over, is given back when it starts. */
  readonly bot: (dies?: Moment) => ChildProcess;
};

/** Longer than anything is leased. */
const lifetime = 3_600_000;

async function newScene(home: PlaceName, chats: readonly number[]): Promise<Scene> {
  const place = await newPlace(home);
  closing.push(place.remove);
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  const store = await createStore(place.open(), { now: clock });
  closing.push(store.close);
  await store.agents.add({ name: agent, charter: "assistant" });
  const fake = await startTelegram({ clock });
  closing.push(fake.close);
  for (const chat of chats) {
    fake.world.chats.set(chat, { blocked: false });
    const { code } = await store.links.createCode({ agent, user: `user-${chat}` }, "telegram");
    await store.links.redeem(agent, "telegram", code, String(chat));
  }
  const bot = (dies?: Moment) => {
    ahead += lifetime;
    const life: Life = {
      ...{ database: place.url, agent, token: fake.token, apiRoot: fake.url, ahead },
      ...(dies ? { dies } : {}),
    };
    const script = join(import.meta.dirname, "crash-bot.ts");
    const child = spawn(process.execPath, ["--conditions=charter-source", script, JSON.stringify(life)], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "charter-compiled") },
    });
    closing.push(() => child.kill("SIGKILL"));
    return child;
  };
  return { store, fake, bot };
}

// What the store does when its workers die is looked at on both homes, in chat-workers.test.ts.
test("a process may die anywhere between a message and its answer: each message is answered, by one turn", async () => {
  const { store, fake, bot } = await newScene("sqlite", [7]);
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

const triedTwice = raw("select id from updates where state in ('waiting', 'taken') and tries >= 2");

test("processes that die at any other time lose no message and answer none by two turns", async () => {
  const chats = [1, 2, 3];
  const { store, fake, bot } = await newScene("sqlite", chats);
  const rounds = 4;
  for (let round = 0; round < rounds; round++) {
    for (const chat of chats) fake.says(chat, `${chat}-${round}`);
    const child = bot(round === 0 ? "while the turn runs" : undefined);
    const exit = once(child, "exit");
    await once(child.stdout as NodeJS.EventEmitter, "data");
    const calls = fake.calls.length + round * 2;
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
  const turns = await store.turns.list({ agent, limit: 100 });
  expect(turns.filter(({ state }) => state === "answered")).toHaveLength(rounds * chats.length);
  expect(turns.filter(({ state }) => state === "interrupted").length).toBeGreaterThan(0);
});
