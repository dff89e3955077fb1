import type { PublicationOutcome, Publisher } from "../../amend/amendment.ts";
import type { Notice } from "../../prompt/reading.ts";
import { coreSlug, type EventRank, isNewer, type MemoryKey } from "./memory-key.ts";
import type { Finding, MemoryHead, MemoryLookup, RelayReport } from "./read-memory.ts";

/** State of a core memory, after the relays and the store's record were read. */
export type CoreLook = {
  readonly relays: readonly RelayReport[];
  readonly writeRelays: readonly string[];
  /** Newest event the relays have. */
  readonly head: MemoryHead | undefined;
  /** Events of relays that lack the newest one. */
  readonly behind: readonly MemoryHead[];
  /** Event of ours that still has to be sent. */
  readonly waiting: WaitingEvent | undefined;
  /** Event of ours that waited until now, and its outcome. */
  readonly settled: { readonly id: string; readonly state: "published" | "superseded" } | undefined;
  readonly found: Reconciliation;
  /** Current text in the store, after everything was recorded. */
  readonly standing: KnownMemory["standing"] & { readonly isOfKey: boolean };
  /** Reason why the record could not adopt the relays' text. */
  readonly refused: string | undefined;
  /** Newest event that was ever seen, as it was signed, if the relays have lost it. */
  readonly lost: { readonly id: string; readonly body: string } | undefined;
};

type LookOptions = {
  readonly key: Pick<MemoryKey, "address">;
  readonly read: (slug: string) => Promise<MemoryLookup>;
  readonly record: CoreRecord;
  readonly clock: () => Date;
};

/** Maximum number of tries to write the record while others write to it too; each of them is done after a moment. */
const maxRounds = 10;

/**
 * Asks the relays once, and updates the record with what they have. The record is read after they answered, and everything is
 * recorded before it is returned, so that the next reader knows at least as much.
 */
export async function lookAtCore({ key, read, record, clock }: LookOptions): Promise<CoreLook> {
  const address = key.address(coreSlug);
  let [before, finding] = await Promise.all([record.known(address), read(coreSlug)]);
  for (let round = 1; ; round++) {
    const { relays, writeRelays } = finding;
    const { head, behind } = finding.status === "present" ? finding : { head: undefined, behind: [] };
    const known = await record.known(address);
    const judged = (await isNew(finding, known, () => record.isBorn(address))) ? emptyOf(finding) : finding;
    const isElsewhere = hasWordsElsewhere(judged, known) && !(await record.isBegun(address));
    const reconciliation = reconcile(judged, { ...known, isElsewhere }, Math.floor(clock().getTime() / 1000));
    if (isLost(reconciliation) && known.seen?.id !== before.seen?.id && round < maxRounds) {
      // A process elsewhere has published the event meanwhile, so the relays are asked again.
      [before, finding] = [known, await read(coreSlug)];
      continue;
    }
    // The existence of a memory is recorded first, so that it is known even if this process dies while adopting it.
    if (reconciliation.note && known.seen === undefined) await record.noteSeen(address, "unreadable");
    const followed = await follow(record, known, reconciliation, head);
    if (followed === "stale" && round < maxRounds) continue;
    const { standing, refused } = followed === "stale" ? { standing: known.standing, refused: changing } : followed;
    // A text that was not adopted is neither recorded as seen nor settled: otherwise the current text would seem to be another's.
    if (reconciliation.note && refused === undefined) await record.noteSeen(address, reconciliation.note);
    const isSettled = reconciliation.settle && refused === undefined;
    const settled =
      isSettled && known.waiting && head ? { id: known.waiting.id, state: reconciliation.settle } : undefined;
    if (settled && head) await record.settle(settled.id, { state: settled.state, by: head, ...whoHas(relays, head) });
    const waiting = settled ? undefined : known.waiting;
    const lost = isLost(reconciliation) ? signed(known.seen) : undefined;
    const older = isLost(reconciliation) && head ? [head, ...behind] : behind;
    return {
      relays,
      writeRelays,
      head,
      behind: older,
      waiting,
      settled,
      found: reconciliation,
      standing,
      refused,
      lost,
    };
  }
}

/**
 * Decides whether a key is new although not every relay has answered: only the record can say so, by a birth, or by a first text
 * of ours, which was written when it was known that there was none.
 */
async function isNew(finding: Finding, known: RecordedMemory, isBorn: () => Promise<boolean>): Promise<boolean> {
  if (finding.status !== "unavailable" || !finding.blank || known.seen !== undefined) return false;
  return known.waiting !== undefined || isBorn();
}

/** Decides whether relays have nothing for this key and owner, while the history has words that were written under others. */
function hasWordsElsewhere({ status }: Finding, { seen, waiting, standing }: KnownMemory): boolean {
  return status === "empty" && seen === undefined && waiting === undefined && standing.text.trim() !== "";
}

function emptyOf({ relays }: Finding): Finding {
  return { status: "empty", relays };
}

/**
 * Keeps texts that are about to be replaced on relays: those the history lacks are added to it, and the current one again after
 * them. `some`: the history has grown. `refused`: it could not, so nothing may be replaced.
 */
export async function keepReplaced(
  record: CoreRecord,
  look: Pick<CoreLook, "behind" | "standing">,
): Promise<"nothing" | "some" | "refused"> {
  let { standing } = look;
  for (const older of look.behind) {
    const text = older.text ?? "";
    if (text.trim() === "" || (await record.holds(text))) continue;
    const adoption = await keepOvertaken(record, standing, older, standing.text);
    if (adoption === "stale" || adoption.refused !== undefined) return "refused";
    standing = adoption.standing;
  }
  return standing === look.standing ? "nothing" : "some";
}

function signed(seen: RecordedMemory["seen"]): CoreLook["lost"] {
  return seen?.id && seen.body ? { id: seen.id, body: seen.body } : undefined;
}

const changing = "the record kept changing while it was read";

type Followed = { readonly standing: RecordedMemory["standing"]; readonly refused: string | undefined } | "stale";

/** Adds to the history what was written elsewhere. */
async function follow(
  record: CoreRecord,
  { standing, waiting }: RecordedMemory,
  { adopt, resume, overtaken }: Reconciliation,
  head: MemoryHead | undefined,
): Promise<Followed> {
  if (overtaken && waiting) return keepOvertaken(record, standing, overtaken, waiting.text);
  if (resume !== undefined)
    return take(record, standing, resume, `Event ${waiting?.id} still waits to be published: this is what it says.`);
  if (adopt === undefined) return { standing, refused: undefined };
  const reason = head
    ? `Written elsewhere: ${nameOf(head)}.`
    : "Other keys are set up: the relays have no memory of theirs.";
  return take(record, standing, adopt, reason);
}

async function take(
  record: CoreRecord,
  standing: RecordedMemory["standing"],
  text: string,
  reason: string,
): Promise<Followed> {
  const adoption = await record.adopt(text, { base: standing.revision, reason });
  if (adoption === "stale") return adoption;
  if ("refused" in adoption) return { standing, refused: adoption.refused };
  return { standing: { text, revision: adoption.revision, isOfKey: true }, refused: undefined };
}

/** Adds another's text that ours replaces to the history, and ours again after it. */
async function keepOvertaken(
  record: CoreRecord,
  standing: RecordedMemory["standing"],
  overtaken: MemoryHead,
  ours: string,
): Promise<Followed> {
  const adoptReason = `Written elsewhere, and replaced by a later change: ${nameOf(overtaken)}.`;
  const adoption = await take(record, standing, overtaken.text ?? "", adoptReason);
  if (adoption === "stale" || adoption.refused !== undefined) return adoption;
  const reason = `The later of two changes: what was written elsewhere is revision ${adoption.standing.revision}.`;
  return take(record, adoption.standing, ours, reason);
}

/** Checks whether an event that was seen is lost now. */
function isLost({ notices }: Reconciliation): boolean {
  return notices.some(({ code }) => code === "core-memory-lost");
}

function nameOf({ event, relay }: MemoryHead): string {
  return `event ${event.id} on ${relay}`;
}

/** Relays that show an event, and why the others do not. */
function whoHas(relays: readonly RelayReport[], { event }: MemoryHead): Pick<SettledEvent, "taken" | "missed"> {
  const has = ({ head }: RelayReport) => head?.id === event.id;
  return {
    taken: relays.filter(has).map(({ relay }) => relay),
    missed: relays
      .filter((report) => !has(report))
      .map(({ relay, trouble, head }) => ({
        place: relay,
        reason: trouble?.reason ?? (head ? "it has an older one" : "it has none"),
      })),
  };
}

/** An event of ours that waits, as it was signed. */
export type WaitingEvent = {
  readonly id: string;
  readonly createdAt: number;
  readonly text: string;
  readonly body: string;
  /** Number of failed tries. */
  readonly tries: number;
  /** Time of the next try; null means now. */
  readonly nextTryAt: string | null;
};

/** Outcome of an event of ours: it is current, or another's is. */
type SettledEvent = Pick<PublicationOutcome, "taken" | "missed"> & {
  readonly state: "published" | "superseded";
  /** Event that is current. */
  readonly by: MemoryHead;
};

/**
 * Record of a core memory. `isOfKey`: the current text was seen at this address or waits to go there, so it is no other key's.
 */
type RecordedMemory = KnownMemory & {
  /** Newest event that was seen, with its signed body. */
  readonly seen: (NonNullable<KnownMemory["seen"]> & { readonly body?: string | null }) | undefined;
  readonly waiting: WaitingEvent | undefined;
  readonly standing: KnownMemory["standing"] & { readonly isOfKey: boolean };
};

/** Store's part of a core memory, by the address of its events. */
export type CoreRecord = {
  readonly known: (address: string) => Promise<RecordedMemory>;
  /** Makes a text from elsewhere the current one. `stale`: the record has changed since `base`. */
  readonly adopt: (
    text: string,
    about: { readonly base: number; readonly reason: string },
  ) => Promise<{ readonly revision: number } | { readonly refused: string } | "stale">;
  /** Tells whether a text was ever the current one. */
  readonly holds: (text: string) => Promise<boolean>;
  /** Tells whether the key of this address is known to be new: it was made here, or the operator said so. */
  readonly isBorn: (address: string) => Promise<boolean>;
  /** Tells whether the operator said that the memory of this address begins anew, whatever the history has. */
  readonly isBegun: (address: string) => Promise<boolean>;
  readonly noteBirth: (address: string) => Promise<void>;
  /** Publishes a revision at the publisher's address as well. */
  readonly move: (revision: number, publisher: Publisher) => Promise<void>;
  readonly noteSeen: (address: string, head: MemoryHead | "unreadable") => Promise<void>;
  readonly settle: (id: string, how: SettledEvent) => Promise<void>;
  /** Records the relays' replies for an event that is settled, whoever settled it. */
  readonly noteSent: (id: string, told: Pick<PublicationOutcome, "taken" | "missed">) => Promise<void>;
  /** Outcome of an event of ours, whoever settled it. `ours` is its text if another's event is current instead. */
  readonly outcome: (
    id: string,
  ) => Promise<(Omit<PublicationOutcome, "conflict"> & { readonly ours?: string }) | undefined>;
  /** Records that no relay has it yet, and when it is tried again. */
  readonly retryAt: (id: string, missed: PublicationOutcome["missed"], at: Date) => Promise<void>;
};

/** Record of a core memory: what was seen of it, what of ours waits to be published, and the current text. */
export type KnownMemory = {
  /** Newest event that was ever seen. Without an id, it is one of the agent's own that could not be read. */
  readonly seen: { readonly id: string | null; readonly createdAt: number } | undefined;
  /** Event of ours that no relay has confirmed yet, and its text. */
  readonly waiting: { readonly id: string; readonly createdAt: number; readonly text: string } | undefined;
  readonly standing: { readonly text: string; readonly revision: number };
  /** The current text was written under another key or owner, and nobody said that this one begins anew. */
  readonly isElsewhere?: boolean;
};

/** Conclusion from the relays' answers and the record together. */
export type Reconciliation = {
  readonly notices: readonly Notice[];
  /** Event the record lacks, to be recorded before anything is returned. */
  readonly note?: MemoryHead | "unreadable";
  /** Text the record lacks, because it was changed elsewhere. */
  readonly adopt?: string;
  /** Text of ours that waits although the record has another one: other keys were set up meanwhile, or a process died. */
  readonly resume?: string;
  /** Event of another's that ours, which waits, will replace; its text is kept in the history. */
  readonly overtaken?: MemoryHead;
  /** Outcome of the event that waited: it is on a relay, or another's newer one is. */
  readonly settle?: "published" | "superseded";
} & (
  | { readonly status: "present"; readonly text: string; readonly event: string; readonly relay: string | undefined }
  | { readonly status: "empty" }
  | { readonly status: "unavailable"; readonly reason: string }
);

/** Maximum seconds an event may be ahead of the clock: one further ahead would win over every later change. */
export const maxAheadSeconds = 600;

/**
 * Decides the state of a core memory. An agent that ever had one never seems to be without: after something was seen, an empty or
 * older answer counts as an outage.
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
    if (known.isElsewhere) return elsewhere(standing.revision);
    return { status: "empty", notices: [], ...(standing.text === "" ? {} : { adopt: "" }) };
  }
  const { head } = finding;
  const notices = head.event.created_at > now + maxAheadSeconds ? [poisoned(head)] : [];
  const rank = rankOf({ id: head.event.id, createdAt: head.event.created_at });
  if (seen && seen.id !== null && isNewer(rankOf({ ...seen, id: seen.id }), rank))
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
  if (isNewer(rank, rankOf(waiting))) return { ...current, settle: "superseded" };
  // Our event is newer than all the relays have, and only has to arrive.
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

/** Code of the notice that the words are another key's. */
export const wordsElsewhere = "core-memory-elsewhere";

function elsewhere(revision: number): Reconciliation {
  const reason = `the relays have none for this key and owner, and revision ${revision} was written under others`;
  const message = `The core memory was not used: ${reason}. If key and owner are right, bring the words along with \`charter core move\`, or begin anew with \`charter core new\`; if not, set them right with \`charter agents set\`.`;
  return { status: "unavailable", reason, notices: [{ code: wordsElsewhere, section: "core", message }] };
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
