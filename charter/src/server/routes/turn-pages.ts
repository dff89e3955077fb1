import type { Store } from "../../store/store.ts";
import type { ListTurnsOptions } from "../../store/turns/list/turn-filter.ts";
import type { Turn } from "../../store/turns/turn.ts";
import { type Caller, checkOperator } from "../http/caller.ts";

type Asked = Pick<ListTurnsOptions, "model" | "minCost" | "maxCost" | "event" | "sort">;

/** Which model took a turn, and what that cost, is the operator's to know: nobody else finds it out by asking. */
export function checkTurnQuery(caller: Caller, { model, minCost, maxCost, event, sort }: Asked): void {
  if (model !== undefined) checkOperator(caller, "asking for turns by their model");
  if (minCost !== undefined || maxCost !== undefined || sort === "cost")
    checkOperator(caller, "asking for turns by what they cost");
  if (event === "cache-miss") checkOperator(caller, "asking for turns by what the provider's cache had");
}

/** A page of turns, whether there are more after it, and how many there are in all. */
export async function readTurns(
  { turns }: Store,
  asked: ListTurnsOptions & { readonly offset: number },
): Promise<{ readonly rows: readonly Turn[]; readonly more: boolean; readonly total: number }> {
  const { sort: _, limit: __, offset, ...filter } = asked;
  const [rows, total] = await Promise.all([turns.list(asked), turns.count(filter)]);
  return { rows, more: offset + rows.length < total, total };
}
