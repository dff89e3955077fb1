import type { Notice } from "../../prompt/reading.ts";
import type { Finding, MemoryHead } from "./finding.ts";
import { type EventRank, isNewer } from "./head.ts";

/** What is on record of a core memory: what was seen of it, what of ours waits to be published, and the current text. */
export type KnownMemory = {
  /** The newest event that was ever seen. Without an id: there is one of the agent's own that could not be read. */
  readonly seen: { readonly id: string | null; readonly createdAt: number } | undefined;
  /** An event of ours that no relay has confirmed yet, and what it says. */
  readonly waiting: { readonly id: string; readonly createdAt: number; readonly text: string } | undefined;
  readonly standing: { readonly text: string; readonly revision: number };
};

/** What relays and record say together. */
export type Reconciliation = {
  readonly notices: readonly Notice[];
  /** What the record lacks, and has to be noted before anything is said. */
  readonly note?: MemoryHead | "unreadable";
  /** The text that the record lacks: it was changed elsewhere. */
  readonly adopt?: string;
  /** The text of ours that waits, where the record has another: other keys were set up meanwhile, or a process died. */
  readonly resume?: string;
  /** Another's that ours, which waits, will replace: its words are kept in the history. */
  readonly overtaken?: MemoryHead;
  /** What waited stands on a relay, or another's newer one stands instead. */
  readonly settle?: "published" | "superseded";
} & (
  | { readonly status: "present"; readonly text: string; readonly event: string; readonly relay: string | undefined }
  | { readonly status: "empty" }
  | { readonly status: "unavailable"; readonly reason: string }
);

/** An event so far ahead of the clock makes every later one worse. */
export const farthestAhead = 600;

/**
 * Decides what a core memory is. An agent that ever had one never seems to be without: after something was seen, nothing
 * and something older are an outage.
 */
export function reconcile(finding: Finding, known: KnownMemory, now: number): Reconciliation {
  const { seen, waiting, standing } = known;
  if (finding.status === "unavailable") {
    const unreadable = finding.signed && seen === undefined ? { note: "unreadable" as const } : {};
    const notices = finding.blank && seen === undefined ? [unconfirmed(finding.reason)] : [];
    return { status: "unavailable", reason: finding.reason, notices, ...unreadable };
  }
  if (finding.status === "empty") {
    if (seen) return lost("the relays have none, though there was one", seen);
    if (waiting) return { ...ourOwn(waiting, standing), notices: [] };
    return { status: "empty", notices: [], ...(standing.text === "" ? {} : { adopt: "" }) };
  }
  const { head } = finding;
  const notices = head.event.created_at > now + farthestAhead ? [poisoned(head)] : [];
  const found = rankOf({ id: head.event.id, createdAt: head.event.created_at });
  if (seen && seen.id !== null && isNewer(rankOf({ ...seen, id: seen.id }), found))
    return lost(`the newest the relays have, ${head.event.id}, is older than one that was seen`, seen);
  const text = head.text ?? "";
  const current = {
    ...(text.trim() === "" ? emptied : presentOf(head, text)),
    notices,
    ...(seen?.id === head.event.id ? {} : { note: head }),
    ...(standing.text === text ? {} : { adopt: text }),
  };
  if (!waiting) return current;
  if (waiting.id === head.event.id) return { ...current, settle: "published" };
  if (isNewer(found, rankOf(waiting))) return { ...current, settle: "superseded" };
  // Ours is newer than all that is known there, and only has to arrive.
  const { adopt: _, ...told } = current;
  const isUnknown = seen?.id !== head.event.id && waiting.text !== text;
  return { ...told, ...ourOwn(waiting, standing), ...(isUnknown ? { overtaken: head } : {}) };
}

function ourOwn({ id, text }: NonNullable<KnownMemory["waiting"]>, standing: KnownMemory["standing"]) {
  const status = text.trim() === "" ? emptied : { status: "present" as const, text, event: id, relay: undefined };
  return { ...status, ...(standing.text === text ? {} : { resume: text }) };
}

const emptied = { status: "empty" as const };

function presentOf({ event, relay }: MemoryHead, text: string) {
  return { status: "present" as const, text, event: event.id, relay };
}

function rankOf({ id, createdAt }: { readonly id: string; readonly createdAt: number }): EventRank {
  return { id, created_at: createdAt };
}

function lost(what: string, { id }: NonNullable<KnownMemory["seen"]>): Reconciliation {
  const reason = id === null ? what : `${what} (event ${id})`;
  const message = `The core memory was not used: ${reason}. A relay may have lost it: see \`charter core relays\`; \`charter core publish\` gives it back.`;
  return { status: "unavailable", reason, notices: [{ code: "core-memory-lost", section: "core", message }] };
}

function unconfirmed(reason: string): Notice {
  const message = `Whether there is a core memory is not known: no relay that answered has one, but ${reason}. If nothing was ever written with its key, say so: \`charter core new\`.`;
  return { code: "core-memory-unconfirmed", section: "core", message };
}

function poisoned({ event, relay }: MemoryHead): Notice {
  const at = event.created_at <= 8.64e12 ? new Date(event.created_at * 1000).toISOString() : "beyond any calendar";
  const message = `The newest event of the core memory, ${event.id} on ${relay}, is dated ${at}, which is too far ahead: it cannot be changed until then.`;
  return { code: "clock-poisoned", section: "core", message };
}
