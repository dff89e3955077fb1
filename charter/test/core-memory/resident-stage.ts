import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createHost } from "../../src/host/create-host.ts";
import type { Host } from "../../src/host/host.ts";
import type { HostOptions } from "../../src/host/host-options.ts";
import type { Proposal } from "../../src/index.ts";
import type { MemoryKey, NostrEvent } from "../../src/sources/core-memory/memory-key.ts";
import { createStore, type ProposalOutcome, type Store } from "../../src/store/index.ts";
import { type Line, type Scripted, scripted } from "../agent/model.ts";
import { newPlace, type Place, type PlaceName } from "../homes.ts";
import { newAgent } from "../relays/agent.ts";
import { startStrictRelay } from "../relays/strict-relay.ts";

/** One machine: a store of its own connection, a host, and a model that does what it is told. */
export type Machine = {
  readonly store: Store;
  readonly host: Host;
  readonly model: Scripted;
  /** What its model says next; when there is nothing left, “Fine.” */
  readonly lines: Line[];
  /** The prompt of the next turn. */
  readonly prompt: (agent?: string) => Promise<string>;
  /** As `charter core set` does it: against what is current now. */
  readonly set: (text: string, more?: Partial<Proposal> & { readonly agent?: string }) => Promise<ProposalOutcome>;
  /** The revisions and what they say, newest first. */
  readonly history: (agent?: string) => Promise<(readonly [revision: number, actor: string, text: string | null])[]>;
};

export type Keyed = { readonly key: MemoryKey; readonly nsec: string; readonly owner: string };

/** A resident, “ada”, whose core memory is on a real relay. */
export type ResidentStage = Machine & {
  readonly relay: Awaited<ReturnType<typeof startStrictRelay>>;
  readonly place: Place;
  readonly folder: string;
  readonly key: MemoryKey;
  /** Where the clock of all machines stands. */
  readonly time: { now: Date };
  /** Another machine, on the same store unless another place is given. */
  readonly another: (place?: Place, options?: Partial<HostOptions>) => Promise<Machine>;
  /** Another agent of this store with a new key, on the same relay. */
  readonly resident: (name: string) => Promise<Keyed>;
  /** Someone else writes with the agent's own key, somewhere else. */
  readonly elsewhere: (text: string, createdAt?: number, key?: MemoryKey) => Promise<NostrEvent>;
  readonly now: () => number;
  readonly settings: (key?: string, more?: object) => Record<string, unknown>;
  readonly close: () => Promise<void>;
};

/** `home`: the kind of store, or a place for it. */
export async function newResident(home: PlaceName | Place = "sqlite"): Promise<ResidentStage> {
  const folder = mkdtempSync(join(tmpdir(), "charter-resident-"));
  const place = typeof home === "string" ? await newPlace(home) : home;
  const places = [place];
  const relay = await startStrictRelay();
  const time = { now: new Date("2026-02-18T15:04:00Z") };
  const clock = () => time.now;
  const keys: Record<string, { readonly file: string }> = {};
  const owners = new Map<string, string>();
  const machines: Machine[] = [];
  const addKey = async (name: string): Promise<Keyed> => {
    const { key, nsec, owner } = await newAgent();
    const file = join(folder, `${name}.key`);
    writeFileSync(file, `${nsec}\n`, { mode: 0o600 });
    keys[name] = { file };
    owners.set(name, owner);
    return { key, nsec, owner };
  };
  const settings = (key = "ada", more: object = {}) => ({
    base: "You live in a house.",
    memory: { relays: [relay.url], owner: owners.get(key), key },
    ...more,
  });
  const another = async (where = place, options: Partial<HostOptions> = {}): Promise<Machine> => {
    if (!places.includes(where)) places.push(where);
    const store = await createStore(where.open(), { now: clock });
    const lines: Line[] = [];
    const model = scripted([() => lines.shift() ?? "Fine."]);
    const host = createHost({ store, loadModel: async () => model, clock, env: {}, keys, ...options });
    const machine: Machine = {
      store,
      host,
      model,
      lines,
      prompt: async (agent = "ada") => (await host.preview({ agent })).prompt.text,
      set: async (text, { agent = "ada", ...more } = {}) =>
        store.propose(await host.amendmentContext({ agent }), {
          section: "core",
          operation: { kind: "rewrite", content: text },
          actor: "operator",
          ...more,
        }),
      history: async (agent = "ada") =>
        (await store.history.listWhole({ agent }, "core")).map((one) => [one.revision, one.actor, one.after] as const),
    };
    machines.push(machine);
    return machine;
  };
  const { key } = await addKey("ada");
  const first = await another();
  await first.store.agents.add({ name: "ada", charter: "resident", settings: settings() });
  const now = () => Math.floor(time.now.getTime() / 1000);
  return {
    ...first,
    ...{ relay, place, folder, key, time, another, now, settings },
    resident: async (name) => {
      const made = await addKey(name);
      await first.store.agents.add({ name, charter: "resident", settings: settings(name) });
      return made;
    },
    elsewhere: async (text, createdAt = now(), as = key) => {
      const event = as.makeEvent({ slug: "core", text, createdAt });
      await relay.put(event);
      return event;
    },
    close: async () => {
      for (const { host, store } of machines) {
        await host.close(0);
        await store.close();
      }
      await relay.stop();
      for (const one of places) await one.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One that is closed with its test. */
export async function residentHere(home?: PlaceName | Place): Promise<ResidentStage> {
  const made = await newResident(home);
  onTestFinished(made.close);
  return made;
}
