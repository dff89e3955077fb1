import { type ChainPost, unprovenSender } from "../../store/chain/chain-message.ts";
import { type ChainView, garbage } from "./chain-view.ts";
import type { PostProofs } from "./post-proof.ts";
import type { PostedLogs } from "./posted-log.ts";
import type { RpcNode } from "./rpc-client.ts";
import { RpcError } from "./rpc-error.ts";

/** What posts are proven with. */
type Proving = {
  readonly contract: string;
  readonly logs: PostedLogs;
  readonly proofs: PostProofs;
  /** Who told of them, and how the others see the chain. */
  readonly node: RpcNode;
  readonly others: readonly ChainView[];
  readonly signal: AbortSignal;
};

/** So many transactions are asked for at once. */
const atOnce = 8;

/**
 * Posts with senders that are known to be theirs: by a signature, or because a second address tells the same. What only one
 * address says has a sender of its own name. An address that tells something else than was signed is not believed at all.
 */
export async function provePosts(proving: Proving, posts: readonly ChainPost[]): Promise<readonly ChainPost[]> {
  const { node, proofs, signal } = proving;
  const unproven = new Set<ChainPost>();
  const transactions = [...Map.groupBy(posts, ({ tx }) => tx)];
  const proveNext = async (): Promise<void> => {
    for (let next = transactions.shift(); next; next = transactions.shift()) {
      const [tx, own] = next;
      const told = await node.request("eth_getTransactionByHash", [tx], signal);
      const proof = await proofs(own, told);
      if ("fault" in proof) throw garbage(node, proof.fault);
      for (const post of own) if (post !== proof.signed) unproven.add(post);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, proveNext));
  if (unproven.size === 0) return posts;
  const agreed = await agreedPosts(proving, [...unproven]);
  return posts.map((post) =>
    unproven.has(post) && !agreed.has(post) ? { ...post, sender: unprovenSender(post.sender) } : post,
  );
}

/** Those of which another address tells the same. Where it tells something else, nobody knows who lies. */
async function agreedPosts(proving: Proving, posts: readonly ChainPost[]): Promise<Set<ChainPost>> {
  const agreed = new Set<ChainPost>();
  for (const [blockHash, some] of Map.groupBy(posts, (one) => one.blockHash))
    for (const { node, head } of proving.others) {
      const block = some[0]?.block ?? 0;
      const told = head < block ? undefined : await postsIn(proving, node, { block, blockHash });
      if (!told) continue;
      const known = new Set(told.map((one) => JSON.stringify(one)));
      if (!some.every((one) => known.has(JSON.stringify(one))))
        throw new RpcError("away", proving.node.host, `${node.host} tells something else of block ${block}.`);
      for (const one of some) agreed.add(one);
      break;
    }
  return agreed;
}

type AskedBlock = { readonly block: number; readonly blockHash: string };

/** What another address tells of a block; nothing, where it cannot. */
async function postsIn(
  { contract, logs, signal }: Proving,
  node: RpcNode,
  { block, blockHash }: AskedBlock,
): Promise<readonly ChainPost[] | undefined> {
  try {
    const told = await node.request("eth_getLogs", [{ address: contract, topics: logs.topics, blockHash }], signal);
    const posts = logs.read(told as readonly unknown[], { from: block, to: block });
    return "fault" in posts ? undefined : posts;
  } catch (error) {
    if (error instanceof RpcError && !signal.aborted) return undefined;
    throw error;
  }
}
