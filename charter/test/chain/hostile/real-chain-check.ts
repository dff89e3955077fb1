import { isUtf8 } from "node:buffer";
import { encodeEventTopics, type Hex, parseAbi } from "viem";
import type { LocalInbox, Posted } from "../../../../chain/local-inbox.ts";
import { allOf } from "./all-pages.ts";
import { paidReply } from "./attackers.ts";
import { wordIn } from "./hostile-posts.ts";
import { agent, type HostileLife } from "./real-chain-life.ts";
import type { Thrown } from "./real-chain-posts.ts";

/** What became of everything that was thrown, counted; and whatever should not be so. */
export async function checkFates(
  inbox: LocalInbox,
  { store, rows, posted, wire }: HostileLife,
  thrown: readonly Thrown[],
) {
  const faults = [...wire.faults];
  const known = Map.groupBy(await rows(), ({ state }) => state);
  const included = Map.groupBy(known.get("included") ?? [], ({ onChain }) => onChain);
  const replies = Map.groupBy(await inbox.replies(), ({ id }) => id);
  const noted = Map.groupBy(await allOf((page) => store.inbox.listReplies(agent, page)), ({ message }) => message);
  const places = new Map<string, number>();
  const taken = await posted();
  let [answered, dead, own, byCode] = [0, 0, 0, 0];
  for (const post of taken) {
    const at = places.get(post.tx) ?? 0;
    places.set(post.tx, at + 1);
    const [row, ...others] = included.get(post.id) ?? [];
    included.delete(post.id);
    const onChain = (replies.get(post.id) ?? []).map(({ body }) => body);
    replies.delete(post.id);
    const expected = fateOf(post, inbox.agent);
    const found = row && (await store.inbox.get(agent, row.message));
    const inStore = (noted.get(row?.message ?? "") ?? []).map(({ to, body }) => `${to} ${body}`);
    const isPlaced = row?.tx === post.tx && row.place === at && row.value === String(post.value) && others.length === 0;
    const isOwn = found?.sender === post.sender.toLowerCase();
    const isDead = found?.status === "dead" && found.failures.map(({ because }) => because).join() === expected.dead;
    const isAnswered =
      found?.status === "answered" && inStore.join() === `${post.sender.toLowerCase()} ${expected.reply}`;
    if (expected.dead === undefined ? isAnswered : isDead && inStore.length === 0)
      expected.dead === undefined ? answered++ : dead++;
    else faults.push(`${post.tx} ${at} is ${found?.status}, with ${JSON.stringify(inStore)}`);
    if (!isPlaced || !isOwn) faults.push(`${post.tx} ${at} is kept as ${JSON.stringify(row)}`);
    if (isAgent(post.sender, inbox)) own++;
    if (onChain.join() === paidReply) byCode++;
    else if (onChain.join() !== (expected.reply ?? "")) faults.push(`${post.tx} ${at} has ${JSON.stringify(onChain)}`);
  }
  const strangers = [...replies.values()].flat().filter((one) => isAgent(one.agent, inbox));
  faults.push(...strangers.map(({ id }) => `a reply to ${id}, which nobody posted`));
  faults.push(...[...included.keys()].map((id) => `${id} is no post, and was taken for one`));
  for (const [message, some] of noted) if (some.length > 1) faults.push(`${message} has ${some.length} replies`);
  const reverted = await findReverted(inbox, thrown);
  const messages = new Set((known.get("included") ?? []).map(({ tx }) => tx));
  faults.push(...reverted.filter((tx) => messages.has(tx)).map((tx) => `${tx} was reverted, and is a message`));
  const orphaned = known.get("orphaned")?.length ?? 0;
  // A transaction that said something else in another block: what it says here is a message of its own.
  const changed = (known.get("included") ?? []).filter(({ message }) => message.split(":").length > 5).length;
  const counts = { taken: taken.length, answered, dead, own, byCode, changed, orphaned, reverted: reverted.length };
  return { ...counts, priced: await countPriced(inbox), faults };
}

/** By what the contract says was posted, and nothing else. */
function fateOf({ sender, body }: Posted, own: Hex): { readonly reply?: string; readonly dead?: string } {
  if (sender.toLowerCase() === own.toLowerCase()) return { dead: "It came from the agent's own address." };
  if (!isUtf8(body)) return { dead: "It is no UTF-8." };
  if (body.includes(0)) return { dead: "It has a NUL character, which cannot be kept." };
  return { reply: `Re: ${wordIn(Buffer.from(body).toString())}` };
}

function isAgent(address: Hex, { agent: own }: LocalInbox): boolean {
  return address.toLowerCase() === own.toLowerCase();
}

async function findReverted({ chain }: LocalInbox, thrown: readonly Thrown[]): Promise<Hex[]> {
  const receipts = await Promise.all(
    thrown.map(({ tx }) =>
      chain.request<{ status: Hex; transactionHash: Hex } | null>("eth_getTransactionReceipt", tx),
    ),
  );
  return receipts.flatMap((one) => (one?.status === "0x0" ? [one.transactionHash] : []));
}

async function countPriced({ chain, contract }: LocalInbox): Promise<number> {
  const topics = encodeEventTopics({ abi: parseAbi(["event Priced(address indexed agent, uint256 price)"]) });
  const range = { fromBlock: "0x0", toBlock: "latest" };
  return (await chain.request<unknown[]>("eth_getLogs", { address: contract, topics, ...range })).length;
}

type Transaction = { readonly hash: Hex; readonly from: Hex; readonly value: Hex; readonly input: Hex };
type Receipt = { readonly gasUsed: Hex; readonly effectiveGasPrice: Hex; readonly status: Hex };

/** What each transaction of an address has cost, by the chain as it is now, and what it paid: those with this selector, or all. */
export async function costsOf({ chain }: LocalInbox, from: Hex, selector: Hex = "0x") {
  const costs: { readonly fee: bigint; readonly value: bigint }[] = [];
  for (let block = await chain.block(); block >= 0; block--) {
    const { transactions } = await chain.request<{ transactions: readonly Transaction[] }>(
      "eth_getBlockByNumber",
      `0x${block.toString(16)}`,
      true,
    );
    for (const one of transactions) {
      if (one.from.toLowerCase() !== from.toLowerCase() || !one.input.startsWith(selector)) continue;
      const { gasUsed, effectiveGasPrice, status } = await chain.request<Receipt>(
        "eth_getTransactionReceipt",
        one.hash,
      );
      const value = status === "0x1" ? BigInt(one.value) : 0n;
      costs.push({ fee: BigInt(gasUsed) * BigInt(effectiveGasPrice), value });
    }
  }
  return costs;
}
