import { raw } from "../../../src/store/home/sql.ts";
import { createStore } from "../../../src/store/index.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import type { Place } from "../../homes.ts";
import { findHalves, findLost } from "./crash-check.ts";
import { killWriter } from "./crash-kill.ts";
import type { Acknowledged } from "./writer.ts";

export type CrashReport = {
  readonly kills: number;
  readonly acknowledged: number;
  /** Everything that is not as it has to be, in words. */
  readonly faults: readonly string[];
};

export type CrashOptions = {
  readonly kills: number;
  readonly random: () => number;
};

/**
 * Kills one writer after the other on the same database. After each death the store is opened as if nothing had
 * happened: everything that was acknowledged is there, nothing that was not finished is, and the next change goes in.
 */
export async function crash(place: Place, { kills, random }: CrashOptions): Promise<CrashReport> {
  const faults: string[] = [];
  const all: Acknowledged[] = [];
  for (let count = 1; count <= kills; count++) {
    // One in eight dies while it is still opening the database, or making its tables.
    const when = count % 8 === 1 ? { start: 100 + random() * 400 } : { change: random() * 400 };
    const { acknowledged, complaint } = await killWriter(place.url, when);
    all.push(...acknowledged);
    if (complaint !== "") faults.push(`complaint: ${complaint}`);
    faults.push(...(await look(place, acknowledged, count)));
  }
  faults.push(...(await look(place, all, 0)), ...(await walk(place)));
  return { kills, acknowledged: all.length, faults };
}

async function look(place: Place, acknowledged: readonly Acknowledged[], count: number): Promise<string[]> {
  const store = await createStore(place.open());
  try {
    await store.events.record({ scope: { agent: "ada" }, kind: "started", detail: { count } });
    return [...(await findLost(store, acknowledged)), ...(await store.home.read("everything", findHalves))];
  } catch (error) {
    return [`start ${count}: ${error instanceof Error ? error.stack : error}`];
  } finally {
    await store.close();
  }
}

/** Every chain, every text, and the file itself. */
async function walk(place: Place): Promise<string[]> {
  const home = place.open();
  try {
    const { faults, further, orphans } = await verifyStore(home);
    const wrong = faults.map((fault) => `verify: ${JSON.stringify(fault)}`);
    if (further > 0 || orphans > 0) wrong.push(`verify: ${further} more faults, ${orphans} orphans`);
    if (home.name === "postgres") return wrong;
    const integrity = await home.read("everything", (db) => db.all<object>(raw("pragma integrity_check")));
    return JSON.stringify(integrity) === '[{"integrity_check":"ok"}]' ? wrong : [...wrong, JSON.stringify(integrity)];
  } finally {
    await home.close();
  }
}
