import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Tool } from "../../../charter/src/agent/tool.ts";
import type { Model } from "../../../charter/src/delivery/model.ts";
import { createHost } from "../../../charter/src/host/create-host.ts";
import type { Host } from "../../../charter/src/host/host.ts";
import type { HostOptions } from "../../../charter/src/host/host-options.ts";
import { createStore, sqlite } from "../../../charter/src/store/index.ts";
import { hostTools, live, lived, told } from "./lived.ts";
import { toldModel } from "./told.ts";

export type Entering = {
  readonly clock: () => Date;
  readonly tools: readonly Tool[];
  /** One for all, or by its name. */
  readonly model?: Model | ((name: string) => Model);
  readonly keys?: HostOptions["keys"];
  /** Models are loaded as elsewhere, by their names and keys; these are the server's own. */
  readonly models?: HostOptions["models"];
  readonly limits?: HostOptions["limits"];
};

/** The house whose database lies in that folder; without a model of its own, one that says what it was told to. */
export async function enterHouse(
  folder: string,
  { clock, tools, model, keys, models, limits }: Entering,
): Promise<Host> {
  const store = await createStore(sqlite(join(folder, "charter.db"), { create: true }), { now: clock });
  const modelCalled = typeof model === "function" ? model : (name: string) => model ?? toldModel(name, clock, told);
  const loadModel = async (name: string) => modelCalled(name);
  const loading = models === undefined ? { loadModel } : { models };
  return createHost({ store, clock, env: {}, zone: "Europe/Berlin", tools, keys, limits, ...loading });
}

/**
 * Puts the database of a house that was lived in (`lived.ts`) into a folder. That takes two seconds to make: in a run of
 * the tests whoever comes first makes it, and all copy it.
 */
export async function copyLivedHouse(folder: string): Promise<void> {
  const isTest = process.env.CHARTER_TIER !== undefined;
  if (!isTest) return liveIn(folder);
  const made = join(tmpdir(), "charter-lived");
  while (!existsSync(made)) if (!(await makeAlone(made))) await sleep(50);
  cpSync(made, folder, { recursive: true });
}

/** Makes it, unless another one is at it. Where it fails, the next one tries, and says why as well. */
async function makeAlone(made: string): Promise<boolean> {
  const making = `${made}.making`;
  try {
    mkdirSync(making);
  } catch {
    return false;
  }
  try {
    await liveIn(making);
    renameSync(making, made);
    return true;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

async function liveIn(folder: string): Promise<void> {
  let behind = lived;
  const clock = () => new Date(Date.now() - behind);
  const house = await enterHouse(folder, { clock, tools: hostTools });
  await live(house, (minutes) => {
    behind -= minutes * 60_000;
  });
  await house.close(0);
  await house.store.close();
}
