import { withMemory } from "../agent/bare-declaration.ts";
import type { Declaration, MemoryPlace } from "../agent/declaration.ts";
import { staleRevision } from "../amend/guards/permission.ts";
import { badArgument, isObject, isText, kindOf } from "../prompt/argument.ts";
import { createBoundedMap } from "../prompt/bounds.ts";
import { defineCharter } from "../prompt/charter.ts";
import { Problem } from "../prompt/problem.ts";
import { type CoreMemory, createCoreMemory } from "../sources/core-memory/core-memory.ts";
import type { CoreRecord } from "../sources/core-memory/core-record.ts";
import type { MemoryHead } from "../sources/core-memory/finding.ts";
import { hideKeys, type KeyConfigs } from "../sources/core-memory/key-source.ts";
import type { NostrEvent } from "../sources/core-memory/nostr-event.ts";
import { coreSlug } from "../sources/core-memory/slug.ts";
import type { AgentRecord } from "../store/agents.ts";
import { keyIsNew } from "../store/event.ts";
import type { SeenHead } from "../store/publications/publications.ts";
import type { Store } from "../store/store.ts";
import { sha256 } from "../store/texts/packing.ts";

/** Where the keys of agents are; or a function that says so, which is asked when one is first needed. */
export type HostKeys = KeyConfigs | (() => Promise<KeyConfigs | undefined>);

/** What core memories are made with. */
export type CoreMemoryDeps = {
  readonly store: Store;
  readonly keys?: HostKeys | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly clock?: (() => Date) | undefined;
};

/** Gives a declaration its core memory, where it has one on relays. */
export type WithCoreMemory = <Given extends Declaration>(agent: Pick<AgentRecord, "name">, given: Given) => Given;

/** The core memories of a store's agents: each the same one for as long as its settings are. */
type CoreMemories = {
  readonly of: (agent: Pick<AgentRecord, "name">, place: MemoryPlace) => CoreMemory;
  readonly give: WithCoreMemory;
};

export function createCoreMemories(deps: CoreMemoryDeps): CoreMemories {
  if (typeof deps.keys !== "function") hideKeys(deps.keys);
  const known = createBoundedMap<string, CoreMemory>(1000);
  const of: CoreMemories["of"] = ({ name }, place) => {
    const key = JSON.stringify([name, place]);
    const memory = known.get(key) ?? openCoreMemory(deps, name, place);
    known.set(key, memory);
    return memory;
  };
  const give: WithCoreMemory = (agent, given) => (given.memory ? withMemory(given, of(agent, given.memory)) : given);
  return { of, give };
}

/**
 * Opens an agent's core memory on relays: give it to `resident`. A host does so itself, by the agent's settings.
 * Nothing is loaded or asked before it is wanted.
 */
export function openCoreMemory(deps: CoreMemoryDeps, agent: string, place: MemoryPlace): CoreMemory {
  if (!isObject(deps?.store) || !isText(agent) || !isText(place?.key))
    throw badArgument(
      `What openCoreMemory was given is no store, no name or no place: ${[deps, agent, place].map(kindOf).join(", ")}.`,
      'Give openCoreMemory({ store, keys }, "ada", { relays, owner, key }).',
    );
  const { relays, owner, key: name } = place;
  const { store, keys, env = process.env, clock = () => new Date() } = deps;
  const open = async () => {
    const [nostr, keySource, memoryKey, relayClient, reading, listing, sending] = await Promise.all([
      import("../sources/core-memory/nostr.ts").then(({ loadNostr }) => loadNostr()),
      import("../sources/core-memory/key-source.ts"),
      import("../sources/core-memory/memory-key.ts"),
      import("../sources/core-memory/create-relay-client.ts"),
      import("../sources/core-memory/read-memory.ts"),
      import("../sources/core-memory/list-memory.ts"),
      import("../sources/core-memory/send-event.ts"),
    ]);
    const known = typeof keys === "function" ? await keys() : keys;
    hideKeys(known);
    const config = known && Object.hasOwn(known, name) ? known[name] : undefined;
    const secret = await keySource.readKey(name, config, { nostr, env, folder: "." });
    const key = memoryKey.createMemoryKey(nostr, secret, keySource.readPublicKey(nostr, owner));
    const search = { client: relayClient.createRelayClient({ sign: key.sign, clock }), key, relays };
    return {
      key,
      read: (slug: string) => reading.readMemory({ ...search, slug }),
      list: () => listing.listMemory(search),
      send: (event: NostrEvent, to: readonly string[]) => sending.sendEvent({ ...search, event, relays: to }),
    };
  };
  return createCoreMemory({ record: coreRecordOf(store, agent), clock, open });
}

/** What is changed elsewhere is recorded as it is: nothing but the order of changes is judged. */
const ledger = defineCharter({
  name: "core-memory",
  layers: [{ name: "identity", mutability: { amendableBy: ["agent", "operator"] }, sections: [{ name: coreSlug }] }],
});

/** The store's part of a core memory: its history, what was seen of it, and what waits to be published. */
export function coreRecordOf(store: Store, agent: string): CoreRecord {
  const { publications } = store;
  const scope = { agent };
  const placeOf = (address: string) => ({ agent, section: coreSlug, address });
  const textOf = async ({ id, revision }: { readonly id: string; readonly revision: number }) => {
    const text = (await store.history.at(scope, coreSlug, revision))?.after;
    if (typeof text === "string") return text;
    const message = `The words of revision ${revision} of “${coreSlug}”, which event ${id} publishes, are not in the store.`;
    throw new Problem("standing-unavailable", message, "Look at the store with charter verify.");
  };
  return {
    // In this order: a text whose event is not known yet would be taken for one that the relays have left behind.
    known: async (address) => {
      const standing = (await store.standings.read(ledger, scope))[coreSlug];
      const { text, revision } = standing && "text" in standing ? standing : { text: "", revision: 0 };
      const state = await publications.state(placeOf(address));
      const waiting = state.waiting && { ...state.waiting, text: await textOf(state.waiting) };
      const isOfKey = text === waiting?.text || sha256(text) === state.seen?.digest;
      return { seen: state.seen, waiting, standing: { text, revision, isOfKey } };
    },
    adopt: async (text, { base, reason }) => {
      const context = {
        charter: ledger,
        scope,
        rules: () => ({ guards: [staleRevision] }),
        madeElsewhere: true as const,
      };
      const operation = { kind: "rewrite" as const, content: text };
      const outcome = await store.propose(context, {
        section: coreSlug,
        operation,
        actor: "agent",
        reason,
        revision: base,
      });
      if (outcome.verdict === "accepted" || outcome.verdict === "unchanged") return { revision: outcome.revision };
      if (outcome.refusals.some(({ guard }) => guard === "stale-revision")) return "stale";
      return { refused: outcome.refusals.map(({ because }) => because).join(" ") };
    },
    holds: (text) => store.history.has(scope, coreSlug, text),
    isBorn: async (address) => {
      const births = await store.events.list({ agent, kind: keyIsNew });
      return births.some(({ detail }) => detail.key === keyOf(address));
    },
    noteBirth: (address) => noteBirth(store, agent, keyOf(address)),
    noteSeen: (address, head) =>
      publications.noteSeen(placeOf(address), head === "unreadable" ? unreadable : seenOf(head)),
    settle: (id, { state, by, taken, missed }) =>
      publications.settle(agent, id, {
        state,
        taken,
        missed,
        seen: seenOf(by),
        ...(by.event.id === id ? {} : { by: by.event.id }),
      }),
    noteSent: (id, told) => publications.noteSent(agent, id, told),
    outcome: async (id) => {
      const found = await publications.find(agent, id);
      if (!found) return undefined;
      const { state, taken, missed } = found;
      const outcome = { id, state: state === "replaced" ? "superseded" : state, taken, missed } as const;
      return state === "superseded" ? { ...outcome, ours: await textOf(found) } : outcome;
    },
    retryAt: (id, missed, at) => publications.retryAt(agent, id, missed, at.toISOString()),
  };
}

/** An address is that of an event: its kind, its author's public key, its tag. */
const keyOf = (address: string) => address.split(":")[1] as string;

/** Records that an agent's key, by its public key as hex, is new: it was made just now, or the operator says so. */
export async function noteBirth({ events }: Store, agent: string, key: string): Promise<void> {
  await events.record({ scope: { agent }, kind: keyIsNew, detail: { key } });
}

const unreadable: SeenHead = { id: null, createdAt: 0, digest: null, place: null };

function seenOf({ event, text, relay }: MemoryHead): SeenHead {
  return {
    id: event.id,
    createdAt: event.created_at,
    digest: text === null ? null : sha256(text),
    place: relay,
    body: JSON.stringify(event),
  };
}

/** Where one is asked for and the agent has none on relays. */
export function noCoreMemory(agent: string): Problem {
  return new Problem(
    "no-core-memory",
    `“${agent}” has no core memory on relays.`,
    "Give it the setting “memory”, as `charter agents set` does with --relay and --owner: docs/resident.md.",
  );
}
