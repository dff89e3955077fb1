import { encodeFunctionData, type Hex, keccak256, parseAbi } from "viem";
import { type HDAccount, mnemonicToAccount } from "viem/accounts";
import { mnemonic } from "../../../chain/accounts.ts";
import type { LocalInbox } from "../../../chain/local-inbox.ts";
import { chainId } from "../../../chain/node.ts";

const abi = parseAbi(["function post(address agent, bytes body) payable returns (bytes32 id)"]);

/** A signed transaction: the same one may stand in a block, be gone with it, and stand in another. */
export type SignedPost = {
  readonly raw: Hex;
  readonly tx: Hex;
  readonly sender: Hex;
  readonly nonce: number;
  readonly body: string | Uint8Array;
};

export type SignedPosts = {
  /** Signs and sends what an account posts; the number of the account is from 2 to 29. */
  readonly post: (account: number, body: string | Uint8Array, value?: bigint) => Promise<SignedPost>;
  /** The same transaction once more. A chain that has it, or another in its place, does not take it. */
  readonly again: (post: SignedPost) => Promise<boolean>;
};

export function createSignedPosts({ chain, contract, agent }: LocalInbox): SignedPosts {
  const accounts = new Map<number, HDAccount>();
  const accountOf = (index: number) => {
    const known = accounts.get(index) ?? mnemonicToAccount(mnemonic, { addressIndex: index });
    accounts.set(index, known);
    return known;
  };
  const send = (raw: Hex) => chain.request<Hex>("eth_sendRawTransaction", raw);
  return {
    post: async (index, body, value = 0n) => {
      const account = accountOf(index);
      const nonce = Number(await chain.request<Hex>("eth_getTransactionCount", account.address, "pending"));
      const data = encodeFunctionData({
        abi,
        functionName: "post",
        args: [agent, `0x${Buffer.from(body).toString("hex")}`],
      });
      const raw = await account.signTransaction({
        ...{ chainId, nonce, to: contract, data, value, gas: 400_000n },
        ...{ maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
      });
      await send(raw);
      return { raw, tx: keccak256(raw), sender: account.address.toLowerCase() as Hex, nonce, body };
    },
    again: async ({ raw }) => {
      try {
        await send(raw);
        return true;
      } catch {
        return false;
      }
    },
  };
}
