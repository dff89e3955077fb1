import { createHash } from "node:crypto";
import { counterpart, counterpartOf, type InboxMessage } from "../conversations/inbox-row.ts";
import { recordOf } from "../home/query.ts";
import {
  code,
  count,
  digest,
  id,
  name,
  oneOf,
  type RecordOf,
  type RowOf,
  table,
  text,
  time,
  truth,
} from "../home/table.ts";

/** So many days it stays known what an erased user's replies have cost: more than the one whose sum it is part of. */
export const erasedFeesDays = 2;

// The chain is read, and written to, beside turns: in a scope nothing of it is changed.
const asked = { none: "what was learned about models, and what a chain can be asked again" };

/** The last block that was read, by number and hash; nothing until the first was. Who reads and sends, and until when. */
export const chainCursors = table(
  "chain_cursors",
  { of: "agent", key: ["agent", "chain", "contract"], isByKey: true, proof: asked },
  {
    chain: count(),
    contract: name(),
    /** The first block that was to be read. */
    start: count().nullable(),
    block: count().nullable(),
    hash: digest().nullable(),
    /** The newest block there was, when it was last read. */
    head: count().nullable(),
    /** How many posts stood in blocks that may still go. */
    unconfirmed: count().usual(0),
    readAt: time().nullable(),
    /** What keeps it from being read; null while it is. */
    problem: text().nullable(),
    /** The process that reads and sends (“host:pid”), and until when. */
    runner: name().nullable().passing(),
    leasedUntil: time().nullable().passing(),
    /** The agent's address there; null where the chain is not the one it was last started with. */
    address: name().nullable(),
  },
);

/** Hashes of blocks that were read: by them the last block is found that is still part of the chain. */
export const chainBlocks = table(
  "chain_blocks",
  { of: "agent", key: ["agent", "chain", "contract", "block"], isByKey: true, proof: asked },
  { chain: count(), contract: name(), block: count(), hash: digest() },
);

/** Where a message of the inbox stands on the chain. Amounts of wei are texts: no number holds them. */
export const chainMessages = table(
  "chain_messages",
  {
    of: "user",
    key: ["agent", "message"],
    indexes: {
      chain_messages_block: "(agent, chain, contract, block)",
      chain_messages_paid: "(agent, chain, contract, block) where cycles is null and value <> '0'",
      chain_messages_user: "(user_id, agent)",
    },
  },
  {
    message: id().refers("inbox", "its place on the chain is there", { unless: "state = 'erased'" }),
    chain: count(),
    contract: name(),
    /** What the contract calls it. */
    onChain: id(),
    tx: digest(),
    /** The how-manyth post to this agent in its transaction, from 0. */
    place: count(),
    block: count(),
    blockHash: digest(),
    /** What was paid, in wei. */
    value: code(),
    /** `orphaned`: its block is no part of the chain any more. */
    state: oneOf("included", "orphaned"),
    /** It waited when its block went. */
    withdrawn: truth().usual(0).inner().hidden(),
    at: time(),
    /** How many cycles what it paid became, once; null until then. */
    cycles: count().nullable().hidden(),
  },
);

/** The transaction of a reply as it was signed, kept before it is sent. */
export const chainReplies = table(
  "chain_replies",
  {
    of: "user",
    key: ["agent", "reply"],
    indexes: {
      chain_replies_message: "(agent, message)",
      chain_replies_state: "(agent, state, at)",
      chain_replies_user: "(user_id, agent)",
    },
    // Of those who were erased, what their replies cost counts for so many days.
    keep: { when: "state = 'erased' and at < {until}", days: erasedFeesDays, just: true, size: "fee" },
  },
  {
    /** The id of the reply in the outbox. */
    reply: id().refers("outbox", "its place on the chain is there", { unless: "state = 'erased'" }),
    message: id(),
    chain: count().hidden(),
    contract: name().hidden(),
    /** What the contract called the message when the transaction was signed: another name, another transaction. */
    onChain: id(),
    /**
     * `waiting`: nothing was done yet. `signed`: its transaction is kept, and may have been sent. `sent`: an address of the
     * chain took it. `mined`: it stands in a block that may still go. `final`: it does not go any more. `held`: it would
     * cost more than it may. `failed`: it will not be sent.
     */
    state: oneOf("waiting", "signed", "sent", "mined", "final", "held", "failed"),
    raw: text().nullable().inner(),
    tx: digest().nullable(),
    nonce: count().nullable(),
    /** The most it may cost, in wei; what it did cost, once it is mined. */
    fee: code().nullable(),
    at: time(),
    sentAt: time().nullable(),
    block: count().nullable(),
    blockHash: digest().nullable(),
    /** Why it is held or has failed; or what keeps one from getting to the chain that is tried again by itself. */
    reason: text().nullable(),
  },
);

/** What an agent's address has on a chain, as it was last read. */
export const chainBalances = table(
  "chain_balances",
  { of: "agent", key: ["agent", "chain", "asset"], isByKey: true, proof: asked },
  {
    chain: count().hidden(),
    /** “ETH”, or a token's address. */
    asset: name(),
    /** In the smallest unit. */
    amount: code(),
    decimals: count(),
    symbol: text(),
    block: count(),
    readAt: time(),
  },
);

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
