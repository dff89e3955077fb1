import type { PublicationOutcome } from "../amend/amendment.ts";
import { Problem } from "../prompt/problem.ts";
import type { Notice } from "../prompt/reading.ts";
import type { CoreMemory } from "../sources/core-memory/core-memory.ts";
import type { RelayReport } from "../sources/core-memory/finding.ts";
import type { RelayTrouble } from "../sources/core-memory/relay-client.ts";
import { coreSlug } from "../sources/core-memory/slug.ts";
import type { RecordedPublication } from "../store/publications/publications.ts";
import type { Store } from "../store/store.ts";

/** An event and its time, in seconds since 1970. */
type EventTime = { readonly id: string; readonly createdAt: number };

/** How one relay does, beside the newest event of all. */
export type RelayStanding = {
  readonly relay: string;
  /** `unusable`: it has events, and none that can be used. The others say why its answer is not known. */
  readonly status: "newest" | "behind" | "nothing" | "unusable" | RelayTrouble;
  /** The newest valid event it has. */
  readonly head: EventTime | null;
  /** How much older that is than the newest of all. */
  readonly lagSeconds: number | null;
  readonly reason: string | null;
};

/** All that is known of an agent's core memory: on its relays, on record, and what of it still has to be sent. */
export type CoreReport = {
  readonly agent: string;
  readonly status: "present" | "empty" | "unavailable";
  /** Why it is unavailable. */
  readonly reason: string | null;
  readonly text: string | null;
  /** The revision that the text is. */
  readonly revision: number;
  /** The agent's public key; null where its key cannot be read. */
  readonly npub: string | null;
  /** The newest valid event on the relays. */
  readonly head: (EventTime & { readonly relay: string; readonly author: string }) | null;
  readonly relays: readonly RelayStanding[];
  /** Events of ours that no relay has confirmed yet. */
  readonly waiting: readonly Pick<
    RecordedPublication,
    "id" | "revision" | "createdAt" | "at" | "tries" | "nextTryAt" | "missed"
  >[];
  /** Changes of ours in whose place another's event stands, newest first. */
  readonly conflicts: readonly CoreConflict[];
  readonly notices: readonly Notice[];
};

/** `id` is our event, of that revision; `by` is the one that stands instead. */
type CoreConflict = {
  readonly id: string;
  readonly revision: number;
  readonly by: string | null;
  readonly at: string;
};

const maxConflicts = 10;

/** Asks the relays, and puts together what they and the record say. */
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

/** What is wrong with the key is the operator's to mend: to whoever looks, the core memory is unavailable because of it. */
const ofKeys = new Set(["bad-key", "key-exposed", "key-missing", "package-missing"]);

/** The same; where the key cannot be read, that is the reason why it is unavailable. */
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

/** What one relay has, beside the newest event of all. */
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

/** Sends what waits, or the newest that the relays have lost. Without a key there is nothing to do where nothing waits. */
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
  const found = await events.list({ agent, kind: "publication-conflict", limit: maxConflicts });
  return found
    .filter(({ detail }) => detail.section === coreSlug)
    .map(({ at, detail }) => ({
      id: String(detail.id),
      revision: Number(detail.revision),
      by: typeof detail.by === "string" ? detail.by : null,
      at,
    }));
}
