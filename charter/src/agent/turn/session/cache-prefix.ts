import { type Delivery, prefixOf } from "../../../delivery/deliver.ts";
import type { Message } from "../../../delivery/model.ts";
import { type Prediction, predict, type ReusablePrefix, reusableOf } from "../../../delivery/prediction.ts";
import { isCold } from "../../../delivery/receiver.ts";
import { sha256 } from "../../../store/texts/packing.ts";
import type { AgentDeps, TurnIdentity, TurnView } from "../turn-state.ts";

export function predictionOf(deps: AgentDeps, running: TurnView, hooked: Delivery, delivery: Delivery): Prediction {
  const reusable = stillCached(deps, running.who, hooked, delivery);
  return predict(hooked, deps.model.receiver, { reusable, tokenizer: running.who.tokenizer, sha256 });
}

/** What the provider may still have of the request before. What another process sent is made again from the baseline. */
export function stillCached(
  deps: AgentDeps,
  { session, declaration, tokenizer }: TurnIdentity,
  delivery: Delivery,
  placed = delivery,
): ReusablePrefix | null {
  const { baseline: before } = session;
  const { receiver } = deps.model;
  if (!before || isCold(receiver, session.lastRequestAt, deps.clock())) return null;
  const prefix = session.prefix ?? prefixOf(before, { ...declaration, receiver, sha256, tokenizer });
  const folded = delivery.prefixChange.how === "folded";
  const messages = folded ? 0 : Math.min(session.sentMessages, sharedMessages(delivery.history, placed.history));
  return reusableOf(delivery, { prefix, messages, offers: before.offers }, declaration.charter, receiver);
}

/** With how many of the same messages two histories begin: a hook may have changed what was sent of one. */
export function sharedMessages(one: readonly Message[], other: readonly Message[]): number {
  if (one === other) return one.length;
  const differs = one.findIndex((message, index) => JSON.stringify(message) !== JSON.stringify(other[index]));
  return differs === -1 ? one.length : differs;
}
