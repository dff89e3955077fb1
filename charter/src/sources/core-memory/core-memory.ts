import type { PublicationOutcome, Publisher } from "../../amend/amendment.ts";
import { backoffMs } from "../../prompt/bounds.ts";
import { Problem } from "../../prompt/problem.ts";
import { empty, type Notice, type Part, type Reading, type Source } from "../../prompt/reading.ts";
import {
  type CoreLook,
  type CoreRecord,
  farthestAhead,
  keepReplaced,
  lookAtCore,
  type WaitingEvent,
} from "./look-at-core.ts";
import { coreSlug, type MemoryKey, type NostrEvent } from "./memory-key.ts";
import type { MemoryListing, MemoryLookup } from "./read-memory.ts";
import { type RelayReceipt, shownRelay } from "./relay.ts";

/** The relays of one agent, as they are asked and told with its key. */
type MemoryWire = {
  readonly key: MemoryKey;
  readonly read: (slug: string) => Promise<MemoryLookup>;
  readonly list: () => Promise<MemoryListing>;
  readonly send: (event: NostrEvent, relays: readonly string[]) => Promise<readonly RelayReceipt[]>;
};

/** What `createCoreMemory` is given. */
type CoreMemoryOptions = {
  /** Loads the key, when it is first needed; again, where it failed. */
  readonly open: () => Promise<MemoryWire>;
  readonly record: CoreRecord;
  readonly clock: () => Date;
  readonly random?: () => number;
};

/** Who writes a core memory, and for whom: public keys. */
export type MemoryAuthor = {
  /** The agent's, as hex and as an npub. */
  readonly agent: string;
  readonly npub: string;
  readonly owner: string;
};

/** An agent's core memory on relays: read each turn, changed by amendments, published from the store. */
export type CoreMemory = {
  /** Asks the relays for the section's text. */
  readonly source: Source;
  /** Signs and sends what is accepted. A Problem where there is no key. */
  readonly publisher: () => Promise<Publisher>;
  /** Sends what waits, or the newest to relays that lack it; nothing where there is neither. */
  readonly publish: () => Promise<PublicationOutcome | undefined>;
  /** Asks the relays, and says all that was found. */
  readonly look: () => Promise<CoreLook & { readonly reading: Reading; readonly author: MemoryAuthor }>;
  /** Records the operator's word that the key is new: then it is enough that one relay has nothing, though others are away. */
  readonly noteBirth: () => Promise<void>;
  /** Any memory of the agent's, by its slug, as the relays have it. */
  readonly read: (slug: string) => Promise<MemoryLookup>;
  /** All of them. */
  readonly list: () => Promise<MemoryListing>;
};

/** Makes an agent's core memory. Nothing is loaded or asked before it is wanted. */
export function createCoreMemory(options: CoreMemoryOptions): CoreMemory {
  const { record, clock, random = Math.random } = options;
  const part = createCorePart();
  let opened: Promise<MemoryWire> | undefined;
  const open = () => {
    opened ??= options.open();
    // A key that was not there may be there the next time.
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };
  // Several views of one page, and turns of several users, need not ask the relays one by one.
  const look = share(async () => {
    const { key, read } = await open();
    const looked = await lookAtCore({ key, read, record, clock });
    const { agent, npub, owner } = key;
    return { ...looked, author: { agent, npub, owner }, reading: coreReading(looked, key, part) };
  });
  const publish = async (about: { readonly before?: Awaited<ReturnType<typeof look>>; readonly id?: string }) => {
    const { send } = await open();
    return publishCore({ look, send, record, clock, random, ...about });
  };
  const isOfferDue = createOffers(clock, random);
  return {
    look,
    noteBirth: async () => record.noteBirth((await open()).key.address(coreSlug)),
    publish: async () => (await publish({})).outcome,
    read: async (slug) => (await open()).read(slug),
    list: async () => (await open()).list(),
    source: async (turn) => {
      // What the turn itself has just changed stands in the store, and its relays were asked when it began.
      const standing = turn.again ? turn.standing[coreSlug] : undefined;
      if (standing && !("unavailable" in standing)) return standingPart(standing, part);
      try {
        const before = await look();
        const isReady = before.reading.status !== "unavailable";
        const sends = before.waiting ? isDue(before.waiting, clock()) : isOfferDue(leftBehind(before));
        return (isReady && sends ? (await publish({ before })).last : before).reading;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        const { code, message, hint } = error;
        const notice = { code, section: coreSlug, message: `${message} ${hint}` };
        return { status: "unavailable", reason: message, notices: [notice] };
      }
    },
    publisher: async () => {
      const { key } = await open();
      return {
        address: key.address(coreSlug),
        make: ({ after, at }, newest = 0) => {
          const now = Math.floor(Date.parse(at) / 1000);
          if (newest > now + farthestAhead) throw clockPoisoned(newest);
          const event = key.makeEvent({ slug: coreSlug, text: after, createdAt: Math.max(now, newest + 1) });
          return { id: event.id, createdAt: event.created_at, body: JSON.stringify(event) };
        },
        send: async (id) => (await publish({ id })).outcome,
      };
    },
  };
}

/** What relays refuse is not offered to them with every turn. */
function isDue({ nextTryAt }: WaitingEvent, now: Date): boolean {
  return nextTryAt === null || Date.parse(nextTryAt) <= now.getTime();
}

/** Whether relays that lack an event are to be offered it: at once, and where they do not take it, later each time. */
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

/** No one waits longer than this for work that others have begun. */
const patienceMs = 200;

/**
 * Work that many may ask for at once. Whoever asks gets a result of work that began after they asked; those who ask while
 * it is under way share the next one, which begins when this one is done, or after a moment.
 */
export function share<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  let next: Promise<Result> | undefined;
  const begin = () => {
    next = undefined;
    const begun = work();
    running = begun;
    const over = () => {
      if (running === begun) running = undefined;
    };
    begun.then(over, over);
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
    const timer = setTimeout(resolve, patienceMs);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    work.then(done, done);
  });
}

/** The part of the same words again is the same object, so that nobody renders or counts them anew. */
type CorePart = (text: string, source: string, revision: number) => Part;

function createCorePart(): CorePart {
  let last: Part | undefined;
  return (text, source, revision) => {
    if (last?.text !== text || last.source !== source || last.revision !== revision) last = { text, source, revision };
    return last;
  };
}

/** What the prompt shows of a core memory, and where it comes from. */
function coreReading({ found, standing, refused }: CoreLook, key: MemoryKey, part: CorePart): Reading {
  const notices = [...found.notices, ...(refused === undefined ? [] : [notFollowed(refused)])];
  const told = notices.length > 0 ? { notices } : {};
  if (found.status === "unavailable") return { status: "unavailable", reason: found.reason, ...told };
  if (refused !== undefined) {
    // Words that were kept under other keys are not this agent's.
    if (standing.text.trim() === "" || !standing.isOfKey) return { status: "unavailable", reason: refused, ...told };
    return { status: "present", parts: [part(standing.text, "standing", standing.revision)], ...told };
  }
  if (found.status === "empty") return notices.length > 0 ? { status: "empty", notices } : empty;
  const where = found.relay === undefined ? "not published yet" : `from ${found.relay}`;
  const source = `Nostr event ${found.event}, ${where}, by ${key.npub}`;
  return { status: "present", parts: [part(found.text, source, standing.revision)], ...told };
}

/** The same from the store alone. */
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
async function publishCore<Look extends CoreLook>(options: PublishOptions<Look>): Promise<PublishResult<Look>> {
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
function leftBehind(look: CoreLook): string | undefined {
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
