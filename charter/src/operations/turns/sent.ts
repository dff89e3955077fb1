import { identityText } from "../../delivery/model.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Receipt } from "../../prompt/receipt.ts";
import type { Store } from "../../store/store.ts";
import type { ReplayedStep } from "../../store/turns/steps.ts";
import type { Turn } from "../../store/turns/turn.ts";
import type { OperationContext } from "../operation.ts";

/** What each step of a turn sent, section by section, and its result. */
export async function receiptsOf({ steps }: Store, turn: string) {
  return (await steps.of(turn)).map((step) => {
    const { ownTools = [] } = step.result ?? {};
    return { ...step, identity: identityFacts(step.receipt), ownTools };
  });
}

/** The very bytes a step sent; of the last, unless it is named. */
export async function bytesOf({ steps }: Store, turn: Pick<Turn, "id" | "state">, step?: number) {
  checkKept(turn);
  return shownBytes(await steps.replay(turn.id, step));
}

export function shownBytes({ text: _, result: __, erasedAt: ___, besides: ____, ...sent }: ReplayedStep) {
  return { ...sent, proved: true as const, identity: identityFacts(sent.receipt) };
}

/** The whole request of a step; of the last, unless it is named. */
export async function requestOf(
  { store, host }: Pick<OperationContext, "store" | "host">,
  turn: Pick<Turn, "id" | "state">,
  step?: number,
) {
  checkKept(turn);
  const [{ replayRequest }, { requestFacts }] = await Promise.all([
    import("../../agent/replay.ts"),
    import("../../agent/replay.ts"),
  ]);
  return requestFacts(await replayRequest(store, turn.id, step), {}, (await host()).models);
}

export function checkKept({ id, state }: Pick<Turn, "id" | "state">): void {
  if (state === "erased") throw new Problem("erased", `What was sent in “${id}” was erased.`, "It cannot be rebuilt.");
}

function identityFacts(receipt: Receipt | null) {
  const identity = receipt?.identity;
  return identity === undefined ? null : { ...identity, says: identityText(identity) };
}
