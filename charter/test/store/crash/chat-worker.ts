import { appendFileSync, writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type ChannelUpdate, createStore, postgres, type Store, sqlite } from "../../../src/store/index.ts";

export const agent = "ada";
export const channel = "telegram";

/** What one update is answered with, and what is said when nobody who took it came back. */
export const answers = (id: string) => [`answer ${id}.1`, `answer ${id}.2`];
export const sorry = (id: string) => `sorry ${id}`;

/** Answers what came and sends what waits, among others who do the same, until nothing is left. Sending is a line in a file. */
async function serve(store: Store, sent: string): Promise<void> {
  const piece = ({ scope, address }: ChannelUpdate, body: string) => ({ scope, channel, address, body });
  const dispatchesForDead = (update: ChannelUpdate) => [piece(update, sorry(update.id))];
  for (;;) {
    const taken = await store.updates.claim(agent, channel, { limit: 2, leaseMs: 1000, dispatchesForDead });
    for (const update of taken) {
      writeSync(1, "took\n");
      const bodies = answers(update.id);
      await store.updates.complete(
        agent,
        channel,
        update.id,
        bodies.map((body) => piece(update, body)),
      );
    }
    const due = await store.dispatches.claim(agent, channel, { limit: 2, leaseMs: 1000 });
    for (const { id, address, body } of due) {
      appendFileSync(sent, `${JSON.stringify([address, body])}\n`);
      writeSync(1, "sent\n");
      await store.dispatches.markSent(id);
    }
    if (taken.length + due.length > 0) continue;
    const open = await store.updates.countOpen(agent, channel);
    if (open === 0 && (await store.dispatches.list({ agent, state: "waiting", limit: 1 })).length === 0) return;
    await pause(20);
  }
}

/** Sends each code from a chat of its own, as fast as it can, and says which were good. */
async function redeem(store: Store, name: string, codes: readonly string[]): Promise<void> {
  writeSync(1, "ready\n");
  await new Promise((resolve) => process.stdin.once("data", resolve));
  process.stdin.unref();
  for (const [index, code] of codes.entries())
    if (await store.links.redeem(agent, channel, code, `${name}-${index}`)) writeSync(1, `linked ${code}\n`);
}

const [, program, url, what, ...more] = process.argv;
if (url !== undefined && program === import.meta.filename) {
  const store = await createStore(/^postgres/.test(url) ? postgres(url) : sqlite(url));
  if (what === "serve") await serve(store, more[0] as string);
  else await redeem(store, more[0] as string, JSON.parse(more[1] as string));
  await store.close();
}
