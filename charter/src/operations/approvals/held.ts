import { type ShownCall, shownCall } from "../../agent/held-question.ts";
import { findHeld, scopeOf } from "../../host/decide.ts";
import { Problem } from "../../prompt/problem.ts";
import { causeQuery } from "../../store/amendments/cause.ts";
import type { HeldProposal } from "../../store/amendments/held-proposal.ts";
import type { Store } from "../../store/store.ts";
import { notFound, type Person, sees } from "../caller.ts";
import type { OperationContext } from "../operation.ts";

/** What is held under an id, and whose it is. To a user, what is not theirs is not there. */
export async function heldFor({ store, caller }: Pick<OperationContext, "store" | "caller">, id: string) {
  const found = await findHeld(store, id).catch((error: unknown) => {
    const isUnknown = error instanceof Problem && error.code.startsWith("unknown-");
    if (caller.kind === "operator" || !isUnknown) throw error;
  });
  const scope = found && scopeOf(found);
  if (!found || !scope || !sees(caller as Person, scope)) throw notFound(`held proposal or call “${id}”`);
  return { ...found, id, scope };
}

/** It as it is answered. */
export async function heldAnswer(store: Store, { call, tool, proposal }: Awaited<ReturnType<typeof findHeld>>) {
  return tool ?? (call ? withCause(store, shownCall(call)) : withCause(store, proposal));
}

export async function withCause<One extends HeldProposal | ShownCall>({ held }: Store, one: One) {
  const causes = await held.causes([causeQuery(one)]);
  return { ...one, cause: causes.get(one.id) ?? null };
}
