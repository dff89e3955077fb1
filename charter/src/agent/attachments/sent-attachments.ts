import type { Scope } from "../../amend/amendment.ts";
import { kindOfAttachment } from "../../delivery/attachment-line.ts";
import { attachmentTokensOf } from "../../delivery/attachment-tokens.ts";
import type { Message, ModelRequest } from "../../delivery/model.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { attachmentsIn, showAttachments } from "../../delivery/show-attachments.ts";
import type { ReceiptOptions } from "../../prompt/receipt.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import type { Store } from "../../store/store.ts";

/** What a receipt says of the attachments in the messages of a request; nothing where there are none. */
export function attachmentsSent(
  messages: readonly Message[],
  { attachments: takes = [], name }: Receiver,
  { attachment: tokens = attachmentTokensOf(name) }: Tokenizer,
): Pick<ReceiptOptions, "attachments"> {
  const all = attachmentsIn(messages);
  if (all.length === 0) return {};
  const shown = all.map((one) => {
    const kind = kindOfAttachment(one);
    return { ...one, tokens: tokens(one), shown: kind === "text" || takes.includes(kind) };
  });
  return { attachments: { takes, all: shown } };
}

/** A request with the bytes of its attachments, as this receiver takes them. */
export async function withAttachments(
  { attachments }: Pick<Store, "attachments">,
  { scope }: { readonly scope: Scope },
  request: ModelRequest,
  takes: Receiver["attachments"] = [],
): Promise<ModelRequest> {
  const all = attachmentsIn(request.messages);
  if (all.length === 0) return request;
  const bytes = await attachments.getAll(
    scope,
    all.map(({ digest }) => digest),
  );
  return showAttachments(request, { takes, bytes });
}
