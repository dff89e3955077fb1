import type { InboxMessage } from "../../store/conversations/inbox-row.ts";
import type { Store } from "../../store/store.ts";

/** Lets a dead message wait again, and gives it. Of an answered one, the reply that has not got to its chain is tried again. */
export async function retryMessage(
  { inbox, chain }: Pick<Store, "inbox" | "chain">,
  { agent, id, by }: { readonly agent: string; readonly id: string; readonly by: string },
): Promise<InboxMessage> {
  const reply = await inbox.findReply(agent, id);
  if (reply && (await chain.replies.retry(agent, reply.id, by))) return inbox.get(agent, id);
  return inbox.retry(agent, id, by);
}
