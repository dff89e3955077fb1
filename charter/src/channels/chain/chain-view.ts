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
import { createRpcClient, RpcError, type RpcNode } from "./rpc-client.ts";

/** The chain as one node sees it: its newest block, and the last one that counts as lasting. */
export type ChainView = { readonly node: RpcNode; readonly head: number; readonly confirmed: number };

/** Reads something from one node. A nonsensical answer makes the node rest for a while. */
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

/** Makes the error of a nonsensical answer: the node is not asked for a while. */
export function garbage(node: RpcNode, what: string): RpcError {
  const error = new RpcError("garbage", node.host, what);
  node.rest(error.message);
  return error;
}

/** Reads a node's view of the chain. */
export function viewFrom(
  node: RpcNode,
  { confirmations }: Pick<ChainSettings, "confirmations">,
  signal?: AbortSignal,
): Promise<ChainView> {
  const readView = async (ask: AskNode) => {
    const { number: head } = await readHead(ask);
    return { node, head, confirmed: await readConfirmed(ask, head, confirmations) };
  };
  return readFrom(node, readView, signal);
}

/**
 * Orders nodes by progress: first those at the newest block, or one behind, in the given order; then the others, the furthest
 * first. So a node that lags behind is not asked while another is further.
 */
export function inOrder(views: readonly ChainView[]): ChainView[] {
  const best = Math.max(...views.map(({ head }) => head));
  const fresh = views.filter(({ head }) => head >= best - 1);
  const late = views.filter(({ head }) => head < best - 1);
  return [...fresh, ...late.sort((one, other) => other.head - one.head)];
}

/** Checks that a node is of the chain in the settings, and has the contract; throws a Problem, if not. */
export async function checkNode(
  node: RpcNode,
  { id, contract }: Pick<ChainSettings, "id" | "contract">,
  signal?: AbortSignal,
): Promise<void> {
  const chainId = await readFrom(node, async (ask) => readCount("its chain", await ask("eth_chainId", [])), signal);
  if (chainId !== id)
    throw new Problem(
      "wrong-chain",
      `${node.host} is an address of chain ${chainId}; the settings say ${id}.`,
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

/** Selector of `price(address)`, which every inbox has. */
const priceSelector = "0xaea91078";

/** Returns true if a contract answers with the price of a message. */
async function tellsPrice(node: RpcNode, contract: string, signal?: AbortSignal): Promise<boolean> {
  const data = priceSelector + contract.slice(2).toLowerCase().padStart(64, "0");
  try {
    const answer = await node.request("eth_call", [{ to: contract, data }, "latest"], signal);
    return typeof answer === "string" && answer.length === 66;
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal && isRevert(refusal)) return false;
    throw error;
  }
}

/** Returns an error's message if it may be shown: ours, or a node's without its secrets. */
export function wordsOf(error: unknown): string {
  const isOurs = error instanceof RpcError || error instanceof NonsenseAnswer || error instanceof Problem;
  return isOurs ? error.message : "It failed in a way that is not known.";
}

/** Maximum time for an answer, in milliseconds: short, because a person is waiting. */
const answerTimeoutMs = 3000;

/** Asks each address of a blockchain for its chain id and the contract; returns a sentence for each that is wrong. */
export async function askChain(chain: Pick<ChainSettings, "rpc" | "id" | "contract">): Promise<string[]> {
  const { nodes } = createRpcClient({
    addresses: chain.rpc,
    clock: () => new Date(),
    random: Math.random,
    timeoutMs: answerTimeoutMs,
  });
  const answers = await Promise.all(
    nodes.map(async (node) => {
      try {
        await checkNode(node, chain);
        return undefined;
      } catch (error) {
        if (error instanceof RpcError || error instanceof Problem) return error.message;
        throw error;
      }
    }),
  );
  return answers.filter((one) => one !== undefined);
}
