import type { Scope } from "../../amend/amendment.ts";
import { inDollars, microsOf } from "../../delivery/cost.ts";
import type { Model } from "../../delivery/model.ts";
import { Problem } from "../../prompt/problem.ts";
import type { CacheTokens } from "../../prompt/receipt.ts";
import type { Store } from "../../store/store.ts";
import type { Limits } from "../limits.ts";
import type { AgentDeps, TurnBill, TurnView } from "./turn-state.ts";

/** What a day's limits are checked with. `owed`: what is spent and not on record yet. */
type SpendingDeps = {
  readonly limits: Limits;
  readonly model: Model;
  readonly clock: () => Date;
  readonly store: Pick<Store, "spending">;
  readonly owed?: TurnBill["unrecordedSpend"];
};

export function spendingOf(
  { store, clock }: AgentDeps,
  { terms, seat, bill }: Pick<TurnView, "terms" | "seat" | "bill">,
): SpendingDeps {
  return { limits: terms.limits, model: seat.model, clock, store, owed: bill.unrecordedSpend };
}

/** Stops before a request that would go over what a user, or the agent, may cost in a day. */
export async function checkSpending(
  { limits, store, model, clock, owed }: SpendingDeps,
  { agent: name, user }: Scope,
  predicted: CacheTokens,
): Promise<void> {
  const { userDollarsPerDay, agentDollarsPerDay } = limits;
  if (userDollarsPerDay === undefined && agentDollarsPerDay === undefined) return;
  const { price } = model.receiver;
  if (!price)
    throw new Problem(
      "price-unknown",
      `A limit on spending is set, and the price of ${model.receiver.name} is not known.`,
      "Set its price under “models” in charter.config.ts or models.json (in a program: with its receiver), or take the limit away.",
    );
  const day = dayOf(clock());
  const spent = await store.spending.of({ agent: name, day, ...(user === undefined ? {} : { user }) });
  const next = inDollars(microsOf(price, predicted)) + (owed?.cost ?? 0);
  const over = (limit: number | undefined, micros: number) => limit !== undefined && inDollars(micros) + next > limit;
  if (over(userDollarsPerDay, spent.user.micros))
    throw limitReached(`“${user ?? "nobody"}” may cost`, userDollarsPerDay);
  if (over(agentDollarsPerDay, spent.agent.micros)) throw limitReached(`“${name}” may cost`, agentDollarsPerDay);
}

export function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10);
}

function limitReached(what: string, dollars: number | undefined): Problem {
  return new Problem(
    "spending-limit",
    `${what} $${dollars} a day, and the next request would go over it.`,
    "Wait for the next day (UTC), or raise the limit.",
  );
}
