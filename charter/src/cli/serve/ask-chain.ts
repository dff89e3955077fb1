import type { KnownChain } from "../../channels/chain/chain-status.ts";
import { checkNode } from "../../channels/chain/chain-view.ts";
import { createRpcClient, RpcError } from "../../channels/chain/rpc-client.ts";
import { Problem } from "../../prompt/problem.ts";

/** Whoever runs a command waits for the answer. */
const timeoutMs = 3000;

/** Asks each address of a chain whether it is of this chain and has the contract: a sentence for each that is not so. */
export async function askChain(chain: Pick<KnownChain, "rpc" | "id" | "contract">): Promise<string[]> {
  const { nodes } = createRpcClient({
    addresses: chain.rpc,
    clock: () => new Date(),
    random: Math.random,
    timeoutMs,
  });
  const told = await Promise.all(
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
  return told.filter((one) => one !== undefined);
}
