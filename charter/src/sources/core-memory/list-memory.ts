import { askRelays, type RelaySearch } from "./ask-relays.ts";
import { readEvent } from "./event/read-event.ts";
import type { MemoryHead, RelayReport } from "./finding.ts";
import { judgeListing } from "./judge-answers.ts";
import { memoryKind } from "./memory-key.ts";
import type { NostrFilter } from "./nostr-event.ts";
import type { RelayAnswer } from "./relay-client.ts";

/** All memories of an agent and its owner that the relays have: the head of each, deleted ones with the text null. */
export type MemoryListing = {
  readonly heads: readonly MemoryHead[];
  readonly relays: readonly RelayReport[];
  /** Relays that may hold more than they gave: then the list may lack memories, or have old ones. */
  readonly truncated: readonly string[];
  readonly writeRelays: readonly string[];
};

type PagedAnswer = RelayAnswer & { readonly mayHoldMore: boolean };

/** So many of the largest events are within what a relay may send in one answer. */
const pageSize = 40;
const mostPages = 100;
/** A relay with a limit of its own that is lower than this would be of no use to anybody. */
const leastLimit = 20;

/** Lists all memories, page by page where there are many: over within `timeoutMs`, and throws nothing. */
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
 * Goes back in time until a relay has nothing left. Relays have limits of their own and do not tell them, so a short page
 * is no end either. A page of one second that is full may hide others of that second: that is told.
 */
async function askPages(
  ask: (until: number | undefined, isFirst: boolean) => Promise<RelayAnswer>,
): Promise<PagedAnswer> {
  const events: unknown[] = [];
  let until: number | undefined;
  let largest = leastLimit;
  let mayHoldMore = false;
  for (let page = 1; ; page++) {
    const answer = await ask(until, page === 1);
    events.push(...answer.events);
    const times = answer.events.flatMap(timeOf);
    const oldest = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
    const isEnd = answer.trouble !== undefined || times.length === 0 || oldest === 0;
    const isStuck = !isEnd && (page === mostPages || (until !== undefined && oldest > until));
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
