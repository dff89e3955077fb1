// A worker in a process of its own, to be killed: it runs what is due until nobody listens to it any more.
import { setTimeout as wait } from "node:timers/promises";
import { createScheduler } from "../../src/channels/scheduled/scheduler.ts";
import type { Model } from "../../src/delivery/model.ts";
import { createHost } from "../../src/host/create-host.ts";
import { createStore, postgres, sqlite } from "../../src/store/index.ts";
import { receiver, usage } from "../agent/model.ts";

/** Where it works; `runner`: a name nobody can ask about, so that its lease has to be waited for. */
export type WorkerOrders = { readonly url: string; readonly runner?: string };

/** What it tells: that it is there, that its model is asked, that a run is over. */
export type WorkerTold = { readonly said: "ready" | "asked" | "ended" };

const { url, runner } = JSON.parse(process.argv[2] as string) as WorkerOrders;
const tell = (said: WorkerTold["said"]) => process.stdout.write(`${JSON.stringify({ said } satisfies WorkerTold)}\n`);
process.stdin.on("end", () => process.exit()).resume();

/** Longer than a busy machine lets one that lives stand still: only the dead lose what they have. */
const leaseMs = 10_000;
const model: Model = {
  receiver,
  ask: async (_request, { signal }) => {
    tell("asked");
    await wait(100, undefined, { signal }).catch(() => {});
    return { answer: { text: "Done.", calls: [], finish: "stop", usage } };
  },
};
const store = await createStore(url.startsWith("postgres") ? postgres(url) : sqlite(url));
const scheduling = createScheduler({
  host: createHost({ store, loadModel: async () => model, env: {} }),
  pollMs: 50,
  leaseMs,
  ...(runner === undefined ? {} : { runner }),
  on: ({ kind }) => {
    if (kind === "run-end") tell("ended");
  },
});
await scheduling.start();
tell("ready");

// It sends, too, as far as it lives: Telegram would take each piece, and it is written down that it has.
for (;;) {
  const due = await store.dispatches.claim("ada", "telegram", { leaseMs });
  for (const { id } of due) await store.dispatches.markSent(id);
  if (due.length === 0) await wait(50);
}
