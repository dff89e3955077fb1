import type { PublicationOutcome } from "../../amend/publication.ts";
import { backoffMs } from "../../prompt/backoff.ts";
import type { CoreRecord, WaitingEvent } from "./core-record.ts";
import type { CoreLook } from "./look-at-core.ts";
import type { NostrEvent } from "./nostr-event.ts";
import type { RelayReceipt } from "./relay-client.ts";

type PublishOptions = {
  readonly look: () => Promise<CoreLook>;
  readonly send: (event: NostrEvent, relays: readonly string[]) => Promise<readonly RelayReceipt[]>;
  readonly record: CoreRecord;
  readonly clock: () => Date;
  readonly random: () => number;
};

/**
 * Sends the event that waits, and looks whether it stands. Until a relay shows it, it waits, whatever was said: sent
 * again, it is the same event. Nothing where nothing waits.
 */
export async function publishCore(options: PublishOptions): Promise<PublicationOutcome | undefined> {
  const { look, send } = options;
  const before = await look();
  const { waiting } = before;
  if (!waiting) return before.settled && { id: before.settled.id, ...outcomeOf(before), taken: [], missed: [] };
  const receipts = await send(JSON.parse(waiting.body) as NostrEvent, before.writeRelays);
  const taken = receipts.filter(({ ok }) => ok).map(({ relay }) => relay);
  const missed = receipts.flatMap((one) => (one.ok ? [] : [{ place: one.relay, reason: one.reason }]));
  if (taken.length === 0) return postponed(options, waiting, taken, missed);
  const after = await look();
  if (after.waiting?.id !== waiting.id) return { id: waiting.id, ...outcomeOf(after), taken, missed };
  const unseen = taken.map((place) => ({ place, reason: "it took the event, but does not show it" }));
  return postponed(options, waiting, taken, [...missed, ...unseen]);
}

/** What a look has settled: it stands there, or another's does. */
function outcomeOf({ settled, conflict }: CoreLook): Pick<PublicationOutcome, "state" | "conflict"> {
  if (!conflict) return { state: settled?.state ?? "published" };
  const { ours, theirs } = conflict;
  return { state: "superseded", conflict: { ours, theirs: theirs.text ?? "", id: theirs.event.id } };
}

async function postponed(
  { record, clock, random }: PublishOptions,
  { id, tries }: WaitingEvent,
  taken: PublicationOutcome["taken"],
  missed: PublicationOutcome["missed"],
): Promise<PublicationOutcome> {
  const wait = backoffMs(tries, random, { min: 5000, max: 600_000 });
  await record.retryAt(id, missed, new Date(clock().getTime() + wait));
  return { id, state: "waiting", taken, missed };
}
