import { Problem } from "../../prompt/problem.ts";
import type { ChainSettings } from "./chain-config.ts";
import {
  type AskNode,
  isRevert,
  NonsenseAnswer,
  readConfirmed,
  readCount,
  readHead,
  refusalOf,
} from "./node-answer.ts";
import { RpcError, type RpcNode } from "./rpc-client.ts";

/** The chain as one address sees it: its newest block, and the last that does not go. */
export type ChainView = { readonly node: RpcNode; readonly head: number; readonly confirmed: number };

/** Reads something from one address. What makes no sense is held against it. */
export async function readFrom<Answer>(
  node: RpcNode,
  read: (ask: AskNode) => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  try {
    return await read((method, params) => node.request(method, params, signal));
  } catch (error) {
    throw error instanceof NonsenseAnswer ? garbage(node, error.message) : error;
  }
}

/** What an address said makes no sense: it is left alone for a while. */
export function garbage(node: RpcNode, what: string): RpcError {
  const error = new RpcError("garbage", node.host, what);
  node.rest(error.message);
  return error;
}

/** How an address sees the chain. */
export function viewFrom(
  node: RpcNode,
  { confirmations }: Pick<ChainSettings, "confirmations">,
  signal?: AbortSignal,
): Promise<ChainView> {
  const look = async (ask: AskNode) => {
    const { number: head } = await readHead(ask);
    return { node, head, confirmed: await readConfirmed(ask, head, confirmations) };
  };
  return readFrom(node, look, signal);
}

/**
 * Whom to ask first: of those that are as far as any, or a block behind, the first in the order they were given; then the
 * others, the furthest first. Whoever lags behind is not asked while another is further.
 */
export function inOrder(views: readonly ChainView[]): ChainView[] {
  const best = Math.max(...views.map(({ head }) => head));
  const fresh = views.filter(({ head }) => head >= best - 1);
  const late = views.filter(({ head }) => head < best - 1);
  return [...fresh, ...late.sort((one, other) => other.head - one.head)];
}

/** Whether an address is of the chain that the settings name, and has the contract: a Problem, if it is not so. */
export async function checkNode(
  node: RpcNode,
  { id, contract }: Pick<ChainSettings, "id" | "contract">,
  signal?: AbortSignal,
): Promise<void> {
  const told = await readFrom(node, async (ask) => readCount("its chain", await ask("eth_chainId", [])), signal);
  if (told !== id)
    throw new Problem(
      "wrong-chain",
      `${node.host} is an address of chain ${told}; the settings say ${id}.`,
      "Give addresses of one chain as “rpc”, and its number as “id”.",
    );
  const code = await node.request("eth_getCode", [contract, "latest"], signal);
  if (code === "0x")
    throw new Problem(
      "no-contract",
      `There is no contract at ${contract} on chain ${id}, says ${node.host}.`,
      "Give the address that the inbox contract has on this chain as “contract”.",
    );
  if (!(await tellsPrice(node, contract, signal)))
    throw new Problem(
      "no-contract",
      `The contract at ${contract} on chain ${id} is no inbox: ${node.host} gets no price from it.`,
      "Give the address that the inbox contract has on this chain as “contract”.",
    );
}

/** `price(address)`, which every inbox has. */
const priceSelector = "0xaea91078";

/** Whether a contract says what a message costs. */
async function tellsPrice(node: RpcNode, contract: string, signal?: AbortSignal): Promise<boolean> {
  const data = priceSelector + contract.slice(2).toLowerCase().padStart(64, "0");
  try {
    const told = await node.request("eth_call", [{ to: contract, data }, "latest"], signal);
    return typeof told === "string" && told.length === 66;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal && isRevert(refusal)) return false;
    throw error;
  }
}

/** What of an error may be told: words of ours, and of nodes as they may be repeated. */
export function wordsOf(error: unknown): string {
  const isOurs = error instanceof RpcError || error instanceof NonsenseAnswer || error instanceof Problem;
  return isOurs ? error.message : "It failed in a way that is not known.";
}
