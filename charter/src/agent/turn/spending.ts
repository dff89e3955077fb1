import type { Scope } from "../../amend/amendment.ts";
import { inDollars, microsOf } from "../../delivery/cost.ts";
import { Problem } from "../../prompt/problem.ts";
import type { CacheTokens } from "../../prompt/receipt.ts";
import type { Store } from "../../store/store.ts";
import type { AgentDeps, TurnBill } from "./turn-state.ts";

/** Stops before a request that would go over what a user, or the agent, may cost in a day. */
export async function checkSpending(
  deps: Pick<AgentDeps, "limits" | "model" | "name" | "clock"> & { readonly store: Pick<Store, "spending"> },
  turn: { readonly scope: Scope; readonly owed?: TurnBill["unrecordedSpend"] },
  predicted: CacheTokens,
): Promise<void> {
  const { limits, store, model, name } = deps;
  const { userDollarsPerDay, agentDollarsPerDay } = limits;
  if (userDollarsPerDay === undefined && agentDollarsPerDay === undefined) return;
  const { price } = model.receiver;
  if (!price)
    throw new Problem(
      "price-unknown",
      `A limit on spending is set, and the price of ${model.receiver.name} is not known.`,
      "Set its price under “models” in charter.config.ts or models.json (in a program: with its receiver), or take the limit away.",
    );
  const day = dayOf(deps.clock());
  const { user } = turn.scope;
  const spent = await store.spending.of({ agent: name, day, ...(user === undefined ? {} : { user }) });
  const next = inDollars(microsOf(price, predicted)) + (turn.owed?.cost ?? 0);
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
