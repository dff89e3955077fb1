import type { PublicationOutcome, Publisher } from "../../amend/amendment.ts";
import { backoffMs } from "../../prompt/bounds.ts";
import { Problem, rethrowUnlessProblem } from "../../prompt/problem.ts";
import { empty, type Notice, type Part, type Reading, type Source } from "../../prompt/reading.ts";
import {
  type CoreLook,
  type CoreRecord,
  keepReplaced,
  lookAtCore,
  maxAheadSeconds,
  type WaitingEvent,
  wordsElsewhere,
} from "./look-at-core.ts";
import { coreSlug, type MemoryKey, type NostrEvent } from "./memory-key.ts";
import type { MemoryListing, MemoryLookup } from "./read-memory.ts";
import { type RelayReceipt, shownRelay } from "./relay.ts";

/** Connection to the relays of one agent, with its key. */
type MemoryWire = {
  readonly key: MemoryKey;
  readonly read: (slug: string) => Promise<MemoryLookup>;
  readonly list: () => Promise<MemoryListing>;
  readonly send: (event: NostrEvent, relays: readonly string[]) => Promise<readonly RelayReceipt[]>;
};

/** Options of `createCoreMemory`. */
type CoreMemoryOptions = {
  /** Loads the key on first use; again, if that failed. */
  readonly open: () => Promise<MemoryWire>;
  readonly record: CoreRecord;
  readonly clock: () => Date;
  readonly random?: () => number;
};

/** Public keys of a core memory's writer and owner. */
export type MemoryAuthor = {
  /** Public key of the agent, as hex and as an npub. */
  readonly agent: string;
  readonly npub: string;
  readonly owner: string;
};

/** An agent's core memory on relays: read each turn, changed by amendments, published from the store. */
export type CoreMemory = {
  /** Source that asks the relays for the section's text. */
  readonly source: Source;
  /** Returns what signs and sends accepted texts. Throws a Problem if there is no key. */
  readonly publisher: () => Promise<Publisher>;
  /** Sends the event that waits, or the newest one to relays that lack it; undefined if there is neither. */
  readonly publish: () => Promise<PublicationOutcome | undefined>;
  /** Asks the relays, and returns everything that was found. */
  readonly look: () => Promise<CoreLook & { readonly reading: Reading; readonly author: MemoryAuthor }>;
  /**
   * Records that the key is new, as the operator says: then one relay that has nothing is enough, even if others do not answer.
   */
  readonly noteBirth: () => Promise<void>;
  /** Publishes the current text for this key and owner, too, if it was written under others and the relays have none here. */
  readonly move: () => Promise<PublicationOutcome | undefined>;
  /** Reads any memory of the agent's from the relays, by its slug. */
  readonly read: (slug: string) => Promise<MemoryLookup>;
  /** Lists all of them. */
  readonly list: () => Promise<MemoryListing>;
};

/** Makes an agent's core memory. Nothing is loaded or asked before it is needed. */
export function createCoreMemory(options: CoreMemoryOptions): CoreMemory {
  const { record, clock, random = Math.random } = options;
  const part = createCorePart();
  let opened: Promise<MemoryWire> | undefined;
  const open = () => {
    opened ??= options.open();
    // A missing key may be there next time, so the failure is not cached.
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };
  // Concurrent views and turns share their questions to the relays.
  const look = share(async () => {
    const { key, read } = await open();
    const result = await lookAtCore({ key, read, record, clock });
    const { agent, npub, owner } = key;
    return { ...result, author: { agent, npub, owner }, reading: coreReading(result, key, part) };
  });
  const publish = async (about: { readonly before?: Awaited<ReturnType<typeof look>>; readonly id?: string }) => {
    const { send } = await open();
    return publishCore({ look, send, record, clock, random, ...about });
  };
  const isOfferDue = createOffers(clock, random);
  const publisher = async (): Promise<Publisher> => {
    const { key } = await open();
    return {
      address: key.address(coreSlug),
      make: ({ after, at }, newest = 0) => {
        const now = Math.floor(Date.parse(at) / 1000);
        if (newest > now + maxAheadSeconds) throw clockPoisoned(newest);
        const event = key.makeEvent({ slug: coreSlug, text: after, createdAt: Math.max(now, newest + 1) });
        return { id: event.id, createdAt: event.created_at, body: JSON.stringify(event) };
      },
      send: async (id) => (await publish({ id })).outcome,
    };
  };
  return {
    look,
    move: async () => {
      const { found, standing } = await look();
      if (!found.notices.some(({ code }) => code === wordsElsewhere)) return undefined;
      await record.move(standing.revision, await publisher());
      return (await publish({})).outcome;
    },
    noteBirth: async () => record.noteBirth((await open()).key.address(coreSlug)),
    publish: async () => (await publish({})).outcome,
    read: async (slug) => (await open()).read(slug),
    list: async () => (await open()).list(),
    source: async (turn) => {
      // The store has the text after a change within the turn: the relays were asked when the turn began.
      const standing = turn.again ? turn.standing[coreSlug] : undefined;
      if (standing && !("unavailable" in standing)) return standingPart(standing, part);
      try {
        const before = await look();
        const isReady = before.reading.status !== "unavailable";
        const sends = before.waiting ? isDue(before.waiting, clock()) : isOfferDue(leftBehind(before));
        return (isReady && sends ? (await publish({ before })).last : before).reading;
      } catch (error) {
        rethrowUnlessProblem(error);
        const { code, message, hint } = error;
        const notice = { code, section: coreSlug, message: `${message} ${hint}` };
        return { status: "unavailable", reason: message, notices: [notice] };
      }
    },
    publisher,
  };
}

/** Limits how often a refused event is sent again, so that it is not with every turn. */
function isDue({ nextTryAt }: WaitingEvent, now: Date): boolean {
  return nextTryAt === null || Date.parse(nextTryAt) <= now.getTime();
}

/** Decides whether relays that lack an event are sent it: at once, and later each time they do not take it. */
function createOffers(clock: () => Date, random: () => number): (id: string | undefined) => boolean {
  let last: { readonly id: string; readonly tries: number; readonly next: Date } | undefined;
  return (id) => {
    if (id === undefined) return false;
    const before = last?.id === id ? last : undefined;
    if (before && before.next > clock()) return false;
    const tries = before ? before.tries + 1 : 0;
    last = { id, tries, next: nextTryAt(tries, clock(), random) };
    return true;
  };
}

function clockPoisoned(newest: number): Problem {
  const at = new Date(Math.min(newest * 1000, 8.64e15)).toISOString();
  return new Problem(
    "clock-poisoned",
    `The newest event of the core memory is dated ${at}, which is too far ahead. Nothing was changed or published.`,
    "Check this machine's clock. If it is right, the event was made with a wrong one: wait until then, or set up another key.",
  );
}

/** Maximum wait for work that others have begun, in milliseconds. */
const maxWaitMs = 200;

/**
 * Shares work among concurrent callers. Each gets the result of work that began after their call; calls during a run share the
 * next one, which begins when this one is done, or after a moment.
 */
export function share<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  let next: Promise<Result> | undefined;
  const begin = () => {
    next = undefined;
    const begun = work();
    running = begun;
    const finish = () => {
      if (running === begun) running = undefined;
    };
    begun.then(finish, finish);
    return begun;
  };
  return () => {
    if (!running) return begin();
    next ??= settled(running).then(begin);
    return next;
  };
}

function settled(work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, maxWaitMs);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    work.then(done, done);
  });
}

/** Function that returns the same part for the same text, so that it is not rendered or counted anew. */
type CorePart = (text: string, source: string, revision: number) => Part;

function createCorePart(): CorePart {
  let last: Part | undefined;
  return (text, source, revision) => {
    if (last?.text !== text || last.source !== source || last.revision !== revision) last = { text, source, revision };
    return last;
  };
}

/** Reading of a core memory for the prompt, with its origin. */
function coreReading({ found, standing, refused }: CoreLook, key: MemoryKey, part: CorePart): Reading {
  const notices = [...found.notices, ...(refused === undefined ? [] : [notFollowed(refused)])];
  const noticeFields = notices.length > 0 ? { notices } : {};
  if (found.status === "unavailable") return { status: "unavailable", reason: found.reason, ...noticeFields };
  if (refused !== undefined) {
    // A text that was stored under another key is not this agent's.
    if (standing.text.trim() === "" || !standing.isOfKey)
      return { status: "unavailable", reason: refused, ...noticeFields };
    return { status: "present", parts: [part(standing.text, "standing", standing.revision)], ...noticeFields };
  }
  if (found.status === "empty") return notices.length > 0 ? { status: "empty", notices } : empty;
  const where = found.relay === undefined ? "not published yet" : `from ${found.relay}`;
  const source = `Nostr event ${found.event}, ${where}, by ${key.npub}`;
  return { status: "present", parts: [part(found.text, source, standing.revision)], ...noticeFields };
}

/** Reading from the store alone. */
function standingPart(standing: { readonly text: string; readonly revision: number }, part: CorePart): Reading {
  if (standing.text.trim() === "") return empty;
  return { status: "present", parts: [part(standing.text, "standing", standing.revision)] };
}

function notFollowed(because: string): Notice {
  const message = `The core memory on the relays is another one, and was not taken over: ${because}`;
  return { code: "core-memory-not-followed", section: coreSlug, message };
}

type PublishOptions<Look extends CoreLook> = {
  readonly look: () => Promise<Look>;
  /** Result of asking the relays just now; by default they are asked first. */
  readonly before?: Look | undefined;
  /** Event to send and report on; by default whichever waits. */
  readonly id?: string | undefined;
  readonly send: (event: NostrEvent, relays: readonly string[]) => Promise<readonly RelayReceipt[]>;
  readonly record: CoreRecord;
  readonly clock: () => Date;
  readonly random: () => number;
};

/** Outcome of publishing, and the latest state of the relays. */
type PublishResult<Look extends CoreLook> = {
  readonly outcome: PublicationOutcome | undefined;
  readonly last: Look;
};

/**
 * Sends the event that waits, and checks that relays show it. Until one does, it waits, whatever they replied; sent again, it is
 * the same event. If nothing waits, sends the newest event to relays that lack it. Without either, does nothing.
 */
async function publishCore<Look extends CoreLook>(options: PublishOptions<Look>): Promise<PublishResult<Look>> {
  const { look, send, record } = options;
  const before = options.before ?? (await look());
  const waiting = before.waiting ?? (before.lost && { ...before.lost, tries: 0 });
  const unsent = restOf(before).length > 0 ? before.head?.event.id : undefined;
  const { id = waiting?.id ?? before.settled?.id ?? unsent } = options;
  if (id === undefined) return { outcome: undefined, last: before };
  const keepResult = waiting?.id === id || id === unsent ? await keepReplaced(record, before) : "nothing";
  const last = keepResult === "some" ? await look() : before;
  if (waiting?.id !== id) {
    // A process elsewhere may have sent it first, or relays have missed it: those that do not show it are asked, and give their
    // reasons.
    const replies = keepResult === "refused" ? nobodyTold : await sendRest(options, id, before);
    return { outcome: await outcomeOf(record, id, before, replies), last };
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

/** Relays that should have the newest event and do not show it. An event that is not used here is not passed on. */
function restOf({ head, relays, writeRelays, found, refused }: CoreLook): string[] {
  if (head === undefined || found.status === "unavailable" || refused !== undefined) return [];
  const shows = new Set(relays.filter((one) => one.head?.id === head.event.id).map(({ relay }) => relay));
  return writeRelays.filter((relay) => !shows.has(shownRelay(relay)));
}

/** Id of the newest event, if reachable relays lack it. */
function leftBehind(look: CoreLook): string | undefined {
  const rest = new Set(restOf(look).map(shownRelay));
  return look.relays.some(({ relay, trouble }) => rest.has(relay) && !trouble) ? look.head?.event.id : undefined;
}

/** Sends the current event to relays that do not show it. */
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
  const replies = { taken: [...shows, ...taken], missed };
  await record.noteSent(id, replies);
  return replies;
}

type PlacesTold = Pick<PublicationOutcome, "taken" | "missed">;

const nobodyTold: PlacesTold = { taken: [], missed: [] };

function toldOf(receipts: readonly RelayReceipt[]): PlacesTold {
  return {
    taken: receipts.filter(({ ok }) => ok).map(({ relay }) => relay),
    missed: receipts.flatMap((one) => (one.ok ? [] : [{ place: one.relay, reason: one.reason }])),
  };
}

/** Recognises refusals because the relay has this event or a newer one; the wording differs between relays. */
function hasOne({ reason }: { readonly reason: string }): boolean {
  return /newer|replaced|duplicate/i.test(reason);
}

/** Outcome of an event, whichever process settled it, with the event that is current instead. */
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

/** Time of the next try: later after each failure, within ten minutes. */
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
