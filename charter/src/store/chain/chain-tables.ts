import { code, count, digest, id, name, text, time, truth } from "../home/column.ts";
import { table } from "../home/table.ts";

// The chain is read, and written to, beside turns: in a scope nothing of it is changed.
const asked = { none: "what was learned about models, and what a chain can be asked again" };

/** The last block that was read, by number and hash; nothing until the first was. Who reads and sends, and until when. */
export const chainCursors = table(
  "chain_cursors",
  { of: "agent", key: ["agent", "chain", "contract"], isByKey: true, proof: asked },
  {
    chain: count(),
    contract: name(),
    startBlock: count().nullable(),
    block: count().nullable(),
    hash: digest().nullable(),
    head: count().nullable(),
    unconfirmed: count(),
    readAt: time().nullable(),
    problem: text().nullable(),
    runner: name().nullable().passing(),
    leasedUntil: time().nullable().passing(),
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
    exported: "chainMessages",
  },
  {
    message: id().refers("inbox", "its place on the chain is there", { inAgent: true, unless: "state = 'erased'" }),
    chain: count(),
    contract: name(),
    onChain: id(),
    tx: digest(),
    place: count(),
    block: count(),
    blockHash: digest(),
    value: code(),
    state: code(),
    /** It waited when its block went. */
    withdrawn: truth().inner(),
    at: time(),
    /** What it paid became, once; null until then. */
    cycles: count().nullable(),
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
    keep: { when: "state = 'erased' and at < {until}", days: 2, size: "fee" },
    exported: "chainReplies",
  },
  {
    reply: id().refers("outbox", "its place on the chain is there", { inAgent: true, unless: "state = 'erased'" }),
    message: id(),
    chain: count(),
    contract: name(),
    onChain: id(),
    state: code(),
    raw: text().nullable().inner(),
    tx: digest().nullable(),
    nonce: count().nullable(),
    fee: code().nullable(),
    at: time(),
    sentAt: time().nullable(),
    block: count().nullable(),
    blockHash: digest().nullable(),
    reason: text().nullable(),
  },
);

export const chainBalances = table(
  "chain_balances",
  { of: "agent", key: ["agent", "chain", "asset"], isByKey: true, proof: asked },
  { chain: count(), asset: name(), amount: code(), decimals: count(), symbol: text(), block: count(), readAt: time() },
);
