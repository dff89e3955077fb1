import { Problem } from "../../prompt/problem.ts";
import type { InboxMessage } from "../../store/conversations/inbox-row.ts";
import { checkName } from "../../store/scope.ts";
import type { Caller } from "../caller.ts";
import { shownMessage } from "./message-fields.ts";

const longest = 128;

/** Ids are each poster's own: a message is kept under its poster's name, a slash and the id (`shop/order-17`). */
export function keptId(poster: string, id: string): string {
  checkName("message", id);
  if (id.length <= longest && id !== "." && id !== "..") return `${poster}/${id}`;
  throw new Problem(
    "bad-name",
    `${JSON.stringify(id)} cannot be the id of a message.`,
    `Use 1 to ${longest} characters that an address can have: not “.” and not “..”.`,
  );
}

/** After whom the ids of what they post are called: the token's name, the address, or “operator”. */
export function posterOf(caller: Caller): string {
  return caller.kind === "inbox" ? caller.name : caller.kind === "signer" ? caller.address : "operator";
}

/** The id as who posts sees it. Operators see all messages, and so the whole id. */
export function shownId<Id extends string | null>(caller: Caller, id: Id): Id {
  const start = `${posterOf(caller)}/`;
  return (caller.kind !== "operator" && id?.startsWith(start) ? id.slice(start.length) : id) as Id;
}

/** How an agent worked on a message, and why that failed, is the operator's to know. */
export function seenBy(caller: Caller, found: InboxMessage) {
  if (caller.kind === "operator") return shownMessage(found);
  const { id, agent, sender, body, at, status } = found;
  return { id: shownId(caller, id), agent, sender, body, at, status };
}
