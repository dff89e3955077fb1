import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import type { ReplayedStep } from "../../store/turns/steps.ts";
import { checkKept } from "./sent.ts";

export type FoundStep = ReplayedStep & { readonly scope: Scope };

/** What one step sent, and whose turn it was. A turn is named by its id, one of its steps by `id/2`; else it is the last. */
export async function findStep(store: Store, named: string): Promise<FoundStep> {
  const [, before, number] = /^(.+)\/(\d{1,9})$/.exec(named) ?? [];
  // An id may end like a step itself.
  const whole = before === undefined || (await isTurn(store, named));
  const id = whole ? named : before;
  const { scope, state } = await store.turns.get(id);
  checkKept({ id, state });
  return { ...(await store.steps.replay(id, whole ? undefined : Number(number))), scope };
}

async function isTurn(store: Store, id: string): Promise<boolean> {
  try {
    return (await store.turns.get(id)).id === id;
  } catch (error) {
    if (error instanceof Problem && error.code === "unknown-turn") return false;
    throw error;
  }
}
