import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createStore, type Store } from "../../src/store/index.ts";
import { newPlace } from "../homes.ts";
import type { Life, Moment } from "./crash-bot.ts";
import { type FakeTelegram, startTelegram } from "./fake.ts";

export const agent = "eva";
type Scene = {
  readonly store: Store;
  readonly fake: FakeTelegram;
  /** Whatever those before it had taken, and died over, is given back when it starts. */
  readonly bot: (dies?: Moment) => ChildProcess;
};

/** Longer than anything is leased. */
const lifetime = 3_600_000;

export async function newScene(chats: readonly number[]): Promise<Scene> {
  const place = await newPlace("sqlite");
  onTestFinished(place.remove);
  let ahead = 0;
  const clock = () => new Date(Date.now() + ahead);
  const store = await createStore(place.open(), { now: clock });
  onTestFinished(store.close);
  await store.agents.add({ name: agent, charter: "assistant" });
  const fake = await startTelegram({ clock });
  onTestFinished(fake.close);
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
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };
  return { store, fake, bot };
}
