import type { KnownChain } from "../../channels/chain/chain-status.ts";
import { checkNode } from "../../channels/chain/chain-view.ts";
import { createRpcClient, RpcError } from "../../channels/chain/rpc-client.ts";
import { Problem } from "../../prompt/problem.ts";

/** Maximum time for an answer, in milliseconds: short, because a person is waiting. */
const answerTimeoutMs = 3000;

/** Asks each address of a blockchain for its chain id and the contract; returns a sentence for each that is wrong. */
export async function askChain(chain: Pick<KnownChain, "rpc" | "id" | "contract">): Promise<string[]> {
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
