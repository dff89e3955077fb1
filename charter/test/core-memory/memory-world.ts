import { resident } from "../../src/charters/resident/resident.ts";
import { coreRecordOf } from "../../src/host/core-memory.ts";
import { gather, Problem, type Reading } from "../../src/index.ts";
import { withStanding } from "../../src/prompt/gather.ts";
import { createCoreMemory } from "../../src/sources/core-memory/core-memory.ts";
import type { CoreRecord } from "../../src/sources/core-memory/look-at-core.ts";
import { createMemoryKey, type MemoryKey, type NostrEvent } from "../../src/sources/core-memory/memory-key.ts";
import { checkEvent, readMemory } from "../../src/sources/core-memory/read-memory.ts";
import { type RelayClient, sendEvent } from "../../src/sources/core-memory/relay.ts";
import type { ProposalOutcome } from "../../src/store/amendments/judge.ts";
import type { Store } from "../../src/store/index.ts";
import { lightNostr } from "./light-nostr.ts";
import { type LightRelay, lightClient, newRelay } from "./light-relays.ts";

/** An event of the agent's memory and what it says. */
export type Said = { readonly event: NostrEvent; readonly text: string };

/** What a process proposes. */
export type Writing = {
  readonly kind: "rewrite" | "append" | "prepend" | "reset";
  readonly content: string;
  readonly actor: "agent" | "operator";
};

/** What became of a turn or of a proposal; nothing of the latter where it was a Problem. */
export type Done = {
  readonly reading: Reading;
  readonly outcome?: ProposalOutcome;
  readonly problem?: Problem;
  /** The process died in the midst of it. */
  readonly died: boolean;
};

class Died extends Error {}

/** One process: what it holds in memory is gone when it is started anew. */
export type Process = {
  readonly turn: (dieAfter?: number) => Promise<Done>;
  readonly write: (writing: Writing, dieAfter?: number) => Promise<Done>;
  readonly restart: () => void;
};

const owner = lightNostr.publicKey(Buffer.alloc(32, 9));

/** Relays, two keys, and two processes that share a store; the clock and every relay do what they are told. */
export type World = {
  readonly agent: string;
  readonly store: Store;
  readonly relays: readonly LightRelay[];
  readonly processes: readonly [Process, Process];
  /** What the relays have given that can be used, of the key that is set up, since it was last asked. */
  readonly takeGiven: () => { readonly usable: readonly Said[]; readonly unreadable: boolean };
  /** Every event anyone made with any key, by id. */
  readonly said: ReadonlyMap<string, Said>;
  readonly time: { now: number };
  readonly key: () => MemoryKey;
  readonly useKey: (which: 0 | 1) => void;
  /** Another's with the same key, somewhere else. */
  readonly outside: (text: string, createdAt: number) => NostrEvent;
  /** Before and after a relay answers; when a process has read what is on record; when a relay was given an event, before it says so. */
  readonly pauses: {
    next: () => Promise<void>;
    known: () => Promise<void>;
    sent: () => Promise<void>;
  };
};

export type WorldOptions = {
  readonly store: Store;
  /** The second process's own connection to the same database; the first one's, unless given. */
  readonly other?: Store;
  readonly agent: string;
  readonly relays: number;
  /** The store's clock as well. */
  readonly time: { now: number };
};

export async function newWorld({ agent, relays: relayCount, time, ...stores }: WorldOptions): Promise<World> {
  const { store: first, other = first } = stores;
  await first.agents.put({ name: agent, charter: "resident" });
  time.now = 1_800_000_000;
  const clock = () => new Date(time.now * 1000);
  const relays = Array.from({ length: relayCount }, (_, index) => newRelay(index));
  const said = new Map<string, Said>();
  const keys = [1, 2].map((seed) => remembering(createMemoryKey(lightNostr, Buffer.alloc(32, seed), owner), said));
  let which = 0;
  const key = () => keys[which] as MemoryKey;
  const stranger = createMemoryKey(lightNostr, Buffer.alloc(32, 3), owner);
  const spoiled = keys.map((own) =>
    own.sign({
      kind: 30174,
      created_at: 5,
      tags: [
        ["d", own.dTag("core")],
        ["p", owner],
      ],
      content: "x".repeat(200),
    }),
  );
  const odd = {
    strangers: stranger.makeEvent({ slug: "core", text: "Words of a stranger.", createdAt: 1_900_000_000 }),
    spoiledOf: (author: string) => spoiled.find(({ pubkey }) => pubkey === author),
    rivalOf: ({ pubkey, id, created_at }: NostrEvent, isNewer?: true) => {
      const own = keys.find((one) => one.agent === pubkey) as MemoryKey;
      const createdAt = created_at + (isNewer ? 1 : (Number.parseInt(id.slice(0, 1), 16) % 3) - 1);
      return own.makeEvent({ slug: "core", text: `Rival to ${id.slice(0, 6)}.`, createdAt });
    },
  };
  const given: unknown[] = [];
  const pauses: World["pauses"] = { next: async () => {}, known: async () => {}, sent: async () => {} };
  const client = lightClient(relays, odd, () => pauses.next());
  const listening: RelayClient = {
    ...client,
    ask: async (...asked) => {
      const answer = await client.ask(...asked);
      given.push(...answer.events);
      return answer;
    },
    send: async (...given) => {
      const receipt = await client.send(...given);
      await pauses.sent();
      return receipt;
    },
  };
  const newProcess = (store: Store): Process => {
    const life = { left: Number.POSITIVE_INFINITY };
    let own = openProcess();
    function openProcess() {
      const mine = life;
      const own = coreRecordOf(store, agent);
      const known: CoreRecord["known"] = async (address) => {
        const found = await own.known(address);
        await pauses.known();
        return found;
      };
      const record = mortal({ ...own, known }, mine);
      const memories = keys.map((one) =>
        createCoreMemory({
          record,
          clock,
          random: () => 1,
          open: async () => {
            const search = { client: dying(listening, mine), key: one, relays: relays.map(({ url }) => url) };
            return {
              key: one,
              read: (slug) => readMemory({ ...search, slug }),
              list: () => Promise.reject(new Error("nobody lists")),
              send: (event, to) => sendEvent({ client: search.client, event, relays: to }),
            };
          },
        }),
      );
      return memories.map((core) => resident({ core }));
    }
    const turnOf = async () => {
      const declaration = own[which] as (typeof own)[0];
      const { charter } = declaration;
      const standing = await store.standings.read(charter, { agent });
      const readings = await gather(charter, { agent, now: clock().toISOString(), tools: [], standing });
      return { declaration, readings, reading: readings.core as Reading };
    };
    const living = async (dieAfter: number, work: () => Promise<Omit<Done, "died">>): Promise<Done> => {
      life.left = dieAfter;
      try {
        return { ...(await work()), died: life.left <= 0 };
      } catch (error) {
        if (!(error instanceof Died)) throw error;
        return { reading: { status: "unavailable", reason: "it died" }, died: true };
      } finally {
        if (life.left <= 0) own = openProcess();
        life.left = Number.POSITIVE_INFINITY;
      }
    };
    return {
      restart: () => {
        own = openProcess();
      },
      turn: (dieAfter = Number.POSITIVE_INFINITY) =>
        living(dieAfter, async () => ({ reading: (await turnOf()).reading })),
      write: ({ kind, content, actor }, dieAfter = Number.POSITIVE_INFINITY) =>
        living(dieAfter, async () => {
          const { declaration, readings, reading } = await turnOf();
          const rulesFor = await declaration.rules();
          const { charter } = declaration;
          const operation = kind === "reset" ? { kind } : { kind, content };
          try {
            const outcome = await store.propose(
              {
                charter,
                scope: { agent },
                rules: (section, standing) => rulesFor(section, withStanding(charter, readings, standing), {}),
              },
              { section: "core", operation, actor },
            );
            return { reading, outcome };
          } catch (problem) {
            if (problem instanceof Problem) return { reading, problem };
            throw problem;
          }
        }),
    };
  };
  const takeGiven = () => {
    const checked = given.splice(0).map((event) => checkEvent(event, key(), "core"));
    return {
      usable: checked.flatMap((one) => ("usable" in one ? [{ ...one.usable, text: one.usable.text ?? "" }] : [])),
      unreadable: checked.some((one) => "unusable" in one && one.signed),
    };
  };
  return {
    agent,
    store: first,
    relays,
    processes: [newProcess(first), newProcess(other)],
    takeGiven,
    said,
    time,
    key,
    useKey: (other) => {
      which = other;
    },
    outside: (text, createdAt) => key().makeEvent({ slug: "core", text, createdAt }),
    pauses,
  };
}

/** A key that writes down what it signs. */
function remembering(key: MemoryKey, said: Map<string, Said>): MemoryKey {
  return {
    ...key,
    makeEvent: (memory) => {
      const event = key.makeEvent(memory);
      said.set(event.id, { event, text: memory.text ?? "" });
      return event;
    },
  };
}

type Life = { left: number };

/** A record that a process reaches so many more times, counting each call twice: it may die before or after. */
function mortal(record: CoreRecord, life: Life): CoreRecord {
  const tick = () => {
    life.left -= 1;
    if (life.left <= 0) throw new Died();
  };
  const wrap =
    <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    async (...given: Given) => {
      tick();
      const result = await work(...given);
      tick();
      return result;
    };
  return {
    known: wrap(record.known),
    adopt: wrap(record.adopt),
    holds: wrap(record.holds),
    isBorn: wrap(record.isBorn),
    isBegun: wrap(record.isBegun),
    move: wrap(record.move),
    noteBirth: wrap(record.noteBirth),
    noteSeen: wrap(record.noteSeen),
    settle: wrap(record.settle),
    noteSent: wrap(record.noteSent),
    retryAt: wrap(record.retryAt),
    outcome: wrap(record.outcome),
  };
}

/** The dead send nothing. */
function dying(client: RelayClient, life: Life): RelayClient {
  return {
    ask: client.ask,
    send: async (relay, event, signal) => {
      life.left -= 1;
      if (life.left <= 0) return { relay, ok: false, reason: "nobody is there to send it" };
      return client.send(relay, event, signal);
    },
  };
}
