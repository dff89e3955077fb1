import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KeyConfigs } from "../../../charter/src/sources/core-memory/key-source.ts";
import type { NostrEvent } from "../../../charter/src/sources/core-memory/memory-key.ts";
import type { Store } from "../../../charter/src/store/index.ts";
import { newAgent } from "../../../charter/test/relays/agent.ts";
import { startStrictRelay } from "../../../charter/test/relays/strict-relay.ts";

export type Relay = Awaited<ReturnType<typeof startStrictRelay>>;

/** A resident with a core memory on real relays, and someone else who holds its key. */
export type Resident = {
  /** For the stage: where its key is. */
  readonly keys: KeyConfigs;
  readonly npub: string;
  readonly relays: readonly Relay[];
  /** `key`: by which name its key is looked for; by its own, unless given. */
  readonly addTo: (store: Store, name?: string, key?: string) => Promise<void>;
  /** Someone else writes it, on another machine. `later`: seconds ahead of now. */
  readonly writeElsewhere: (text: string, relay: Relay, later?: number) => Promise<NostrEvent>;
  /** When the next change comes, this has been written elsewhere a second later. */
  readonly writeAtTheSameTime: (text: string, relay: Relay) => void;
  /** From now on a relay takes nothing; what it does until then is given back. */
  readonly fill: (relay: Relay) => () => void;
  /** A relay goes away, and comes back at the same address with what it had. */
  readonly stop: (at: number) => Promise<void>;
  readonly startAgain: (at: number) => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function prepareResident(count = 2): Promise<Resident> {
  const { key, nsec, owner } = await newAgent();
  const folder = mkdtempSync(join(tmpdir(), "charter-resident-"));
  const file = join(folder, "agent.key");
  writeFileSync(file, `${nsec}\n`, { mode: 0o600 });
  const relays = await Promise.all(Array.from({ length: count }, () => startStrictRelay()));
  const addresses = relays.map(({ url }) => url);
  const running = new Set(relays);
  const makeEvent = (text: string, createdAt: number) => key.makeEvent({ slug: "core", text, createdAt });
  return {
    keys: { rita: { file } },
    npub: key.npub,
    relays,
    addTo: async (store, name = "rita", called = "rita") => {
      const memory = { relays: addresses, owner, key: called };
      await store.agents.add({ name, charter: "resident", settings: { base: "You live in a shop.", memory } });
    },
    writeElsewhere: async (text, relay, later = 0) => {
      const newest = Math.max(0, ...(await relay.held()).map(({ created_at }) => created_at));
      const event = makeEvent(text, Math.max(Math.floor(Date.now() / 1000) + later, newest + 1));
      await relay.put(event);
      return event;
    },
    writeAtTheSameTime: (text, { shelf }) => {
      const usual = shelf.upsert.bind(shelf);
      shelf.upsert = (event) => {
        shelf.upsert = usual;
        usual(makeEvent(text, event.created_at + 1));
        return usual(event);
      };
    },
    fill: ({ shelf }) => {
      const usual = shelf.upsert;
      shelf.upsert = () => {
        throw new Error("there is no room left");
      };
      return () => {
        shelf.upsert = usual;
      };
    },
    stop: async (at) => {
      const relay = relays[at] as Relay;
      running.delete(relay);
      await relay.stop();
    },
    startAgain: async (at) => {
      const { url, shelf } = relays[at] as Relay;
      relays[at] = await startStrictRelay({ shelf, port: Number(new URL(url).port) });
      running.add(relays[at]);
    },
    close: async () => {
      await Promise.all([...running].map((relay) => relay.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
