import { writeSync } from "node:fs";
import type { AcpEntry } from "../../src/delivery/acp/entry.ts";
import { createHost } from "../../src/host/create-host.ts";
import { createStore, sqlite } from "../../src/store/index.ts";

/** One life of a process of ours: it takes one turn with an agent over ACP, and tells what became of it. */
export type LifeOrders = {
  readonly url: string;
  readonly home: string;
  readonly entry: AcpEntry;
  readonly turn: string;
  readonly input: string;
};

const [, program, orders] = process.argv;
if (orders !== undefined && program === import.meta.filename) {
  const { url, home, entry, turn, input } = JSON.parse(orders) as LifeOrders;
  const store = await createStore(sqlite(url));
  const env = { PATH: process.env.PATH };
  const host = createHost({ store, env, acp: { one: entry }, acpHome: home });
  const { state } = await host.runTurn({ id: turn, agent: "ada", user: "bo", channel: "web", input });
  writeSync(1, state);
  await host.close(0);
  await store.close();
}
