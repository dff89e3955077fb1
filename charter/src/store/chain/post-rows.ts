import { counterpart, counterpartKey } from "../conversations/counterpart.ts";
import type { Database } from "../home/database.ts";
import type { Query } from "../home/sql.ts";
import type { ChainPlace, ChainPost } from "./chain-message.ts";
import { createRounds } from "./rounds.ts";

/** A post with the id it has in the inbox. */
export type NamedPost = { readonly id: string; readonly post: ChainPost };

/** The same with the time it is answered by. */
type TimedPost = NamedPost & { readonly at: string };

const inboxColumns = {
  text: ["id", "agent", "user_id", "sender", "body", "at", "status", "channel", "lane", "failures"],
  number: ["tries", "round"],
};

/** Puts posts into the inbox, each in its round. What can only be dead is so from the first. */
export async function insertMessages(db: Database, agent: string, posts: readonly TimedPost[]): Promise<Query> {
  const waiting = posts.filter(({ post }) => post.dead === undefined);
  const senders = waiting.map(({ post }) => counterpartKey(post.sender));
  const rounds = await createRounds(db, agent, senders);
  const rows = posts.map(({ id, at, post: { sender, body, dead } }) => {
    const user = counterpartKey(sender);
    const failures = dead === undefined ? null : JSON.stringify([{ at, turn: null, because: dead }]);
    const [status, round] = dead === undefined ? ["waiting", rounds.next(user)] : ["dead", 0];
    return {
      ...{ id, agent, user_id: user, sender: counterpart(sender), body, at, status, tries: 0 },
      ...{ channel: "chain", lane: "chain", round, failures },
    };
  });
  return db.dialect.insert("inbox", inboxColumns, rows);
}

const placeColumns = {
  text: ["agent", "message", "user_id", "contract", "on_chain", "tx", "block_hash", "value", "state", "at"],
  number: ["chain", "place", "block", "withdrawn"],
};

/** Keeps where they stand on the chain. */
export function insertPlaces(db: Database, { agent, chain, contract }: ChainPlace, posts: readonly TimedPost[]): Query {
  const rows = posts.map(({ id, at, post: { sender, onChain, tx, place, block, blockHash, value } }) => ({
    ...{ agent, message: id, user_id: counterpartKey(sender), chain, contract: contract.toLowerCase() },
    ...{ on_chain: onChain, tx, place, block, block_hash: blockHash, value, state: "included", withdrawn: 0, at },
  }));
  return db.dialect.insert("chain_messages", placeColumns, rows);
}
