import { loadPackage } from "../../packages/load-package.ts";
import { createBoundedMap } from "../../prompt/bounds.ts";
import type { ChainPost } from "../../store/chain/chain-message.ts";
import type { ChainSettings } from "./chain-settings.ts";
import { isHash, isHex, readCount, readHex, readObject, readQuantity } from "./node-answer.ts";
import { postBody } from "./post-body.ts";
import { viemPurpose } from "./posted-log.ts";

type Hex = `0x${string}`;

/**
 * What a transaction says of the posts that an address tells of: which of them its sender has signed, if any, or that
 * what is told of it is not what was signed.
 */
type PostProof = { readonly signed: ChainPost | undefined } | { readonly fault: string };

/** Holds posts against the transaction they came by, as an address tells it. */
export type PostProofs = (posts: readonly ChainPost[], told: unknown) => Promise<PostProof>;

const abi = [
  {
    type: "function",
    name: "post",
    inputs: [
      { name: "agent", type: "address" },
      { name: "body", type: "bytes" },
    ],
    outputs: [{ name: "id", type: "bytes32" }],
    stateMutability: "payable",
  },
] as const;

/** So far it is looked, from the last one of a sender, for the one that has an id. */
const mostPosts = 1000;

/**
 * A post that somebody sends to the contract themselves is a transaction with their signature: words, money, agent and
 * contract are in it. So no address can put other words into their mouth. What comes through another contract is signed by
 * whoever called that one, and proves nothing.
 */
export async function loadPostProofs({ id, contract, address }: ChainSettings): Promise<PostProofs> {
  const viem = await loadPackage("viem", viemPurpose);
  const { decodeFunctionData, keccak256, recoverTransactionAddress, serializeTransaction } = viem;
  const counts = createBoundedMap<string, number>(1000);
  const word = (value: bigint | string) =>
    (typeof value === "string" ? value.slice(2).toLowerCase() : value.toString(16)).padStart(64, "0");

  /** The contract makes an id of the words, who wrote them and how many they had posted before. */
  const isItsId = (onChain: string, sender: string, body: Hex): boolean => {
    const before = [BigInt(id), contract, address, sender].map(word).join("");
    const words = word(keccak256(body));
    const last = counts.get(sender) ?? 0;
    // It is near the last one of theirs that was looked at.
    for (let step = 0; step < mostPosts; step++)
      for (const count of step === 0 ? [last] : [last + step, last - step]) {
        if (count < 0 || keccak256(`0x${before}${word(BigInt(count))}${words}`) !== onChain) continue;
        counts.set(sender, count);
        return true;
      }
    return false;
  };

  /** The words of a call that posts to the agent; nothing, where it is another call, or is written oddly. */
  const wordsOf = (data: Hex): Hex | undefined => {
    try {
      const [agent, body] = decodeFunctionData({ abi, data }).args;
      return agent.toLowerCase() === address.toLowerCase() ? body : undefined;
    } catch {
      return undefined;
    }
  };

  /** The transaction as it was signed; nothing, where it is of a kind that is not known. */
  const rebuilt = (told: unknown): SignedCall | undefined => {
    const transaction = readObject("a transaction", told);
    const fields = fieldsOf(transaction);
    const signature = fields && signatureOf(transaction);
    if (!fields || !signature) return undefined;
    const raw = serializeTransaction(fields as never, signature as never) as Hex;
    return { ...fields, raw, chain: chainOf(fields, signature) };
  };

  return async (posts, told) => {
    const fault = { fault: `what it tells of block ${posts[0]?.block} is not what was signed.` };
    try {
      const call = rebuilt(told);
      if (!call) return unproven;
      if (keccak256(call.raw) !== posts[0]?.tx) return fault;
      const isDirect = call.to?.toLowerCase() === contract.toLowerCase() && call.chain === BigInt(id);
      const body = isDirect ? wordsOf(call.data) : undefined;
      if (body === undefined) return unproven;
      const sender = (await recoverTransactionAddress({ serializedTransaction: call.raw as never })).toLowerCase();
      const [value, words] = [call.value.toString(), postBody(body).body];
      const signed = posts.find((one) => one.sender === sender && one.value === value && one.body === words);
      if (!signed) return fault;
      return isItsId(signed.onChain, sender, body) ? { signed } : unproven;
    } catch {
      return fault;
    }
  };
}

const unproven: PostProof = { signed: undefined };

type Told = Readonly<Record<string, unknown>>;
type Signature = { readonly r: Hex; readonly s: Hex; readonly v: bigint; readonly yParity: number };
type SignedCall = Fields & { readonly raw: Hex; readonly chain: bigint };
type Fields = {
  readonly type: string;
  readonly to: Hex | undefined;
  readonly value: bigint;
  readonly data: Hex;
  readonly chainId?: number;
};

/** Everything that was signed; nothing, where it is a kind of transaction that is not known, or that nobody signs. */
function fieldsOf(told: Told): Fields | undefined {
  const amount = (name: string) => readQuantity(name, told[name]);
  const usual = {
    nonce: readCount("a nonce", told.nonce),
    gas: amount("gas"),
    to: isHex(told.to) ? told.to : undefined,
    value: amount("value"),
    data: readHex("the data of a transaction", told.input ?? told.data),
  };
  const typed = () => ({ ...usual, chainId: readCount("a chain", told.chainId), accessList: told.accessList ?? [] });
  const fees = () => ({ maxFeePerGas: amount("maxFeePerGas"), maxPriorityFeePerGas: amount("maxPriorityFeePerGas") });
  switch (Number(told.type ?? "0x0")) {
    case 0:
      return { ...usual, type: "legacy", gasPrice: amount("gasPrice") } as Fields;
    case 1:
      return { ...typed(), type: "eip2930", gasPrice: amount("gasPrice") } as Fields;
    case 2:
      return { ...typed(), type: "eip1559", ...fees() } as Fields;
    case 3:
      return {
        ...{ ...typed(), type: "eip4844", ...fees(), maxFeePerBlobGas: amount("maxFeePerBlobGas") },
        blobVersionedHashes: listOf(told.blobVersionedHashes).filter(isHash),
      } as Fields;
    case 4:
      return {
        ...{ ...typed(), type: "eip7702", ...fees() },
        authorizationList: listOf(told.authorizationList).map(authorizationOf),
      } as Fields;
    default:
      return undefined;
  }
}

function listOf(told: unknown): readonly unknown[] {
  return Array.isArray(told) ? told : [];
}

function authorizationOf(told: unknown): object {
  const one = readObject("an authorization", told);
  return {
    ...{ address: one.address, chainId: readCount("a chain", one.chainId), nonce: readCount("a nonce", one.nonce) },
    ...signatureOf(one),
  };
}

function signatureOf(told: Told): Signature {
  const whole = (name: "r" | "s"): Hex => `0x${readQuantity(name, told[name]).toString(16).padStart(64, "0")}`;
  const v = readQuantity("v", told.v ?? told.yParity);
  const yParity = readCount("a parity", told.yParity ?? told.v);
  return { r: whole("r"), s: whole("s"), v, yParity };
}

/** A transaction of the first kind has its chain in its signature, or none, and then it is good on every chain. */
function chainOf({ type, chainId }: Fields, { v }: Signature): bigint {
  if (type !== "legacy") return BigInt(chainId ?? 0);
  return v >= 35n ? (v - 35n) / 2n : 0n;
}
