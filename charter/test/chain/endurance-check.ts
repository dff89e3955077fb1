import type { LocalInbox, Replied } from "../../../chain/local-inbox.ts";
import type { ChainMessage } from "../../src/store/chain/chain-message.ts";
import type { InboxMessage, Store } from "../../src/store/index.ts";
import type { SignedPost } from "./signed-posts.ts";

/** What became of every post. */
export type ChainMessageCounts = {
  readonly onChain: number;
  readonly answered: number;
  /** Answered, and then their block was gone for good. */
  readonly orphaned: number;
  readonly withdrawn: number;
  /** Their block was gone before it was read. */
  readonly unread: number;
  readonly dead: number;
};

type Checked = {
  readonly agent: string;
  readonly inbox: LocalInbox;
  readonly posts: readonly SignedPost[];
};

/** Of every post: does it have one reply on the chain, its own; is it dead with all reasons; or gone with its block? */
export async function findChainFaults(store: Store, { agent, inbox, posts }: Checked) {
  const onChain = new Map((await inbox.posted()).map((post) => [post.tx, post]));
  const replies = Map.groupBy(await inbox.replies(), ({ id }) => id);
  const found = new Map((await messagesOf(store, agent)).map((one) => [one.chain.tx, one]));
  const faults: string[] = [];
  const counts = { onChain: onChain.size, answered: 0, orphaned: 0, withdrawn: 0, unread: 0, dead: 0 };
  for (const { tx, body } of posts) {
    const there = onChain.get(tx);
    const known = found.get(tx);
    const fate = fateOf({ included: there !== undefined, body }, known, there ? (replies.get(there.id) ?? []) : []);
    if (fate in counts) counts[fate as keyof typeof counts] += 1;
    else faults.push(`the post ${tx} ${fate}`);
  }
  const known = new Set([...onChain.values()].map(({ id }) => id));
  for (const [id, all] of replies) {
    if (!known.has(id)) faults.push(`a reply to ${id}, which was not posted`);
    if (all.length > 1) faults.push(`${all.length} replies to ${id}`);
  }
  if (found.size !== (await messagesOf(store, agent)).length) faults.push("a transaction became two messages");
  const kept = await inbox.kept();
  if (kept !== 0n) faults.push(`the contract kept ${kept} wei`);
  return { ...counts, faults };
}

type Known = { readonly message: InboxMessage; readonly chain: ChainMessage };

/** What it came to, or what is wrong with it. */
export function fateOf(
  post: { readonly included: boolean; readonly body: string | Uint8Array },
  known: Pick<Known, "message" | "chain"> | undefined,
  replies: readonly Pick<Replied, "body">[],
): string {
  if (!known) return post.included ? "is on the chain and no message" : "unread";
  const { message, chain } = known;
  const reasons = message.failures.filter(({ because }) => because !== "").length;
  if (post.included !== (chain.state === "included")) return `is ${chain.state} here, and not there`;
  if (replies.some(({ body }) => body !== `Reply to ${message.id}.`)) return `got “${replies[0]?.body}”`;
  if (message.status === "dead") {
    // A busy model has its reason and costs a try only if it answers when asked again; what is no words is never tried.
    const { tries } = message;
    const all = typeof post.body === "string" ? tries === 3 && reasons >= tries : tries === 0 && reasons === 1;
    return all && replies.length === 0 ? "dead" : `is dead after ${tries} tries with ${reasons} reasons`;
  }
  if (message.status === "withdrawn") return post.included ? "is withdrawn, and on the chain" : "withdrawn";
  if (message.status !== "answered") return `is ${message.status} for ever`;
  if (!post.included) return "orphaned";
  return replies.length === 1 ? "answered" : `has ${replies.length} replies on the chain`;
}

async function messagesOf(store: Store, agent: string): Promise<Known[]> {
  const rows: Known[] = [];
  for (const limit = 200; ; ) {
    const page = await store.chain.messages(agent, { limit, offset: rows.length });
    for (const chain of page) rows.push({ chain, message: await store.inbox.get(agent, chain.message) });
    if (page.length < limit) return rows;
  }
}
