import { setTimeout as wait } from "node:timers/promises";
import { encodeFunctionData, type Hex, parseAbi, toHex } from "viem";
import type { LocalInbox } from "../../../../chain/local-inbox.ts";
import { chainId } from "../../../../chain/node.ts";
import { createRandom, pickBy } from "../../properties/hostile-words.ts";
import { postIdOf } from "../scripted-tx.ts";
import { createAttackers } from "./attackers.ts";
import { type HostilePost, hostilePost, plainPost, type Sender, sendersOf } from "./hostile-posts.ts";

/** A transaction as it was sent: sent again after its block went, it is the same one. */
export type Thrown = { readonly tx: Hex; readonly call: Readonly<Record<string, unknown>> };

/** What is thrown at the contract in one go; `refused`: what no node takes. */
export type Volley = { readonly thrown: readonly Thrown[]; readonly posts: number; readonly refused: number };

type Call = {
  readonly from: Hex;
  readonly to?: Hex;
  readonly data: Hex;
  readonly value?: bigint;
  readonly gas?: bigint;
  /** In wei: who offers more stands before the others. */
  readonly tip?: bigint;
};

const abi = parseAbi([
  "function post(address agent, bytes body) payable returns (bytes32 id)",
  "function setPrice(uint256 wei_)",
]);
const rich = 2n ** 255n + 2n ** 128n;
/** What the contract's own address has, for its fees. */
export const contractMoney = 10n ** 18n;
const usualGas = 600_000n;
const prices = [0n, 0n, 1000n] as const;

/** Everybody who is after an agent: accounts that need no key here, contracts, and the agent's own address. */
export async function createThrower(inbox: LocalInbox, bytecode: Hex) {
  const { chain, contract, agent } = inbox;
  const random = createRandom(17);
  const pick = pickBy(random);
  const senders = sendersOf(inbox);
  const attackers = createAttackers(bytecode, inbox);
  let owners = senders.length;
  let fresh = 0;
  const enter = async (address: Hex, money = rich) => {
    await chain.request("hardhat_impersonateAccount", address);
    await chain.request("hardhat_setBalance", address, hex(money));
  };
  for (const { address } of senders) {
    if (address === contract.toLowerCase()) await enter(address, contractMoney);
    else if (address !== agent.toLowerCase()) await enter(address);
  }

  const send = async (call: Thrown["call"]): Promise<Thrown | undefined> => {
    try {
      return { tx: await chain.request<Hex>("eth_sendTransaction", call), call };
    } catch {
      return undefined;
    }
  };
  const throwOne = async ({ from, to, data, value = 0n, gas = usualGas, tip = 10n ** 9n }: Call) => {
    const nonce = await chain.request<Hex>("eth_getTransactionCount", from, "pending");
    const fees = { maxFeePerGas: hex(10n ** 11n), maxPriorityFeePerGas: hex(tip) };
    return send({ from, ...(to && { to }), data, value: hex(value), gas: hex(gas), nonce, ...fees });
  };
  const postData = (bytes: Uint8Array, to = agent) =>
    encodeFunctionData({ abi, functionName: "post", args: [to, `0x${Buffer.from(bytes).toString("hex")}`] });

  /** Too little, by one too little or not at all, what is usual, and far too much. */
  const gasOf = async (call: Call): Promise<bigint> => {
    const fixed = pick([30_000n, undefined, undefined, usualGas, 8_000_000n]);
    const { from, to, data, value = 0n } = call;
    // This chain's node dies of being asked about more money than there can be.
    if (fixed !== undefined || value > rich) return fixed ?? usualGas;
    try {
      const needed = BigInt(await chain.request<Hex>("eth_estimateGas", { from, to, data, value: hex(value) }));
      return needed - pick([0n, 0n, 1n]);
    } catch {
      return usualGas;
    }
  };
  const direct = async ({ sender, bytes, value }: HostilePost): Promise<Call> => {
    const call = { from: sender, to: contract, data: postData(bytes), value, tip: pick([10n ** 9n, 2n * 10n ** 9n]) };
    return { ...call, gas: await gasOf(call) };
  };

  let place = contract;
  const own: Sender = { address: contract, owner: owners++ };
  const ownKey = senders.find(({ address }) => address === agent.toLowerCase()) as Sender;
  const nextOwner = (): Sender => ({ address: contract, owner: owners++ });
  const someone = () => (senders[7 + Math.floor(random() * 33)] as Sender).address;
  const bytesOf = (count: number, other: string, sender: Sender) => hostilePost(count, other, [sender]).bytes;

  /** A call of a contract, and how many posts are in it. */
  const contractCalls: readonly ((count: number, other: string, each: bigint) => [Call, posts: number])[] = [
    (count, other, each) => {
      const bodies = [0, 1, 2].map((at) => bytesOf(count + at, other, own));
      return [byContract(attackers.many(each, bodies), each * 3n), 3];
    },
    (count, other, each) => {
      const bodies = [0, 1, 2].map((at) => bytesOf(count + at, other, own));
      const gases = bodies.map(() => pick([100n, 30_000n, 60_000n, 400_000n]));
      return [{ ...byContract(attackers.tried(each, gases, bodies), each * 3n), gas: 2_000_000n }, 3];
    },
    (count, other, each) => {
      const [gone, stays] = [bytesOf(count, other, own), bytesOf(count + 1, other, own)];
      return [byContract(attackers.undone(each, gone, stays), each * 2n), 2];
    },
    (count, other, each) => {
      const [first, next] = [bytesOf(count, other, nextOwner()), bytesOf(count + 1, other, nextOwner())];
      return [{ ...byContract(attackers.create(first, next), each * 2n), gas: 2_000_000n }, 2];
    },
    (count, other, each) => {
      const [one, second] = [bytesOf(count, other, own), bytesOf(count + 1, other, own)];
      return [byContract(attackers.either(each, one, second), each), 2];
    },
  ];
  const byContract = (data: Hex, value: bigint): Call => ({ from: someone(), to: place, data, value });

  /** Posts while a payment is received: to an agent that is a contract, or that has its code. */
  const paid = async (count: number, to: Hex): Promise<Call[]> => {
    const sender: Sender = { address: `0xfeed${(++fresh).toString(16).padStart(36, "0")}`, owner: owners++ };
    await enter(sender.address);
    const body = plainPost(count, [sender]).bytes;
    const id = postIdOf({ contract, chainId }, { agent: to, sender: sender.address, count: 0, body: toHex(body) });
    const again = plainPost(count + 1, [own]).bytes;
    return [
      { from: someone(), to, data: attackers.remember(id, again), tip: 9n * 10n ** 9n },
      // Right after it, or another payment sets it off.
      {
        from: sender.address,
        to: contract,
        data: postData(body, to),
        value: 1001n,
        gas: 2_000_000n,
        tip: 8n * 10n ** 9n,
      },
      { from: someone(), to: place, data: attackers.claim(id) },
    ];
  };

  const all = async (calls: readonly Call[], posts: number): Promise<Volley> => {
    const thrown: Thrown[] = [];
    for (const call of calls) thrown.push(...[await throwOne(call)].filter((one) => one !== undefined));
    return { thrown, posts, refused: calls.length - thrown.length };
  };
  return {
    /** Puts the contracts there; they post as they are made. */
    deploy: async (count: number): Promise<Volley> => {
      const bodies = [plainPost(count, [own]).bytes, plainPost(count + 1, [own]).bytes];
      const volley = await all([{ from: someone(), data: attackers.deploy(bodies), value: 2n, gas: 5_000_000n }], 2);
      await chain.mine();
      for (;;) {
        const receipt = await chain.request<{ contractAddress: Hex } | null>(
          "eth_getTransactionReceipt",
          volley.thrown[0]?.tx,
        );
        if (receipt) {
          place = receipt.contractAddress;
          return volley;
        }
        await wait(20);
      }
    },
    plain: async (from: number, count: number): Promise<Volley> => {
      const posts = Array.from({ length: count }, (_, at) => plainPost(from + at, senders));
      const calls = posts.map(({ sender, bytes, value }) => ({
        from: sender,
        to: contract,
        data: postData(bytes),
        value,
      }));
      return all(calls, count);
    },
    /** So many posts or a few more, from this number on. The price changes after the gas was asked for. */
    volley: async (from: number, count: number, other: () => string): Promise<Volley> => {
      const calls: Call[] = [];
      let posts = 0;
      while (posts < count) {
        const at = from + posts;
        if (random() < 0.7) {
          calls.push(await direct(hostilePost(at, other(), senders)));
          posts += 1;
          continue;
        }
        const [call, more] = pick(contractCalls)(at, other(), pick([0n, 999n, 1000n, 1001n]));
        calls.push(call);
        posts += more;
      }
      const data = encodeFunctionData({ abi, functionName: "setPrice", args: [pick(prices)] });
      const byAgent = { from: agent, to: contract, tip: 5n * 10n ** 9n };
      const self = { ...byAgent, data: postData(plainPost(from + posts, [ownKey]).bytes), value: 1001n };
      return all([...calls, { ...byAgent, data }, self], posts + 1);
    },
    /** One thing or another, by who made the block. */
    either: async (count: number): Promise<Volley> => {
      const [one, other] = [plainPost(count, [own]).bytes, plainPost(count + 1, [own]).bytes];
      return all([byContract(attackers.either(1001n, one, other), 1001n)], 2);
    },
    /** Who makes blocks from here on: an even address, or an odd one. */
    mineAs: (who: "even" | "odd") =>
      chain.request("hardhat_setCoinbase", `0x${"c0".repeat(19)}${who === "even" ? "c0" : "c1"}`),
    /** The agent's address acts as these contracts do, as an account may that has delegated to one; or not any more. */
    delegate: (on: boolean) => chain.request("hardhat_setCode", agent, on ? `0xef0100${place.slice(2)}` : "0x"),
    whilePaid: async (count: number, to: "agent" | "contract"): Promise<Volley> =>
      all(await paid(count, to === "agent" ? agent : place), 2),
    /** The same transactions once more, in another order and not all of them: those that are the same. */
    again: async (thrown: readonly Thrown[]): Promise<number> => {
      let same = 0;
      for (const { tx, call } of [...thrown].filter(() => random() < 0.9).reverse())
        if ((await send(call))?.tx === tx) same += 1;
      return same;
    },
  };
}

function hex(value: bigint): Hex {
  return `0x${value.toString(16)}`;
}
