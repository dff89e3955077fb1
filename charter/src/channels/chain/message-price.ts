import { sleep as usualSleep } from "../../agent/limits.ts";
import { etherText } from "../../charters/ether.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Sleep } from "../loop.ts";
import type { ChainSettings } from "./chain-config.ts";
import { checkNode } from "./chain-view.ts";
import { type AskNode, NonsenseAnswer, readHex, refusalOf } from "./node-answer.ts";
import { readAccount, readQuote, readReceipt } from "./reply-step.ts";
import { allResting, createRpcClient, type RpcClient, RpcError } from "./rpc-client.ts";
import {
  chooseFee,
  costOf,
  type GasFee,
  loadReplyCodec,
  type ReplyCodec,
  type ReplySigner,
  readChainKey,
} from "./transaction.ts";

/** The least price of a message to an agent, in wei; with the transaction that has just set it, and its block. */
export type MessagePrice = { readonly price: bigint; readonly tx?: string; readonly block?: number };

type MessagePriceOptions = {
  readonly agent: string;
  readonly settings: ChainSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: () => Date;
  readonly sleep?: Sleep;
  readonly timeoutMs?: number;
  /** The new price; without one, the price is only read. */
  readonly price?: bigint | undefined;
};

/** Reads what the contract demands of writers to an agent, or sets it with the agent's key and waits for the block. */
export async function messagePrice(options: MessagePriceOptions): Promise<MessagePrice> {
  const { agent, settings, env, clock, sleep = usualSleep, timeoutMs = 10_000, price } = options;
  const codec = await loadReplyCodec();
  const signer = price === undefined ? undefined : await readSigner(options, codec);
  const rpc = createRpcClient({ addresses: settings.rpc, clock, random: Math.random, timeoutMs });
  try {
    const ask = await firstSound(rpc, settings);
    if (price === undefined || signer === undefined) return { price: await readPrice(ask, codec, settings) };
    return { price, ...(await setPrice({ agent, settings, env, clock, codec, signer, ask, sleep, price })) };
  } catch (error) {
    if (!(error instanceof RpcError || error instanceof NonsenseAnswer)) throw error;
    throw new Problem(
      "chain-unreachable",
      `The chain of “${agent}” does not answer: ${error.message}`,
      "Does the node run? Check automaton.chain.rpc in charter.config.ts.",
    );
  }
}

async function readSigner({ agent, settings, env }: MessagePriceOptions, codec: ReplyCodec): Promise<ReplySigner> {
  const { address, keyFile } = settings;
  const addressOf = (secret: `0x${string}`) => codec.signer(secret).address;
  const key = await readChainKey({ agent, address, keyFile, env, addressOf });
  if (key !== undefined) return codec.signer(key);
  throw new Problem(
    "key-missing",
    `Only the key of ${address} sets what a message to “${agent}” costs, and none is named.`,
    "Name its file in automaton.chain.keyFile, or set CHARTER_CHAIN_KEY.",
  );
}

/** Returns the first node that is of this chain and has the contract. */
async function firstSound({ nodes }: RpcClient, settings: ChainSettings): Promise<AskNode> {
  for (const node of nodes)
    try {
      await checkNode(node, settings);
      return node.request;
    } catch (error) {
      if (!(error instanceof RpcError || error instanceof NonsenseAnswer)) throw error;
    }
  throw allResting(nodes);
}

async function readPrice(ask: AskNode, codec: ReplyCodec, { contract, address }: ChainSettings): Promise<bigint> {
  const answer = await ask("eth_call", [{ to: contract, data: codec.priceData(address) }, "latest"]);
  return codec.readNumber(readHex("the price", answer));
}

type SetPriceOptions = MessagePriceOptions & {
  readonly price: bigint;
  readonly codec: ReplyCodec;
  readonly signer: ReplySigner;
  readonly ask: AskNode;
  readonly sleep: Sleep;
};

const pollMs = 1000;
const maxWaitMs = 120_000;

/** Sets the price after the key's earlier transactions: replies that wait for a nonce continue after it. */
async function setPrice(options: SetPriceOptions): Promise<{ readonly tx: string; readonly block: number }> {
  const { agent, settings, codec, signer, ask, sleep, clock, price } = options;
  const { id: chain, contract, address } = settings;
  const account = await readAccount(ask, settings);
  const data = codec.setPriceData(price);
  const quote = await readQuote(ask, codec, account.head, { from: address, to: contract, data });
  const nonce = account.pendingNonce;
  const signed = await signer.sign({ chain, contract, data, nonce, fee: feeOf(quote, options) });
  try {
    await ask("eth_sendRawTransaction", [signed.raw]);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    if (!/already|known/i.test(refusal.message)) throw notSet(agent, `the node refuses it: ${refusal.message}`);
  }
  const until = clock().getTime() + maxWaitMs;
  for (;;) {
    // Reads the account first: a transaction that is in no block then, and has lost its nonce, was replaced.
    const { nonce: next } = await readAccount(ask, settings);
    const { receipt } = await readReceipt(ask, signed, [signed]);
    if (receipt?.isSuccess) return { tx: signed.tx, block: receipt.block };
    if (receipt) throw notSet(agent, `the contract refuses it, in block ${receipt.block}.`);
    if (next > nonce) throw notSet(agent, "another transaction of its key took its place. Set it again.");
    if (clock().getTime() >= until)
      throw notSet(agent, `no block has taken ${signed.tx} for two minutes. One still may.`);
    await sleep(pollMs, new AbortController().signal);
  }
}

/** Chooses a fee within the limit of one reply. */
function feeOf(quote: Awaited<ReturnType<typeof readQuote>>, { agent, settings }: SetPriceOptions): GasFee {
  const tooLittle = "its address has too little ETH for the fee.";
  if ("kind" in quote)
    throw notSet(agent, quote.kind === "funds" ? tooLittle : `the contract refuses it: ${quote.name}.`);
  const { maxFeePerReply } = settings;
  const choice = chooseFee(quote, { perReply: maxFeePerReply, perDay: maxFeePerReply, spent: 0n });
  if (choice.kind === "over")
    throw notSet(
      agent,
      `it needs ${etherText(choice.needed)} ETH, which passes maxFeePerReply (${etherText(maxFeePerReply)} ETH).`,
    );
  if (costOf(choice.fee) > quote.balance) throw notSet(agent, tooLittle);
  return choice.fee;
}

function notSet(agent: string, because: string): Problem {
  return new Problem(
    "price-not-set",
    `What a message to “${agent}” costs was not set: ${because}`,
    `See what it costs now: charter automaton price ${agent}.`,
  );
}
