import { secp256k1 } from "@noble/curves/secp256k1.js";
import {
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  serializeTransaction,
  toHex,
} from "viem";
import { privateKeyToAddress } from "viem/accounts";

/** Who posts, with a key of their own: what they post themselves is signed. */
const keys = new Map<string, Hex>();

/** The address of one who can sign, the same for the same word. */
export function newSender(word: string): Hex {
  const key = keccak256(toHex(word));
  const address = privateKeyToAddress(key).toLowerCase() as Hex;
  keys.set(address, key);
  return address;
}

/** Calls of this contract post for others. */
const relay = `0x${"4e".repeat(20)}` as const;
const relayer = newSender("relayer");
const abi = parseAbi(["function post(address agent, bytes body) payable returns (bytes32 id)"]);

export type SignedCall = {
  readonly from: Hex;
  readonly to: Hex;
  readonly data: Hex;
  readonly value: bigint;
  readonly chainId: number;
};
/** A transaction as a node tells of it. */
export type NodeTransaction = Readonly<Record<string, unknown>> & { readonly hash: Hex };

let nonces = 0;
export function signed({ from, to, data, value, chainId }: SignedCall): NodeTransaction {
  const fees = { gas: 400_000n, maxFeePerGas: 100n, maxPriorityFeePerGas: 1n };
  const nonce = nonces++;
  const fields = { type: "eip1559", chainId, nonce, to, data, value, ...fees } as const;
  const digest = keccak256(serializeTransaction(fields), "bytes");
  const key = Buffer.from((keys.get(from) as Hex).slice(2), "hex");
  const [yParity = 0, ...rest] = secp256k1.sign(digest, key, { prehash: false, format: "recovered" });
  const [r, s] = [rest.slice(0, 32), rest.slice(32)].map((bytes) => toHex(Uint8Array.from(bytes))) as [Hex, Hex];
  const hash = keccak256(serializeTransaction(fields, { r, s, yParity }));
  const amounts = Object.fromEntries(Object.entries({ ...fees, value }).map(([name, one]) => [name, toHex(one)]));
  const [number, parity] = [toHex(nonce), toHex(yParity)];
  return {
    ...{ hash, type: "0x2", chainId: toHex(chainId), nonce: number, from, to, input: data, accessList: [], ...amounts },
    ...{ r: toHex(BigInt(r)), s: toHex(BigInt(s)), v: parity, yParity: parity },
  };
}

type DirectPost = { readonly sender: Hex; readonly agent: Hex; readonly body: Hex; readonly value: bigint };
type PostPlace = { readonly contract: Hex; readonly chainId: number };

/** Somebody posts themselves; through another contract, where they have no key. */
export function postTx({ contract, chainId }: PostPlace, { sender, agent, body, value }: DirectPost): NodeTransaction {
  if (!keys.has(sender)) return relayedTx(chainId);
  const data = encodeFunctionData({ abi, functionName: "post", args: [agent, body] });
  return signed({ from: sender, to: contract, data, value, chainId });
}

/** A call of another contract, whatever that does. */
export function relayedTx(chainId: number): NodeTransaction {
  return signed({ from: relayer, to: relay, data: "0x01", value: 0n, chainId });
}

/** What the contract calls a post, by how many its sender has posted before. */
export function postIdOf(
  { contract, chainId }: PostPlace,
  { sender, agent, body, count }: Omit<DirectPost, "value"> & { readonly count: number },
): Hex {
  const types = ["uint256", "address", "address", "address", "uint256", "bytes32"].map((type) => ({ type }));
  return keccak256(
    encodeAbiParameters(types, [BigInt(chainId), contract, agent, sender, BigInt(count), keccak256(body)]),
  );
}
