import type { Delivery } from "../../delivery/deliver.ts";
import { offersText } from "../../delivery/fold.ts";
import { inputMessage } from "../../delivery/history.ts";
import { historySource } from "../../delivery/history-source.ts";
import { withoutAnyMark } from "../../delivery/mark.ts";
import type { Message } from "../../delivery/model.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import type { ReceiptOptions } from "../../prompt/receipt.ts";
import type { SentHistory } from "../../prompt/sent-history.ts";
import { sha256 } from "../../store/texts/packing.ts";
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
