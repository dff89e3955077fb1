import type { CoreRecord, RecordedMemory, SettledEvent, WaitingEvent } from "./core-record.ts";
import type { Finding, MemoryHead, RelayReport } from "./finding.ts";
import type { MemoryKey } from "./memory-key.ts";
import type { MemoryLookup } from "./read-memory.ts";
import { type KnownMemory, type Reconciliation, reconcile } from "./reconcile.ts";
import { coreSlug } from "./slug.ts";

/** What a look at the relays and at the record came to. */
export type CoreLook = {
  readonly relays: readonly RelayReport[];
  readonly writeRelays: readonly string[];
  /** The newest the relays have. */
  readonly head: MemoryHead | undefined;
  /** What relays have in place of the newest that is known. */
  readonly behind: readonly MemoryHead[];
  /** An event of ours that still has to be sent. */
  readonly waiting: WaitingEvent | undefined;
  /** One of ours that waited until now, and what became of it. */
  readonly settled: { readonly id: string; readonly state: "published" | "superseded" } | undefined;
  readonly found: Reconciliation;
  /** The current text on record, when everything was noted. */
  readonly standing: KnownMemory["standing"] & { readonly isOfKey: boolean };
  /** Why the record could not follow. */
  readonly refused: string | undefined;
  /** The newest event that was seen, as it was signed, where the relays do not have it now. */
  readonly lost: { readonly id: string; readonly body: string } | undefined;
};

type LookOptions = {
  readonly key: Pick<MemoryKey, "address">;
  readonly read: (slug: string) => Promise<MemoryLookup>;
  readonly record: CoreRecord;
  readonly clock: () => Date;
};

/** Others write to the record at the same time; each of them is done after a moment. */
const maxRounds = 10;

/**
 * Asks the relays, once, and brings the record up to date with what they have. What is on record is read after they
 * answered, and everything is noted before anything is said of it: whoever looks next knows at least as much.
 */
export async function lookAtCore({ key, read, record, clock }: LookOptions): Promise<CoreLook> {
  const address = key.address(coreSlug);
  let [before, finding] = await Promise.all([record.known(address), read(coreSlug)]);
  for (let round = 1; ; round++) {
    const { relays, writeRelays } = finding;
    const { head, behind } = finding.status === "present" ? finding : { head: undefined, behind: [] };
    const known = await record.known(address);
    const judged = (await isNew(finding, known, () => record.isBorn(address))) ? emptyOf(finding) : finding;
    const found = reconcile(judged, known, Math.floor(clock().getTime() / 1000));
    if (isLost(found) && known.seen?.id !== before.seen?.id && round < maxRounds) {
      // Another process has published it since they were asked.
      [before, finding] = [known, await read(coreSlug)];
      continue;
    }
    // That there is one is noted first: a process that dies while it follows has seen it all the same.
    if (found.note && known.seen === undefined) await record.noteSeen(address, "unreadable");
    const followed = await follow(record, known, found, head);
    if (followed === "stale" && round < maxRounds) continue;
    const { standing, refused } = followed === "stale" ? { standing: known.standing, refused: changing } : followed;
    // What is not followed is neither noted nor settled, or the text that stands would seem to be another's.
    if (found.note && refused === undefined) await record.noteSeen(address, found.note);
    const isSettled = found.settle && refused === undefined;
    const settled = isSettled && known.waiting && head ? { id: known.waiting.id, state: found.settle } : undefined;
    if (settled && head) await record.settle(settled.id, { state: settled.state, by: head, ...whoHas(relays, head) });
    const waiting = settled ? undefined : known.waiting;
    const lost = isLost(found) ? signed(known.seen) : undefined;
    const older = isLost(found) && head ? [head, ...behind] : behind;
    return { relays, writeRelays, head, behind: older, waiting, settled, found, standing, refused, lost };
  }
}

/**
 * Where not every relay has answered, a key is new only by what is on record: a birth, or a first text of ours, which was
 * written when it was known that there is none.
 */
async function isNew(finding: Finding, known: RecordedMemory, isBorn: () => Promise<boolean>): Promise<boolean> {
  if (finding.status !== "unavailable" || !finding.blank || known.seen !== undefined) return false;
  return known.waiting !== undefined || isBorn();
}

function emptyOf({ relays }: Finding): Finding {
  return { status: "empty", relays };
}

/**
 * Words that relays have and the history lacks stand in it before they are replaced there, and the current ones again
 * after them. `some`: the history has grown. `refused`: it could not, so nothing is to be replaced.
 */
export async function keepReplaced(
  record: CoreRecord,
  look: Pick<CoreLook, "behind" | "standing">,
): Promise<"nothing" | "some" | "refused"> {
  let { standing } = look;
  for (const older of look.behind) {
    const text = older.text ?? "";
    if (text.trim() === "" || (await record.holds(text))) continue;
    const kept = await keepOvertaken(record, standing, older, standing.text);
    if (kept === "stale" || kept.refused !== undefined) return "refused";
    standing = kept.standing;
  }
  return standing === look.standing ? "nothing" : "some";
}

function signed(seen: RecordedMemory["seen"]): CoreLook["lost"] {
  return seen?.id && seen.body ? { id: seen.id, body: seen.body } : undefined;
}

const changing = "the record kept changing while it was read";

type Followed = { readonly standing: RecordedMemory["standing"]; readonly refused: string | undefined } | "stale";

/** Puts what was written elsewhere into the history. */
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
  const taken = await record.adopt(text, { base: standing.revision, reason });
  if (taken === "stale") return taken;
  if ("refused" in taken) return { standing, refused: taken.refused };
  return { standing: { text, revision: taken.revision, isOfKey: true }, refused: undefined };
}

/** Another's words that ours replaces: they stand in the history, and ours again after them. */
async function keepOvertaken(
  record: CoreRecord,
  standing: RecordedMemory["standing"],
  overtaken: MemoryHead,
  ours: string,
): Promise<Followed> {
  const theirs = `Written elsewhere, and replaced by a later change: ${nameOf(overtaken)}.`;
  const kept = await take(record, standing, overtaken.text ?? "", theirs);
  if (kept === "stale" || kept.refused !== undefined) return kept;
  const reason = `The later of two changes: what was written elsewhere is revision ${kept.standing.revision}.`;
  return take(record, kept.standing, ours, reason);
}

/** What was seen is not to be had now. */
function isLost({ notices }: Reconciliation): boolean {
  return notices.some(({ code }) => code === "core-memory-lost");
}

function nameOf({ event, relay }: MemoryHead): string {
  return `event ${event.id} on ${relay}`;
}

/** Which relays show an event, and why the others do not. */
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
