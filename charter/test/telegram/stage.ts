import { sleep } from "../../src/agent/limits.ts";
import type { Sleep } from "../../src/channels/loop.ts";
import { createTelegram, type Telegram, type TelegramOptions } from "../../src/channels/telegram/telegram.ts";
import { createHost } from "../../src/host/create-host.ts";
import type { Host } from "../../src/host/host.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import { createStore, type Store } from "../../src/store/index.ts";
import { type Scripted, scripted } from "../agent/model.ts";
import { newPlace } from "../homes.ts";
import { type FakeTelegram, startTelegram } from "./fake.ts";

export const agent = "eva";
/** So many times shorter than elsewhere is a pause here. */
const haste = 50;

export type Stage = {
  readonly store: Store;
  readonly house: Host;
  readonly model: Scripted;
  readonly fake: FakeTelegram;
  readonly clock: () => Date;
  /** Lets so much time pass at once. */
  readonly skip: (seconds: number) => void;
  readonly log: readonly string[];
  /** A bot, as another process would have it. Stopped with the stage. */
  readonly bot: (more?: Partial<TelegramOptions>) => Telegram;
  /** A chat that is linked to a user. */
  readonly link: (user: string, chat: number) => Promise<void>;
  readonly url: string;
  readonly close: () => Promise<void>;
};

/** An assistant with a bot of its own, on a real store, over real connections to a Telegram of ours. */
export async function newStage(more: Partial<HostOptions> = {}): Promise<Stage> {
  const place = await newPlace("sqlite");
  let time = Date.UTC(2026, 1, 18, 12);
  const clock = () => new Date(time++);
  // Time passes for all when someone has paused, not while a machine is slow: no lease is over before its time.
  const pause: Sleep = async (milliseconds, signal) => {
    const until = time + milliseconds;
    await sleep(milliseconds / haste, signal);
    if (!signal?.aborted) time = Math.max(time, until);
  };
  const store = await createStore(place.open(), { now: clock });
  await store.agents.add({ name: agent, charter: "assistant" });
  const model = scripted();
  const host = createHost({ store, clock, loadModel: async () => model, ...more });
  const fake = await startTelegram({ clock });
  const log: string[] = [];
  const bots: Telegram[] = [];
  return {
    store,
    house: host,
    model,
    fake,
    clock,
    log,
    skip: (seconds) => {
      time += seconds * 1000;
    },
    url: place.url,
    bot: (own = {}) => {
      const one = createTelegram({
        ...{ host, agent, token: fake.token, apiRoot: fake.url, clock, random: () => 0.5 },
        sleep: pause,
        log: (entry) => log.push(JSON.stringify(entry)),
        ...own,
      });
      bots.push(one);
      return one;
    },
    link: async (user, chat) => {
      fake.world.chats.set(chat, { blocked: false });
      const { code } = await store.links.createCode({ agent, user }, "telegram");
      await store.links.redeem(agent, "telegram", code, String(chat));
    },
    close: async () => {
      fake.up();
      for (const one of bots) await one.stop(1000);
      await fake.close();
      await host.close(0);
      await store.close();
      await place.remove();
    },
  };
}

/** Everything a database holds, as one text: what must leave no trace is looked for in it. */
export async function everythingIn(store: Store): Promise<string> {
  const chunks: string[] = [];
  const { storeTables } = await import("../../src/store/schema.ts");
  const { raw } = await import("../../src/store/home/sql.ts");
  for (const { name: table } of storeTables)
    chunks.push(
      JSON.stringify(await store.home.read("everything", (db) => db.all(raw(`select * from ${table}`))), (_, value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
      ),
    );
  return chunks.join("\n");
}
