import { readEvent } from "./event/read-event.ts";
import { isNewer, newestOf } from "./head.ts";
import type { MemoryKey } from "./memory-key.ts";
import type { NostrEvent, NostrFilter } from "./nostr-event.ts";
import type { RelayAnswer, RelayClient } from "./relay-client.ts";
import { canonicalRelay, distinctRelays, readRelayAddress } from "./wire/relay-address.ts";

/** Who is asked, for whom, and how long at most. */
export type RelaySearch = {
  readonly client: RelayClient;
  readonly key: MemoryKey;
  /** The relays that are configured. Those on the agent's own list are asked, too. */
  readonly relays: readonly string[];
  readonly timeoutMs?: number;
  /** Ends it sooner: whoever has not finished then is late. */
  readonly signal?: AbortSignal;
};

type Ask<Answer> = (relay: string, list: NostrFilter, signal: AbortSignal) => Promise<Answer>;

/** What they answered, and where the agent writes. */
type AskedRelays<Answer> = {
  readonly answers: readonly Answer[];
  readonly writeRelays: readonly string[];
  /** One of those where the agent writes has finished: where none has, that the others have nothing says nothing. */
  readonly isAnswered: boolean;
  /** Its list names more relays than are asked: one of the others may have what these do not. */
  readonly isCut: boolean;
};

/**
 * Asks the configured relays, and those on the newest list of relays that any of them has of the agent (NIP-65), as soon
 * as it is known. `ask` puts the filter for that list beside its own. Answers stand in the order of the configuration,
 * then of the list, without the lists themselves.
 */
export async function askRelays<Answer extends RelayAnswer>(
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
      .slice(0, mostRelays)
      .filter((one) => !known.has(canonicalRelay(one)));
    for (const other of others) known.add(canonicalRelay(other));
    await askAll(others);
  };

  await askAll(configured);
  clearTimeout(timer);
  signal?.removeEventListener("abort", expire);
  const listed = newest === undefined ? [] : writeRelaysOf(newest);
  const writeRelays = listed.length > 0 ? listed.slice(0, mostRelays) : configured;
  const isAnswered = writeRelays.some((relay) => finished.has(canonicalRelay(relay)));
  return { answers, writeRelays, isAnswered, isCut: listed.length > mostRelays };
}

/** The kind of event an agent's list of relays is kept in (NIP-65). */
const relayListKind = 10002;

/** So many of a list are asked: one that names more keeps nobody busy with them. */
const mostRelays = 10;

/** Where the agent says that it writes: entries for writing, or for both, of relays that speak WebSocket. */
export function writeRelaysOf({ tags }: NostrEvent): string[] {
  const entries = tags.filter(
    ([name, relay = "", marker = ""]) =>
      name === "r" && (marker === "write" || marker === "") && readRelayAddress(relay)?.isHttp === false,
  );
  return distinctRelays(entries.map(([, relay]) => relay as string));
}

/** A relay keeps one list of an agent; one that goes on giving them only keeps us busy. */
const mostLists = 20;

/** What a relay gave, without the agent's own lists of relays, and the newest of these. Whatever is no list of the agent's stays. */
export function takeRelayList(
  given: readonly unknown[],
  key: MemoryKey,
): { readonly events: readonly unknown[]; readonly list: NostrEvent | undefined } {
  const lists: { event: NostrEvent }[] = [];
  let verified = 0;
  const events = given.filter((one) => {
    const event = readEvent(one);
    if (event?.kind !== relayListKind || event.pubkey !== key.agent || verified === mostLists) return true;
    verified += 1;
    if (!key.verify(event)) return true;
    lists.push({ event });
    return false;
  });
  return { events, list: newestOf(lists)?.event };
}
