import type { PublicationOutcome, Publisher } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import { empty, type Notice, type Part, type Reading, type Source } from "../../prompt/reading.ts";
import type { CoreRecord, WaitingEvent } from "./core-record.ts";
import type { MemoryListing } from "./list-memory.ts";
import { type CoreLook, lookAtCore } from "./look-at-core.ts";
import type { MemoryKey } from "./memory-key.ts";
import type { NostrEvent } from "./nostr-event.ts";
import { leftBehind, nextTryAt, publishCore } from "./publish-core.ts";
import type { MemoryLookup } from "./read-memory.ts";
import { farthestAhead } from "./reconcile.ts";
import type { RelayReceipt } from "./relay-client.ts";
import { coreSlug } from "./slug.ts";

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
