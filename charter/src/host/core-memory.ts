import { withMemory } from "../agent/bare-declaration.ts";
import type { Declaration, MemoryPlace } from "../agent/declaration.ts";
import type { PublicationOutcome } from "../amend/amendment.ts";
import { staleRevision } from "../amend/guards/permission.ts";
import { badArgument, defined, isObject, isText, kindOf } from "../prompt/argument.ts";
import { createBoundedMap } from "../prompt/bounds.ts";
import { defineCharter } from "../prompt/charter.ts";
import { Problem } from "../prompt/problem.ts";
import type { Notice } from "../prompt/reading.ts";
import { type CoreMemory, createCoreMemory } from "../sources/core-memory/core-memory.ts";
import { hideKeys, type KeyConfigs, readKey, readPublicKey } from "../sources/core-memory/key-source.ts";
import type { CoreRecord } from "../sources/core-memory/look-at-core.ts";
import { coreSlug, createMemoryKey, loadNostr, type NostrEvent } from "../sources/core-memory/memory-key.ts";
import type { MemoryHead, RelayReport } from "../sources/core-memory/read-memory.ts";
import { type RelayTrouble, sendEvent } from "../sources/core-memory/relay.ts";
import type { AgentRecord } from "../store/agents.ts";
import { keyIsNew } from "../store/event.ts";
import type { RecordedPublication, SeenHead } from "../store/publications/publications.ts";
import type { Store } from "../store/store.ts";
import { sha256 } from "../store/texts/packing.ts";

/** Keys of agents; or a function that returns them, called when one is first needed. */
export type HostKeys = KeyConfigs | (() => Promise<KeyConfigs | undefined>);

/** Dependencies of core memories. */
export type CoreMemoryDeps = {
  readonly store: Store;
  readonly keys?: HostKeys | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly clock?: (() => Date) | undefined;
};

/** Function that adds its core memory to a declaration, if the agent has one on relays. */
export type WithCoreMemory = <Given extends Declaration>(agent: Pick<AgentRecord, "name">, given: Given) => Given;

/** Core memories of a store's agents: each is the same object while its settings are unchanged. */
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
 * Opens an agent's core memory on relays, to be passed to `resident`. A host does this itself, by the agent's settings. Nothing
 * is loaded or asked before it is needed.
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
    const [nostr, { createRelayClient }, { listMemory, readMemory }] = await Promise.all([
      loadNostr(),
      import("../sources/core-memory/relay-client.ts"),
      import("../sources/core-memory/read-memory.ts"),
    ]);
    const known = typeof keys === "function" ? await keys() : keys;
    hideKeys(known);
    const config = known && Object.hasOwn(known, name) ? known[name] : undefined;
    const secret = await readKey(name, config, { nostr, env, folder: "." });
    const key = createMemoryKey(nostr, secret, readPublicKey(nostr, owner));
    const search = { client: createRelayClient({ sign: key.sign, clock }), key, relays };
    return {
      key,
      read: (slug: string) => readMemory({ ...search, slug }),
      list: () => listMemory(search),
      send: (event: NostrEvent, to: readonly string[]) => sendEvent({ ...search, event, relays: to }),
    };
  };
  return createCoreMemory({ record: coreRecordOf(store, agent), clock, open });
}

/** Charter under which changes from elsewhere are recorded as they are: only their order is checked. */
const ledger = defineCharter({
  name: "core-memory",
  layers: [
    {
      name: "identity",
      mutability: { amendableBy: ["agent", "operator"], scope: "agent" },
      sections: [{ name: coreSlug }],
    },
  ],
});

/** Record of a core memory in the store: its history, what was seen on relays, and what waits to be published. */
export function coreRecordOf(store: Store, agent: string): CoreRecord {
  const { publications } = store;
  const scope = { agent };
  const placeOf = (address: string) => ({ agent, section: coreSlug, address });
  const births = () => store.events.list({ agent, kind: keyIsNew });
  const textOf = async ({ id, revision }: { readonly id: string; readonly revision: number }) => {
    const text = (await store.history.at(scope, coreSlug, revision))?.after;
    if (typeof text === "string") return text;
    const message = `The words of revision ${revision} of “${coreSlug}”, which event ${id} publishes, are not in the store.`;
    throw new Problem("standing-unavailable", message, "Look at the store with charter verify.");
  };
  return {
    // The text is read before the publications: otherwise one whose event is not recorded yet would look like one that the relays
    // have left behind.
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
    isBorn: async (address) => (await births()).some(({ detail }) => detail.key === keyOf(address)),
    isBegun: async (address) => (await births()).some(({ detail }) => detail.address === address),
    noteBirth: (address) => noteBirth(store, agent, keyOf(address), address),
    move: async (revision, publisher) => {
      const amendment = await store.history.at(scope, coreSlug, revision);
      if (amendment?.after) await publications.add({ ...amendment, scope, after: amendment.after }, publisher);
    },
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
      const publication = await publications.find(agent, id);
      if (!publication) return undefined;
      const { state, taken, missed } = publication;
      const outcome = { id, state: state === "replaced" ? "superseded" : state, taken, missed } as const;
      return state === "superseded" ? { ...outcome, ours: await textOf(publication) } : outcome;
    },
    retryAt: (id, missed, at) => publications.retryAt(agent, id, missed, at.toISOString()),
  };
}

/** An address names an event's kind, its author's public key and its tag. */
const keyOf = (address: string) => address.split(":")[1] as string;

/**
 * Records that an agent's key (its public key, in hex) is new: it was just made, or the operator says so; then of the address,
 * too, at which its memory begins.
 */
export async function noteBirth({ events }: Store, agent: string, key: string, address?: string): Promise<void> {
  await events.record({ scope: { agent }, kind: keyIsNew, detail: defined({ key, address }) });
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

/** Error for an agent that has no core memory on relays. */
export function noCoreMemory(agent: string): Problem {
  return new Problem(
    "no-core-memory",
    `“${agent}” has no core memory on relays.`,
    "Give it the setting “memory”, as `charter agents set` does with --relay and --owner: docs/resident.md.",
  );
}

/** An event and its time, in seconds since 1970. */
type EventTime = { readonly id: string; readonly createdAt: number };

/** State of one relay, compared with the newest event of all. */
export type RelayStanding = {
  readonly relay: string;
  /** `unusable`: it has only events that cannot be used. Troubles say why its answer is not known. */
  readonly status: "newest" | "behind" | "nothing" | "unusable" | RelayTrouble;
  /** Newest valid event it has. */
  readonly head: EventTime | null;
  /** Seconds between that event and the newest of all. */
  readonly lagSeconds: number | null;
  readonly reason: string | null;
};

/** Report of an agent's core memory: on its relays, in the store, and what still has to be sent. */
export type CoreReport = {
  readonly agent: string;
  readonly status: "present" | "empty" | "unavailable";
  /** Reason if it is unavailable. */
  readonly reason: string | null;
  readonly text: string | null;
  /** Revision of the text. */
  readonly revision: number;
  /** Public key of the agent; null if its key cannot be read. */
  readonly npub: string | null;
  /** Newest valid event on the relays. */
  readonly head: (EventTime & { readonly relay: string; readonly author: string }) | null;
  readonly relays: readonly RelayStanding[];
  /** Events of ours that no relay has confirmed yet. */
  readonly waiting: readonly Pick<
    RecordedPublication,
    "id" | "revision" | "createdAt" | "at" | "tries" | "nextTryAt" | "missed"
  >[];
  /** Changes of ours that lost to another event, newest first. */
  readonly conflicts: readonly CoreConflict[];
  readonly notices: readonly Notice[];
};

/** A lost change: `id` is our event, of that revision; `by` is the event that is current instead. */
type CoreConflict = {
  readonly id: string;
  readonly revision: number;
  readonly by: string | null;
  readonly at: string;
};

const maxConflicts = 10;

/** Asks the relays, and combines their answers with the store's record. */
export async function coreReport(store: Store, agent: string, memory: CoreMemory): Promise<CoreReport> {
  const { reading, relays, head, standing, author } = await memory.look();
  const text = reading.status === "present" ? reading.parts.map((part) => part.text).join("\n") : null;
  return {
    agent,
    status: reading.status,
    reason: reading.status === "unavailable" ? reading.reason : null,
    text,
    revision: standing.revision,
    npub: author.npub,
    head: head ? { id: head.event.id, createdAt: head.event.created_at, relay: head.relay, author: author.npub } : null,
    relays: relays.map((report) => relayStanding(report, head?.event)),
    waiting: await waitingOf(store, agent),
    conflicts: await conflictsOf(store, agent),
    notices: ("notices" in reading && reading.notices) || [],
  };
}

/** Codes of faults of a key. The operator mends them; for everyone else the core memory is unavailable because of them. */
const ofKeys = new Set(["bad-key", "key-exposed", "key-missing", "package-missing"]);

/** Reports a core memory as unavailable, with the reason, if its key cannot be read. */
export async function coreReportOrWhy(store: Store, agent: string, memory: CoreMemory): Promise<CoreReport> {
  try {
    return await coreReport(store, agent, memory);
  } catch (error) {
    if (!(error instanceof Problem) || !ofKeys.has(error.code)) throw error;
    const { code, message, hint } = error;
    const [newest] = await store.history.list({ agent }, coreSlug, { limit: 1 });
    const nothing = { text: null, revision: newest?.revision ?? 0, npub: null, head: null, relays: [] };
    return {
      ...{ agent, status: "unavailable", reason: message, ...nothing },
      waiting: await waitingOf(store, agent),
      conflicts: await conflictsOf(store, agent),
      notices: [{ code, section: coreSlug, message: `${message} ${hint}` }],
    };
  }
}

/** State of one relay, compared with the newest event of all. */
export function relayStanding(
  { relay, trouble, head, unusable, fault }: RelayReport,
  newest: { readonly id: string; readonly created_at: number } | undefined,
): RelayStanding {
  const lagSeconds = head && newest ? newest.created_at - head.createdAt : null;
  const whole = { relay, head: head ?? null, lagSeconds };
  const spoiled = unusable > 0 ? `${unusable} of its events cannot be used: ${fault}` : null;
  if (trouble) return { ...whole, status: trouble.kind, reason: trouble.reason };
  if (!head) return { ...whole, status: unusable > 0 ? "unusable" : "nothing", reason: spoiled };
  return { ...whole, status: head.id === newest?.id ? "newest" : "behind", reason: spoiled };
}

/**
 * Sends what waits to be published, or the newest text if the relays have lost it. Without a key, and with nothing waiting, does
 * nothing.
 */
export async function publishWaiting(
  store: Store,
  agent: string,
  memory: CoreMemory,
): Promise<PublicationOutcome | null> {
  try {
    return (await memory.publish()) ?? null;
  } catch (error) {
    if (!(error instanceof Problem) || !ofKeys.has(error.code)) throw error;
    if ((await waitingOf(store, agent)).length > 0) throw error;
    return null;
  }
}

async function waitingOf({ publications }: Store, agent: string): Promise<CoreReport["waiting"]> {
  const waiting = await publications.list({ agent, section: coreSlug, state: "waiting" });
  return waiting.map(({ id, revision, createdAt, at, tries, nextTryAt, missed }) => {
    return { id, revision, createdAt, at, tries, nextTryAt, missed };
  });
}

async function conflictsOf({ events }: Store, agent: string): Promise<CoreConflict[]> {
  const conflicts = await events.list({ agent, kind: "publication-conflict", limit: maxConflicts });
  return conflicts
    .filter(({ detail }) => detail.section === coreSlug)
    .map(({ at, detail }) => ({
      id: String(detail.id),
      revision: Number(detail.revision),
      by: typeof detail.by === "string" ? detail.by : null,
      at,
    }));
}
