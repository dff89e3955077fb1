import { createHash } from "node:crypto";
import { counterpart, counterpartOf } from "../conversations/counterpart.ts";
import type { InboxMessage } from "../conversations/inbox-row.ts";
import { recordOf } from "../home/query.ts";
import type { RecordOf, RowOf } from "../home/table.ts";
import { chainMessages } from "./chain-tables.ts";

/** The contract that is an agent's inbox on a chain, by the chain's number and the contract's address. */
export type ChainPlace = { readonly agent: string; readonly chain: number; readonly contract: string };

/** A block, by its number and hash. */
export type BlockName = { readonly block: number; readonly hash: string };

/** Where a message of the inbox stands on its chain. */
export type ChainMessage = Omit<RecordOf<typeof chainMessages>, "scope"> & { readonly sender: string };

/** What was posted to an agent on a chain, as the contract's event tells it. */
export type ChainPost = Omit<ChainMessage, "message" | "chain" | "contract" | "state" | "at"> & {
  readonly body: string;
  /** Why it gets no turn. */
  readonly dead?: string;
};

export function chainMessageOf(row: RowOf<typeof chainMessages>): ChainMessage {
  const { scope: _, ...message } = recordOf(chainMessages, row);
  return { ...message, sender: counterpartOf(row.user_id) };
}

const wordOfNode = "node's word/";

/**
 * The counterpart of a post that nothing proves but what one node says: not the same as whoever has proven the address. No
 * token has such a name.
 */
export function unprovenSender(address: string): string {
  return `${wordOfNode}${address}`;
}

/** Only one node says that it is from there. */
export function isUnproven(sender: string): boolean {
  return sender.startsWith(wordOfNode);
}

/** The address of a sender, proven or not. */
function addressIn(sender: string): string {
  return counterpart(isUnproven(sender) ? sender.slice(wordOfNode.length) : sender);
}

/** The id a post has in the inbox: the same, whichever block its transaction is in. */
export function chainMessageId(
  { chain, contract }: ChainPlace,
  { tx, place }: Pick<ChainPost, "tx" | "place">,
): string {
  return `chain:${chain}:${contract.toLowerCase()}:${tx.toLowerCase()}:${place}`;
}

/**
 * The id of a post whose transaction said something else when it was in another block: a contract may post what depends
 * on the block. What was said there stays what it was.
 */
export function otherMessageId(place: ChainPlace, post: Pick<ChainPost, "tx" | "place" | "sender" | "body">): string {
  const contents = JSON.stringify([addressIn(post.sender), post.body]);
  const digest = createHash("sha256").update(contents).digest("hex");
  return `${chainMessageId(place, post)}:${digest.slice(0, 16)}`;
}

/** What is kept under the id of a post. */
export type KnownPost = {
  readonly status: InboxMessage["status"];
  readonly sender: string;
  readonly body: string;
  /** Null where nothing of the chain is known of it. */
  readonly state: ChainMessage["state"] | null;
  /** 1: it waited when its block went. */
  readonly withdrawn: number | null;
};

/**
 * What becomes of a post: it is `new`; it is included `again`, and `waits` again if it did before; what is kept under
 * its id is `other`, and stays.
 */
type PostFate = "new" | "again" | "waits" | "other";

export function fateOf(post: Pick<ChainPost, "sender" | "body">, known: KnownPost | undefined): PostFate {
  if (!known) return "new";
  if (known.state === null || addressIn(known.sender) !== addressIn(post.sender) || known.body !== post.body)
    return "other";
  return known.withdrawn === 1 && known.status === "withdrawn" ? "waits" : "again";
}
