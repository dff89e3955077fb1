import type { PublicationOutcome } from "../../amend/amendment.ts";
import { backoffMs } from "../../prompt/bounds.ts";
import type { CoreRecord, WaitingEvent } from "./core-record.ts";
import { type CoreLook, keepReplaced } from "./look-at-core.ts";
import type { NostrEvent } from "./nostr-event.ts";
import type { RelayReceipt } from "./relay-client.ts";
import { shownRelay } from "./wire/relay-address.ts";

type PublishOptions<Look extends CoreLook> = {
  readonly look: () => Promise<Look>;
  /** What was found just now; the relays are asked first, unless given. */
  readonly before?: Look | undefined;
  /** The event whose outcome is wanted; whatever waits, unless given. */
  readonly id?: string | undefined;
  readonly send: (event: NostrEvent, relays: readonly string[]) => Promise<readonly RelayReceipt[]>;
  readonly record: CoreRecord;
  readonly clock: () => Date;
  readonly random: () => number;
};

/** What became of the event, and what the last look at the relays found. */
type PublishResult<Look extends CoreLook> = {
  readonly outcome: PublicationOutcome | undefined;
  readonly last: Look;
};

/**
 * Sends the event that waits, and looks whether it stands. Until a relay shows it, it waits, whatever was said: sent
 * again, it is the same event. Where nothing waits: the newest, to relays that have lost it or never had it. Nothing
 * where none of these is.
 */
export async function publishCore<Look extends CoreLook>(options: PublishOptions<Look>): Promise<PublishResult<Look>> {
  const { look, send, record } = options;
  const before = options.before ?? (await look());
  const waiting = before.waiting ?? (before.lost && { ...before.lost, tries: 0 });
  const unsent = restOf(before).length > 0 ? before.head?.event.id : undefined;
  const { id = waiting?.id ?? before.settled?.id ?? unsent } = options;
  if (id === undefined) return { outcome: undefined, last: before };
  const kept = waiting?.id === id || id === unsent ? await keepReplaced(record, before) : "nothing";
  const last = kept === "some" ? await look() : before;
  if (waiting?.id !== id) {
    // Another may have sent it first, or relays have missed it: those that do not show it are asked, and say why.
    const told = kept === "refused" ? nobodyTold : await sendRest(options, id, before);
    return { outcome: await outcomeOf(record, id, before, told), last };
  }
  const receipts = await send(JSON.parse(waiting.body) as NostrEvent, before.writeRelays);
  const { taken, missed } = toldOf(receipts);
  if (taken.length === 0 && !missed.some(hasOne))
    return { outcome: await postponed(options, waiting, taken, missed), last };
  const after = await look();
  if (after.waiting?.id !== id && after.lost?.id !== id) {
    await record.noteSent(id, { taken, missed });
    const settled = await outcomeOf(record, id, after);
    return { outcome: settled && { ...settled, taken, missed }, last: after };
  }
  const unseen = taken.map((place) => ({ place, reason: "it took the event, but does not show it" }));
  return { outcome: await postponed(options, waiting, taken, [...missed, ...unseen]), last: after };
}

/** The relays that are to have the newest event, and do not show it. What is not used here is given to nobody. */
function restOf({ head, relays, writeRelays, found, refused }: CoreLook): string[] {
  if (head === undefined || found.status === "unavailable" || refused !== undefined) return [];
  const shows = new Set(relays.filter((one) => one.head?.id === head.event.id).map(({ relay }) => relay));
  return writeRelays.filter((relay) => !shows.has(shownRelay(relay)));
}

/** The newest event, where relays that can be asked have been left behind. */
export function leftBehind(look: CoreLook): string | undefined {
  const rest = new Set(restOf(look).map(shownRelay));
  return look.relays.some(({ relay, trouble }) => rest.has(relay) && !trouble) ? look.head?.event.id : undefined;
}

/** Gives an event that stands to the relays that do not show it. */
async function sendRest(
  { send, record }: Pick<PublishOptions<CoreLook>, "send" | "record">,
  id: string,
  look: CoreLook,
): Promise<PlacesTold> {
  const { head, relays } = look;
  if (head?.event.id !== id) return nobodyTold;
  const shows = relays.filter((one) => one.head?.id === id).map(({ relay }) => relay);
  const rest = restOf(look);
  const { taken, missed } = toldOf(rest.length === 0 ? [] : await send(head.event, rest));
  const told = { taken: [...shows, ...taken], missed };
  await record.noteSent(id, told);
  return told;
}

type PlacesTold = Pick<PublicationOutcome, "taken" | "missed">;

const nobodyTold: PlacesTold = { taken: [], missed: [] };

function toldOf(receipts: readonly RelayReceipt[]): PlacesTold {
  return {
    taken: receipts.filter(({ ok }) => ok).map(({ relay }) => relay),
    missed: receipts.flatMap((one) => (one.ok ? [] : [{ place: one.relay, reason: one.reason }])),
  };
}

/** Relays refuse an event for one they have, in words of their own: a newer one, or this very one. */
function hasOne({ reason }: { readonly reason: string }): boolean {
  return /newer|replaced|duplicate/i.test(reason);
}

/** How an event was settled, by this look or by whoever looked at the same time; and what stands instead of it. */
async function outcomeOf(
  record: CoreRecord,
  id: string,
  { head }: CoreLook,
  told: PlacesTold = nobodyTold,
): Promise<PublicationOutcome | undefined> {
  const recorded = await record.outcome(id);
  if (!recorded) return head?.event.id === id ? { id, state: "published", ...told } : undefined;
  const { ours, ...outcome } = recorded;
  if (ours === undefined || !head) return outcome;
  return { ...outcome, conflict: { ours, theirs: head.text ?? "", id: head.event.id } };
}

/** When an event is offered again that was offered in vain so often before: later each time, within ten minutes. */
export function nextTryAt(tries: number, now: Date, random: () => number): Date {
  return new Date(now.getTime() + backoffMs(tries, random, { min: 5000, max: 600_000 }));
}

async function postponed(
  { record, clock, random }: Pick<PublishOptions<CoreLook>, "record" | "clock" | "random">,
  { id, tries }: Pick<WaitingEvent, "id" | "tries">,
  taken: PublicationOutcome["taken"],
  missed: PublicationOutcome["missed"],
): Promise<PublicationOutcome> {
  await record.retryAt(id, missed, nextTryAt(tries, clock(), random));
  return { id, state: "waiting", taken, missed };
}
