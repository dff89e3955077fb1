import type { Receipt } from "../prompt/receipt.ts";
import { between, cacheTokensOf, splitBill, sumTokens } from "./bill.ts";
import { microsOf } from "./cost.ts";
import type { Usage } from "./model.ts";
import type { Receiver } from "./receiver.ts";

/** A request that was answered, and what its provider counted. */
type AnsweredRequest = { readonly at: string; readonly receipt: Receipt; readonly usage: Usage };

/**
 * What a request would have cost less, in millionths of a dollar, if its tools and system prompt had been read from a cache as
 * far as an earlier request had sent the same: within the time that its provider keeps them, or within a day.
 */
type UnreadSaving = { readonly kept: number; readonly day: number };

/** A beginning of requests: when it was last sent, and what came after it. */
type Beginning = { sentAt: number; readonly next: Map<string, Beginning> };

const daySeconds = 86_400;

/**
 * Compares requests, given in the order in which they were sent, with those before. Returns null where nothing can be said: the
 * model has no cache or no price, or nothing was counted.
 *
 * A beginning counts only as far as a provider can find it: up to a breakpoint that both requests had, or in steps of its cache,
 * and from its minimum on. The history is left out, so a saving is never told too large.
 */
export function createSentBefore(): (request: AnsweredRequest, receiver: Receiver) => UnreadSaving | null {
  const all = newBeginning();
  return ({ at, receipt, usage }, { name, cache, price }) => {
    const [bill, whole] = [splitBill(receipt, usage), cacheTokensOf(usage)];
    if (!bill || !whole || !price || cache.kind === "none") return null;
    const system = receipt.slots.find(({ slot }) => slot === "system");
    const sections = bill.sections.filter(({ slot }) => slot === "system");
    const now = Date.parse(at);
    const saved = (tokens: number) => {
      const found = cache.kind === "prefix" ? tokens - (tokens % cache.granularity) : tokens;
      const { written, fresh } = between(0, found, whole);
      return found < cache.min ? 0 : microsOf(price, { written, fresh }) - microsOf(price, { read: written + fresh });
    };
    const saving = { kept: 0, day: 0 };
    let beginning = after(after(all, name), receipt.offers ?? String(sumTokens(bill.tools)));
    let tokens = sumTokens(bill.tools);
    for (let count = 0; count <= sections.length; count++) {
      const last = count === 0 ? undefined : sections[count - 1];
      if (last) {
        beginning = after(beginning, last.section.digest);
        tokens += sumTokens(last.billed);
      }
      if (cache.kind === "breakpoint" && !system?.breakpoints.includes(count)) continue;
      const passed = (now - beginning.sentAt) / 1000;
      if (passed <= cache.ttlSeconds) saving.kept = Math.max(saving.kept, saved(tokens));
      if (passed <= daySeconds) saving.day = Math.max(saving.day, saved(tokens));
      beginning.sentAt = now;
    }
    return { ...saving, day: Math.max(saving.day, saving.kept) };
  };
}

function newBeginning(): Beginning {
  return { sentAt: Number.NEGATIVE_INFINITY, next: new Map() };
}

function after({ next }: Beginning, what: string): Beginning {
  const known = next.get(what) ?? newBeginning();
  next.set(what, known);
  return known;
}
