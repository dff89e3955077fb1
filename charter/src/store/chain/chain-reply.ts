import { counterpartOf } from "../conversations/inbox-row.ts";
import type { Database } from "../home/database.ts";
import { matching, onPage, type Page, recordOf } from "../home/query.ts";
import { type Query, sql } from "../home/sql.ts";
import type { RecordOf, RowOf } from "../home/table.ts";
import { placeOf } from "./chain-cursor.ts";
import { type ChainPlace, chainReplies } from "./chain-message.ts";

type KeptReply = RecordOf<typeof chainReplies>;

/** What became of a reply to a message that came by a chain. */
export type ChainReplyState = KeptReply["state"];

/** A reply to a message that came by a chain, and where it stands there. */
export type ChainReply = Omit<KeptReply, "scope" | "onChain" | "at"> & {
  readonly to: string;
  readonly body: string;
  /** When the message was answered. */
  readonly answeredAt: string;
  /** What the contract calls the message now. */
  readonly onChain: string;
  /** What it called the message when the transaction was signed: another name, another transaction. */
  readonly signedFor: string | null;
  /** Whether the message is part of the chain now: to one that is not, nothing is sent. */
  readonly included: boolean;
  readonly at: string | null;
};

type ReplyRow = RowOf<typeof chainReplies> & {
  body: string;
  answered_at: string;
  signed_for: string | null;
  message_state: string;
};

/** `o` is the reply in the outbox, `c` where its message stands on the chain, `r` what is kept of the reply there, if so. */
export function repliesWhere(where: Query): Query {
  return sql`outbox o join chain_messages c on c.agent = o.agent and c.message = o.message
    left join chain_replies r on r.agent = o.agent and r.reply = o.id where ${where}`;
}

/** Those to messages of a contract. */
export function ofContract(place: ChainPlace): Query {
  const { agent, chain, contract } = placeOf(place);
  return matching({ "c.agent": agent, "c.chain": chain, "c.contract": contract });
}

/** Oldest first. */
export async function listChainReplies(db: Database, where: Query, page: Page = {}): Promise<ChainReply[]> {
  const query = sql`select o.agent, o.user_id, o.id as reply, o.body, o.at as answered_at, c.message,
      c.on_chain, c.state as message_state, coalesce(r.state, 'waiting') as state, r.on_chain as signed_for, r.raw, r.tx,
      r.nonce, r.fee, r.at, r.sent_at, r.block, r.block_hash, r.reason
    from ${repliesWhere(where)} order by o.at, o.id ${onPage(page)}`;
  return (await db.all<ReplyRow>(query)).map((row) => {
    const { scope: _, ...reply } = recordOf(chainReplies, row);
    const { user_id, body, answered_at: answeredAt, signed_for: signedFor, message_state } = row;
    const included = message_state === "included";
    return { ...reply, to: counterpartOf(user_id), body, answeredAt, signedFor, included };
  });
}

export async function findChainReply(db: Database, agent: string, reply: string): Promise<ChainReply | undefined> {
  return (await listChainReplies(db, sql`o.agent = ${agent} and o.id = ${reply}`))[0];
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

/** Where the transaction of a reply stands, and what it cost in wei: the one on record, or another that brought it there. */
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
