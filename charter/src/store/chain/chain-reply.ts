import { counterpartOf } from "../conversations/counterpart.ts";

/**
 * A reply to a message that came by a chain, and what became of it there.
 *
 * `waiting`: nothing was done yet. `signed`: its transaction is kept, and may have been sent. `sent`: an address of the
 * chain took it. `mined`: it stands in a block that may still go. `final`: it does not go any more. `held`: it would cost
 * more than it may. `failed`: it will not be sent.
 */
export type ChainReplyState = "waiting" | "signed" | "sent" | "mined" | "final" | "held" | "failed";

/** A reply to a message that came by a chain, and where it stands there. */
export type ChainReply = {
  /** The id of the reply in the outbox. */
  readonly reply: string;
  readonly message: string;
  readonly to: string;
  readonly body: string;
  /** When the message was answered. */
  readonly answeredAt: string;
  /** What the contract calls the message now. */
  readonly onChain: string;
  /** Whether the message is part of the chain now: to one that is not, nothing is sent. */
  readonly included: boolean;
  readonly state: ChainReplyState;
  /** What the contract called the message when the transaction was signed: another name, another transaction. */
  readonly signedFor: string | null;
  readonly raw: string | null;
  readonly tx: string | null;
  readonly nonce: number | null;
  /** The most it may cost, in wei; what it did cost, once it is mined. */
  readonly fee: string | null;
  readonly at: string | null;
  readonly sentAt: string | null;
  readonly block: number | null;
  readonly blockHash: string | null;
  /** Why it is held or has failed; or what keeps one from getting to the chain that is tried again by itself. */
  readonly reason: string | null;
};

export type ChainReplyRow = {
  reply: string;
  message: string;
  user_id: string;
  body: string;
  answered_at: string;
  on_chain: string;
  included: string;
  state: ChainReplyState | null;
  signed_for: string | null;
  raw: string | null;
  tx: string | null;
  nonce: number | null;
  fee: string | null;
  at: string | null;
  sent_at: string | null;
  block: number | null;
  block_hash: string | null;
  reason: string | null;
};

export function chainReplyOf(row: ChainReplyRow): ChainReply {
  const { reply, message, user_id, body, raw, tx, nonce, fee, at, block, reason } = row;
  return {
    ...{ reply, message, to: counterpartOf(user_id), body, answeredAt: row.answered_at, onChain: row.on_chain },
    ...{ included: row.included === "included", state: row.state ?? "waiting", signedFor: row.signed_for },
    ...{ raw, tx, nonce, fee, at, sentAt: row.sent_at, block, blockHash: row.block_hash, reason },
  };
}

/** The transaction of a reply, as it was signed. */
export type SignedReply = {
  readonly reply: string;
  /** Who has to be in charge. */
  readonly runner: string;
  /** What the contract calls the message it answers. */
  readonly onChain: string;
  readonly raw: string;
  readonly tx: string;
  readonly nonce: number;
  /** The most it may cost, in wei. */
  readonly fee: string;
  /** The transaction it takes the place of, where there was one. */
  readonly instead?: string | null;
};

/** Where the transaction of a reply stands, and what it cost in wei. */
export type MinedReply = {
  readonly tx: string;
  readonly block: number;
  readonly blockHash: string;
  readonly fee: string;
};

/** The same of a reply that another transaction has brought there than the one on record. */
export type FoundReply = {
  readonly reply: string;
  /** The transaction on record. */
  readonly instead: string | null;
  /** An earlier one; null: nobody knows which. */
  readonly tx: string | null;
  readonly block: number;
  readonly blockHash: string;
  readonly fee: string | null;
};
