import type { Scope } from "../../amend/amendment.ts";
import { identityText } from "../../delivery/identity-text.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Receipt } from "../../prompt/receipt.ts";
import type { Store } from "../../store/store.ts";
import type { ReplayedStep } from "../../store/turns/steps.ts";

/** What one step sent, and whose turn it was. A turn is named by its id, one of its steps by `id/2`; else it is the last. */
export async function findStep(store: Store, named: string): Promise<ReplayedStep & { readonly scope: Scope }> {
  const [, before, number] = /^(.+)\/(\d{1,9})$/.exec(named) ?? [];
  // An id may end like a step itself.
  const whole = before === undefined || (await isTurn(store, named));
  const id = whole ? named : before;
  const { scope, state } = await store.turns.get(id);
  if (state === "erased") throw new Problem("erased", `What was sent in “${id}” was erased.`, "It cannot be rebuilt.");
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

type SentIdentity = NonNullable<Receipt["identity"]> & { readonly turn: string; readonly says: string };

/** Where the last turn's system prompt went, if its model is an agent that keeps the conversation itself. */
export async function sentIdentity({ turns, steps }: Store, scope: Scope): Promise<SentIdentity | undefined> {
  const [last] = await turns.list({ ...scope, limit: 1 });
  const identity = last && (await steps.of(last.id)).at(-1)?.receipt?.identity;
  return identity && { ...identity, turn: last.id, says: identityText(identity) };
}

/** The turns, or the steps of turns, a command was told. */
export function namedTurns(command: string, words: readonly string[], count: 1 | 2): string[] {
  if (words.length === count) return [...words];
  const needs = count === 1 ? "one turn" : "two turns";
  throw new Problem(
    "usage",
    `charter ${command} needs ${needs}; a step of one is named as <turn>/<step>.`,
    "See the turns with `charter turns`.",
  );
}
