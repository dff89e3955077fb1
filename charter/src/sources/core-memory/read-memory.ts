import {
  isNewer,
  type MemoryKey,
  memoryKind,
  type NostrEvent,
  type NostrFilter,
  newestOf,
  readBody,
  readEvent,
} from "./memory-key.ts";
import {
  canonicalRelay,
  distinctRelays,
  type RelayAnswer,
  type RelayClient,
  type RelayTrouble,
  readRelayAddress,
} from "./relay.ts";

const { isDeepStrictEqual } = process.getBuiltinModule("node:util");

/** Result of reading a memory, and the relays the agent publishes on. */
export type MemoryLookup = Finding & { readonly writeRelays: readonly string[] };

/** Reads one memory from all relays at once. Whatever they do, it ends within `timeoutMs`, and never throws. */
export async function readMemory(search: RelaySearch & { readonly slug: string }): Promise<MemoryLookup> {
  const { key, slug } = search;
  const filter = { kinds: [memoryKind], authors: [key.agent], "#d": [key.dTag(slug)], "#p": [key.owner] };
  const { answers, writeRelays, isAnswered, isCut } = await askRelays(search, (relay, list, signal) =>
    search.client.ask(relay, [filter, list], signal),
  );
  const finding = judgeAnswers(answers, key, slug);
  if (finding.status === "empty" && isCut) {
    const reason = "the agent's own list names more relays than are asked";
    return { status: "unavailable", reason, signed: false, blank: isAnswered, relays: finding.relays, writeRelays };
  }
  if (finding.status !== "unavailable") return { ...finding, writeRelays };
  return { ...finding, blank: finding.blank && isAnswered, writeRelays };
}

/** The newest valid event of a slug, with its text. `text` is null for a memory that was deleted (a tombstone). */
export type MemoryHead = {
  readonly slug: string;
  readonly text: string | null;
  readonly event: NostrEvent;
  /** First relay that had it. */
  readonly relay: string;
};

/** Report on one relay: what it has, or why that is not known. */
export type RelayReport = {
  readonly relay: string;
  readonly trouble?: { readonly kind: RelayTrouble; readonly reason: string };
  /** Newest valid event it has. */
  readonly head?: { readonly id: string; readonly createdAt: number };
  /** Number of events it gave that cannot be used, and the fault of the first. */
  readonly unusable: number;
  readonly fault?: string;
};

/**
 * State of a slug on the relays. Empty only if every relay has finished and none gave anything; whatever else leaves it unknown
 * is unavailable.
 */
export type Finding = {
  readonly relays: readonly RelayReport[];
} /** `behind`: the newest events of relays that do not have the head, each once. */ & (
  | { readonly status: "present"; readonly head: MemoryHead; readonly behind: readonly MemoryHead[] }
  | { readonly status: "empty" }
  /**
   * `signed`: an event of the agent's own was among those that cannot be used, so there is a memory. `blank`: nothing points to
   * one, and a relay has answered in full that it has none, which is enough for a key that is known to be new.
   */
  | { readonly status: "unavailable"; readonly reason: string; readonly signed: boolean; readonly blank: boolean }
);

/** All memories of an agent and its owner on the relays: the newest event of each; deleted ones have a null text. */
export type MemoryListing = {
  readonly heads: readonly MemoryHead[];
  readonly relays: readonly RelayReport[];
  /** Relays that may have more than they gave: the list may lack memories, or have old ones. */
  readonly truncated: readonly string[];
  readonly writeRelays: readonly string[];
};

type PagedAnswer = RelayAnswer & { readonly mayHoldMore: boolean };

/** Maximum number of events per page: even the largest fit into what a relay may send in one answer. */
const pageSize = 40;
const maxPages = 100;
/** Number of events every relay is expected to give; one with a lower limit would be of no use to anybody. */
const minRelayLimit = 20;

/** Lists all memories, page by page. It ends within `timeoutMs`, and never throws. */
export async function listMemory(search: RelaySearch): Promise<MemoryListing> {
  const { client, key } = search;
  const filter: NostrFilter = { kinds: [memoryKind], authors: [key.agent], "#p": [key.owner] };
  const { answers, writeRelays } = await askRelays<PagedAnswer>(search, (relay, list, signal) =>
    askPages((until, isFirst) => {
      const page = { ...filter, limit: pageSize, ...(until !== undefined && { until }) };
      return client.ask(relay, isFirst ? [page, list] : [page], signal);
    }),
  );
  const { heads, relays } = judgeListing(answers, key);
  const truncated = answers
    .filter(({ mayHoldMore, trouble }) => mayHoldMore || (trouble !== undefined && trouble.kind !== "unreachable"))
    .map(({ relay }) => relay);
  return { heads, relays, truncated, writeRelays };
}

/**
 * Asks for older and older events until a relay has none left. Relays do not tell their limits, so a short page is not the end. A
 * full page of a single second may hide others of that second, and is reported.
 */
async function askPages(
  ask: (until: number | undefined, isFirst: boolean) => Promise<RelayAnswer>,
): Promise<PagedAnswer> {
  const events: unknown[] = [];
  let until: number | undefined;
  let largest = minRelayLimit;
  let mayHoldMore = false;
  for (let page = 1; ; page++) {
    const answer = await ask(until, page === 1);
    events.push(...answer.events);
    const times = answer.events.flatMap(timeOf);
    const oldest = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
    const isEnd = answer.trouble !== undefined || times.length === 0 || oldest === 0;
    const isStuck = !isEnd && (page === maxPages || (until !== undefined && oldest > until));
    if (isEnd || isStuck) return { ...answer, events, mayHoldMore: mayHoldMore || isStuck };
    const isOneSecond = oldest === until;
    if (isOneSecond && times.length >= largest) mayHoldMore = true;
    largest = Math.max(largest, Math.min(times.length, pageSize));
    until = isOneSecond ? oldest - 1 : oldest;
  }
}

function timeOf(given: unknown): number[] {
  const event = readEvent(given);
  return event?.kind === memoryKind ? [event.created_at] : [];
}

/** Relays to ask, for whom, and how long at most. */
export type RelaySearch = {
  readonly client: RelayClient;
  readonly key: MemoryKey;
  /** Configured relays. Those on the agent's own list are asked too. */
  readonly relays: readonly string[];
  readonly timeoutMs?: number;
  /** Ends it sooner: relays that have not finished then are late. */
  readonly signal?: AbortSignal;
};

type Ask<Answer> = (relay: string, list: NostrFilter, signal: AbortSignal) => Promise<Answer>;

/** Answers of the relays, and the relays the agent publishes on. */
type AskedRelays<Answer> = {
  readonly answers: readonly Answer[];
  readonly writeRelays: readonly string[];
  /** Shows that one of the agent's own relays has finished. If none has, the others' having nothing proves nothing. */
  readonly isAnswered: boolean;
  /** Shows that the agent's list has more relays than are asked, any of which may have more. */
  readonly isCut: boolean;
};

/**
 * Asks the configured relays, and those on the newest list of relays that any of them has of the agent (NIP-65), as soon as it is
 * known. `ask` puts the filter for that list beside its own. Answers are in the order of the configuration, then of the list,
 * without the lists themselves.
 */
async function askRelays<Answer extends RelayAnswer>(
  { key, relays, timeoutMs = 3000, signal }: RelaySearch,
  ask: Ask<Answer>,
): Promise<AskedRelays<Answer>> {
  const configured = distinctRelays(relays);
  const known = new Set(configured.map(canonicalRelay));
  const answers: Answer[] = [];
  const finished = new Set<string>();
  let newest: NostrEvent | undefined;
  const deadline = new AbortController();
  const expire = () => deadline.abort();
  const timer = setTimeout(expire, timeoutMs);
  signal?.addEventListener("abort", expire);
  if (signal?.aborted) expire();

  const askAll = async (some: readonly string[]): Promise<void> => {
    const start = answers.length;
    answers.length += some.length;
    await Promise.all(some.map((relay, index) => askOne(relay, start + index)));
  };
  const askOne = async (relay: string, place: number): Promise<void> => {
    const answer = await ask(relay, { kinds: [relayListKind], authors: [key.agent] }, deadline.signal);
    const { events, list } = takeRelayList(answer.events, key);
    answers[place] = { ...answer, events };
    if (answer.trouble === undefined) finished.add(canonicalRelay(relay));
    if (list === undefined || (newest !== undefined && !isNewer(list, newest))) return;
    newest = list;
    const others = writeRelaysOf(list)
      .slice(0, maxRelays)
      .filter((one) => !known.has(canonicalRelay(one)));
    for (const other of others) known.add(canonicalRelay(other));
    await askAll(others);
  };

  await askAll(configured);
  clearTimeout(timer);
  signal?.removeEventListener("abort", expire);
  const listed = newest === undefined ? [] : writeRelaysOf(newest);
  const writeRelays = listed.length > 0 ? listed.slice(0, maxRelays) : configured;
  const isAnswered = writeRelays.some((relay) => finished.has(canonicalRelay(relay)));
  return { answers, writeRelays, isAnswered, isCut: listed.length > maxRelays };
}

/** Kind of event that holds an agent's list of relays (NIP-65). */
const relayListKind = 10002;

/** Maximum number of relays asked from a list, however many it names. */
const maxRelays = 10;

/** Relays the agent says it writes to: entries for writing, or for both, of relays that speak WebSocket. */
export function writeRelaysOf({ tags }: NostrEvent): string[] {
  const entries = tags.filter(
    ([name, relay = "", marker = ""]) =>
      name === "r" && (marker === "write" || marker === "") && readRelayAddress(relay)?.isHttp === false,
  );
  return distinctRelays(entries.map(([, relay]) => relay as string));
}

/** Maximum number of lists that are verified: a relay keeps one of an agent, and one that gives many only wastes time. */
const maxLists = 20;

/** Separates a relay's answer from the agent's own lists of relays, and picks the newest of these. */
export function takeRelayList(
  given: readonly unknown[],
  key: MemoryKey,
): { readonly events: readonly unknown[]; readonly list: NostrEvent | undefined } {
  const lists: { event: NostrEvent }[] = [];
  let verified = 0;
  const events = given.filter((one) => {
    const event = readEvent(one);
    if (event?.kind !== relayListKind || event.pubkey !== key.agent || verified === maxLists) return true;
    verified += 1;
    if (!key.verify(event)) return true;
    lists.push({ event });
    return false;
  });
  return { events, list: newestOf(lists)?.event };
}

/** Judges the relays' answers about a slug: the newest usable event of all, or that there is none, or that it is unknown. */
export function judgeAnswers(answers: readonly RelayAnswer[], key: MemoryKey, slug: string): Finding {
  const { newest, relays, signed } = checkAnswers(answers, key, slug);
  const head = newestOf(newest);
  if (head !== undefined) return { status: "present", head, behind: behindOf(newest, head), relays };
  const reason = unknownBecause(relays);
  if (reason === undefined) return { status: "empty", relays };
  return { status: "unavailable", reason, signed, blank: !signed && relays.some(isClean), relays };
}

function behindOf(newest: readonly MemoryHead[], { event }: MemoryHead): MemoryHead[] {
  const others = newest.filter((one) => one.event.id !== event.id);
  return others.filter((one, at) => others.findIndex((same) => same.event.id === one.event.id) === at);
}

/** Judges the relays' answers about all slugs: the newest event of each, deleted memories included, in the slugs' order. */
export function judgeListing(
  answers: readonly RelayAnswer[],
  key: MemoryKey,
): { readonly heads: readonly MemoryHead[]; readonly relays: readonly RelayReport[] } {
  const { heads, relays } = checkAnswers(answers, key);
  const bySlug = Map.groupBy(heads, ({ slug }) => slug);
  const newest = [...bySlug.values()].map((group) => newestOf(group) as MemoryHead);
  return { heads: newest.sort((one, other) => (one.slug < other.slug ? -1 : 1)), relays };
}

function checkAnswers(answers: readonly RelayAnswer[], key: MemoryKey, slug?: string) {
  const check = checkOnce(key, slug);
  const heads: MemoryHead[] = [];
  const newest: MemoryHead[] = [];
  let signed = false;
  const relays = answers.map(({ relay, events, trouble }): RelayReport => {
    const own: MemoryHead[] = [];
    const faults: string[] = [];
    for (const event of events) {
      const checked = check(relay, event);
      if ("usable" in checked) own.push({ ...checked.usable, relay });
      else {
        faults.push(checked.unusable);
        signed ||= checked.signed;
      }
    }
    heads.push(...own);
    const head = newestOf(own);
    if (head) newest.push(head);
    return {
      relay,
      ...(trouble && { trouble }),
      ...(head && { head: { id: head.event.id, createdAt: head.event.created_at } }),
      unusable: faults.length,
      ...(faults[0] !== undefined && { fault: faults[0] }),
    };
  });
  return { heads, newest, relays, signed };
}

/** Maximum number of wrong signatures from one relay: verifying takes milliseconds, and an honest relay stores none. */
const maxForgeries = 20;

/**
 * Makes a check that verifies and decrypts each event once, since relays give the same ones. A relay with too many wrong
 * signatures is not checked further, so that it cannot keep this process busy.
 */
function checkOnce(key: MemoryKey, slug?: string): (relay: string, given: unknown) => EventCheck {
  const usable = new Map<string, Extract<EventCheck, { readonly usable: unknown }>>();
  const forgeries = new Map<string, number>();
  return (relay, given) => {
    const event = readEvent(given);
    const before = event && usable.get(event.id);
    if (before !== undefined && isDeepStrictEqual(before.usable.event, event)) return before;
    const forged = forgeries.get(relay) ?? 0;
    if (forged >= maxForgeries) return { unusable: "too many before it had wrong signatures", signed: false };
    const checked = checkEvent(event, key, slug);
    if ("usable" in checked) usable.set(checked.usable.event.id, checked);
    else if (checked.unusable === wrongSignature) forgeries.set(relay, forged + 1);
    return checked;
  };
}

const troubles: Readonly<Record<RelayTrouble, string>> = {
  unreachable: "could not be reached",
  late: "did not finish in time",
  refused: "refused to answer",
  closed: "closed before it had finished",
  cut: "did not give all it has",
  nonsense: "gave an answer that makes no sense",
};

/** Checks that a relay has finished, and gave nothing unusable. */
function isClean({ trouble, unusable }: RelayReport): boolean {
  return trouble === undefined && unusable === 0;
}

/**
 * Reason why finding nothing is no proof that nothing exists; undefined if it is one. Any relay may be the only one that was
 * given the memory, so each must have finished and given nothing at all.
 */
function unknownBecause(relays: readonly RelayReport[]): string | undefined {
  if (relays.length === 0) return "no relay is known";
  const spoiled = relays.find(({ unusable }) => unusable > 0);
  if (spoiled !== undefined)
    return `${spoiled.relay} gave ${spoiled.unusable === 1 ? "an event that" : `${spoiled.unusable} events, and the first`} cannot be used: ${spoiled.fault}`;
  if (relays.every(isClean)) return undefined;
  return relays.flatMap(({ relay, trouble }) => (trouble ? [`${relay} ${troubles[trouble.kind]}`] : [])).join("; ");
}

/** Content of an event; or why it cannot be used, and whether it was signed as this agent's memory all the same. */
type EventCheck =
  | { readonly usable: Omit<MemoryHead, "relay"> }
  | { readonly unusable: string; readonly signed: boolean };

const wrongSignature = "its signature is wrong";

/** Maximum and minimum characters of up to 65,535 bytes after encryption. */
const maxContentLength = 87_472;
const minContentLength = 132;

/**
 * Checks whether this is an event of the agent's memory, of this slug or of any. Cheap checks come first: only events for us are
 * verified, and only signed ones decrypted. Takes anything, and never throws.
 */
export function checkEvent(given: unknown, key: MemoryKey, slug?: string): EventCheck {
  const event = readEvent(given);
  if (event === undefined) return { unusable: "it is no event", signed: false };
  const fault = envelopeFault(event, key, slug);
  if (fault !== undefined) return { unusable: fault, signed: false };
  if (!key.verify(event)) return { unusable: wrongSignature, signed: false };
  const { length } = event.content;
  if (length < minContentLength || length > maxContentLength)
    return { unusable: "its content is of a size that no memory has", signed: true };
  const json = key.open(event);
  if (json === undefined) return { unusable: "its content cannot be decrypted", signed: true };
  const body = readBody(json, (named) => key.dTag(named) === tagValue(event, "d"));
  if ("fault" in body) return { unusable: `in its content, ${body.fault}`, signed: true };
  return { usable: { ...body, event } };
}

function envelopeFault(event: NostrEvent, { agent, owner, dTag }: MemoryKey, slug?: string): string | undefined {
  if (event.kind !== memoryKind) return "it is of another kind";
  if (event.pubkey !== agent) return "it is another author's";
  for (const name of ["d", "p"])
    if (event.tags.filter((tag) => tag[0] === name).length !== 1) return `it has not exactly one ${name} tag`;
  if (tagValue(event, "p") !== owner) return "it is for another owner";
  if (slug !== undefined && tagValue(event, "d") !== dTag(slug)) return "it is of another memory";
  return undefined;
}

function tagValue({ tags }: NostrEvent, name: string): string | undefined {
  return tags.find((tag) => tag[0] === name)?.[1];
}
