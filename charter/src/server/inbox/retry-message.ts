import type { InboxMessage } from "../../store/conversations/inbox-row.ts";
import type { Store } from "../../store/store.ts";

/** A message that is tried again: it waits for an answer, or it has one that is sent to its chain again. */
type RetriedMessage = { readonly message: InboxMessage; readonly retried: "message" | "chain-reply" };

/** Lets a dead message wait again. Of an answered one, the reply that has not got to its chain is tried again. */
export async function retryMessage(
  { inbox, chain }: Pick<Store, "inbox" | "chain">,
  { agent, id, by }: { readonly agent: string; readonly id: string; readonly by: string },
): Promise<RetriedMessage> {
  const reply = await inbox.findReply(agent, id);
  if (reply && (await chain.replies.retry(agent, reply.id, by)))
    return { message: await inbox.get(agent, id), retried: "chain-reply" };
  return { message: await inbox.retry(agent, id, by), retried: "message" };
}
