import { type Delivery, prefixOf } from "../../delivery/deliver.ts";
import { offersText } from "../../delivery/fold.ts";
import { inputMessage } from "../../delivery/history.ts";
import { historySource } from "../../delivery/history-source.ts";
import { withoutAnyMark } from "../../delivery/mark.ts";
import type { Message } from "../../delivery/model.ts";
import { type Prediction, predict, type ReusablePrefix, reusableOf } from "../../delivery/prediction.ts";
import { isCold, type Receiver } from "../../delivery/receiver.ts";
import type { ReceiptOptions } from "../../prompt/receipt.ts";
import type { SentHistory } from "../../prompt/sent-history.ts";
import { sha256 } from "../../store/texts/packing.ts";
import type { AgentDeps } from "./agent-deps.ts";
import type { TurnView } from "./turn-state.ts";

/**
 * What a receipt says of a request besides its sections, so that the whole of it can be made again: the tools, and what
 * its messages are made of. `entering`: the turn's input is sent with it for the first time.
 */
export function sentRequest(
  { who, progress }: Pick<TurnView, "who" | "progress">,
  { request, history, placements }: Pick<Delivery, "request" | "history" | "placements">,
  counted: SentHistory,
  { receiver, entering }: { readonly receiver: Receiver; readonly entering: boolean },
): Required<Pick<ReceiptOptions, "request" | "history">> {
  // Kept with the turn itself; what hooks made of it is known once the step has a result.
  const input: Message[] = entering ? [inputMessage(withoutAnyMark(who.asked), who.attachments)] : [];
  const { stretches, baseline } = who.session;
  const known = { stretches, own: [...progress.messages, ...input], summary: baseline?.summary ?? null };
  const { source, ...texts } = historySource(known, { history, placements }, receiver, sha256);
  const output = request.output && JSON.stringify(request.output);
  const format = output === undefined ? {} : { output: { digest: sha256(output), text: output } };
  return {
    request: {
      offers: offersText(request.tools, sha256),
      ...(request.toolChoice ? { toolChoice: request.toolChoice } : {}),
      ...(request.answerTokens ? { answerTokens: request.answerTokens } : {}),
      ...format,
      ...texts,
    },
    history: { ...counted, source },
  };
}

export function predictionOf(deps: AgentDeps, running: TurnView, hooked: Delivery, delivery: Delivery): Prediction {
  const reusable = stillCached(deps, running, hooked, delivery);
  return predict(hooked, running.seat.model.receiver, { reusable, tokenizer: running.who.tokenizer, sha256 });
}

/** What the provider may still have of the request before. What another process sent is made again from the baseline. */
export function stillCached(
  deps: AgentDeps,
  { who: { session, declaration, tokenizer }, seat }: Pick<TurnView, "who" | "seat">,
  delivery: Delivery,
  placed = delivery,
): ReusablePrefix | null {
  const { baseline: before } = session;
  const { receiver } = seat.model;
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
