// A bot in a process of its own, which a test kills. What it is to do comes as JSON in its first argument.
import { writeSync } from "node:fs";
import { sleep } from "../../src/agent/limits.ts";
import { createTelegram } from "../../src/channels/telegram/telegram.ts";
import { createHost } from "../../src/host/create-host.ts";
import { createStore, postgres, type Store, sqlite } from "../../src/store/index.ts";
import { scripted } from "../agent/model.ts";

export type Life = {
  readonly database: string;
  readonly agent: string;
  readonly token: string;
  readonly apiRoot: string;
  /** How far the test's clock is ahead of this machine's. */
  readonly ahead: number;
  /** The process dies here, when it gets there the first time. */
  readonly dies?: Moment;
};

/** Where a process can die between a message and its answer. */
export const moments = [
  "before the update is kept",
  "after the update is kept",
  "after the turn was named",
  "after the turn was answered",
  "after the answer is kept",
  "after the answer is sent",
] as const;
export type Moment = (typeof moments)[number] | "while the turn runs";

/** So much shorter are its pauses. */
const haste = 50;

async function live({ database, agent, token, apiRoot, ahead, dies }: Life): Promise<void> {
  const clock = () => new Date(Date.now() + ahead);
  const home = database.startsWith("postgres:") ? postgres(database) : sqlite(database);
  const store = await createStore(home, { now: clock });
  const die = (moment: Moment) => {
    if (moment === dies) process.kill(process.pid, "SIGKILL");
  };
  const mortal: Store = {
    ...store,
    updates: {
      ...store.updates,
      put: async (update) => {
        die("before the update is kept");
        const kept = await store.updates.put(update);
        die("after the update is kept");
        return kept;
      },
      assignTurn: async (...about) => {
        const begun = await store.updates.assignTurn(...about);
        die("after the turn was named");
        return begun;
      },
      complete: async (...about) => {
        die("after the turn was answered");
        await store.updates.complete(...about);
        die("after the answer is kept");
      },
    },
    dispatches: {
      ...store.dispatches,
      markSent: async (id) => {
        die("after the answer is sent");
        await store.dispatches.markSent(id);
      },
    },
  };
  const model = scripted([
    ({ messages }) => {
      die("while the turn runs");
      return `Re: ${(messages.findLast(({ role }) => role === "user") as { text: string }).text}`;
    },
  ]);
  const host = createHost({ store: mortal, clock, loadModel: async () => model });
  const bot = createTelegram({
    ...{ host, agent, token, apiRoot, clock, random: () => 0.5 },
    sleep: (milliseconds, signal) => sleep(milliseconds / haste, signal),
  });
  await bot.start();
  writeSync(1, "started\n");
}

if (process.argv[1] === import.meta.filename) await live(JSON.parse(process.argv[2] as string));
