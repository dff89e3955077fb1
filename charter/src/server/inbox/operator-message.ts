import { etherText } from "../../charters/ether.ts";
import type { InboxMessage } from "../../store/conversations/inbox-row.ts";

/** A message as operators see it. What a turn has in mind to reply is no reply yet; what was paid is told in ETH. */
export function shownMessage({ draft, paid, ...shown }: InboxMessage) {
  return { ...shown, paid: paid === null ? null : etherText(BigInt(paid)) };
}
