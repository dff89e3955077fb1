import type { Scope } from "../../amend/amendment.ts";
import type { NewDispatch } from "../../store/outbox/dispatch-row.ts";
import type { Store } from "../../store/store.ts";
import { type Approval, approvalsOf, type Button } from "./approval.ts";
import { splitMessage } from "./split.ts";

/** A message for a user, in as many pieces as the channel needs, with buttons under the last. */
export type OutgoingMessage = {
  readonly text: string;
  /** The turn that sends it. Approvals it asked for are shown along with it. */
  readonly turn?: string;
  readonly buttons?: readonly Button[];
};

/**
 * Queues a message for every chat that a user has linked, and returns how many pieces it has. They are sent as soon as
 * possible.
 */
export async function deliverTo(store: Store, scope: Scope, message: OutgoingMessage): Promise<number> {
  const dispatches = await dispatchesTo(store, scope, message);
  if (dispatches.length > 0) await store.dispatches.add(dispatches);
  return dispatches.length;
}

/** The pieces for every chat a user has linked, to be written along with what they tell of. */
export async function dispatchesTo(store: Store, scope: Scope, said: OutgoingMessage): Promise<NewDispatch[]> {
  const { agent, user } = scope;
  if (user === undefined) return [];
  const links = await store.links.of(scope);
  if (links.length === 0) return [];
  const approvals = said.turn === undefined ? [] : await approvalsOf(store, { agent, user }, said.turn);
  return links.flatMap(({ channel, address }) =>
    dispatchesFor({ scope: { agent, user }, channel, address }, said, approvals),
  );
}

/** The pieces of what is said in one chat, and of what is asked there. */
export function dispatchesFor(
  { scope, channel, address }: Pick<NewDispatch, "scope" | "channel" | "address">,
  said: OutgoingMessage,
  approvals: readonly Approval[] = [],
): NewDispatch[] {
  const to = { scope, channel, address };
  const turn = said.turn === undefined ? {} : { turn: said.turn };
  return [said, ...approvals].flatMap(({ text, buttons = [] }) => {
    const pieces = channel === "telegram" ? splitMessage(text) : text.trim() === "" ? [] : [text];
    return pieces.map((body, index) => {
      const last = index === pieces.length - 1;
      return { ...to, ...turn, body, ...(last && buttons.length > 0 ? { extra: { buttons } } : {}) };
    });
  });
}
