import type { Store } from "../../store/store.ts";
import type { ListTurnsOptions } from "../../store/turns/list-turns.ts";
import { type Turn, unknownTurn } from "../../store/turns/turn.ts";
import { type Caller, checkOperator, checkPerson, sees } from "../caller.ts";
import type { OperationContext } from "../operation.ts";

/** A turn by its id: any for an operator, their own for a user. Someone else's, or another agent's, is not there. */
export async function turnFor(
  { store, caller }: Pick<OperationContext, "store" | "caller">,
  asked: { readonly id: string; readonly agent?: string | undefined; readonly user?: string | undefined },
): Promise<Turn> {
  checkPerson(caller, "seeing turns");
  const found = await store.turns.get(asked.id);
  const { agent, user } = found.scope;
  const isMeant = (asked.agent ?? agent) === agent && (asked.user ?? user) === user;
  if (isMeant && sees(caller, found.scope)) return found;
  throw unknownTurn(asked.id);
}

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

/** Turns as they are told, with how many steps each had; who ran them, and what that took, is the operator's to know. */
export async function shownTurns(
  { steps, turns: { factsOf } }: Store,
  turns: readonly Turn[],
  caller: Pick<Caller, "kind">,
) {
  const isOperator = caller.kind === "operator";
  const ids = turns.map(({ id }) => id);
  const [counts, known] = await Promise.all([steps.counts(ids), isOperator ? factsOf(ids) : undefined]);
  return turns.map(({ runner, leasedUntil, ...facts }) => {
    const run = isOperator ? { runner, leasedUntil, ...known?.get(facts.id) } : {};
    return { ...facts, steps: counts.get(facts.id) ?? 0, ...run };
  });
}
