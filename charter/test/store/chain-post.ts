import type { ChainPlace, ChainPost } from "../../src/store/chain/chain-message.ts";
import { sql } from "../../src/store/home/sql.ts";
import type { Store } from "../../src/store/index.ts";
import { answerMessage } from "./answer-message.ts";

const runner = "host:1";

/** A post to an agent, in a block of its own. */
export const chainPost = (more: Partial<ChainPost> = {}): ChainPost => ({
  ...{
    onChain: `0x${"1".repeat(64)}`,
    tx: `0x${"2".repeat(64)}`,
    place: 0,
    block: 5,
    blockHash: `0x${"5".repeat(64)}`,
  },
  ...{ sender: `0x${"b".repeat(40)}`, value: "1000", body: "Are you open?", ...more },
});

/** A message that came by a chain, was answered, and whose reply is signed. Each contract is read once. */
export async function postByChain(store: Store, place: ChainPlace, post: ChainPost, reply: string): Promise<string> {
  const { agent } = place;
  await store.chain.claim(place, { runner, leaseMs: 60_000 });
  const [to, anchor] = [
    { block: 10, hash: "0x0a" },
    { block: 0, hash: "0x00" },
  ];
  const read = { runner, before: undefined, to, head: 22, unconfirmed: 0, posts: [post], start: { block: 1, anchor } };
  await store.chain.take(place, read);
  const [message] = (await store.chain.messages(agent)).filter(({ contract }) => contract === place.contract);
  const id = message?.message as string;
  // Whoever else waits is left waiting.
  await store.home.write("everything", (db) =>
    db.run(sql`update inbox set status = 'taken', turn = 't' where agent = ${agent} and id = ${id}`),
  );
  const { id: sent } = await answerMessage(store.inbox, { agent, message: id, reply, turn: "t" });
  const raw = `0x${Buffer.from(reply).toString("hex")}`;
  await store.chain.replies.sign(place, {
    ...{ reply: sent, runner, onChain: post.onChain, raw, tx: `0x${"9".repeat(64)}`, nonce: 1, fee: "21000" },
  });
  const eth = { asset: "ETH", amount: "5", decimals: 18, symbol: "ETH", block: 10 };
  await store.chain.balances.set(agent, place.chain, eth);
  return id;
}
