import type { Hex } from "viem";
import type { ScriptedChain } from "../scripted-chain.ts";
import { type Misbehaviour, say } from "../scripted-rpc.ts";

type Log = Record<string, unknown> & { readonly topics: readonly Hex[]; readonly data: Hex };

const stranger = `0x${"f".repeat(24)}${"5".repeat(40)}` as Hex;
/** An event that nobody asked for, or that is none. */
const lies: readonly ((log: Log) => unknown)[] = [
  (log) => ({ ...log, address: `0x${"c1".repeat(20)}` }),
  (log) => ({ ...log, topics: [stranger, ...log.topics.slice(1)] }),
  (log) => ({ ...log, topics: [log.topics[0], log.topics[1], stranger, log.topics[3]] }),
  (log) => ({ ...log, topics: log.topics.slice(0, 3) }),
  (log) => ({ ...log, topics: [...log.topics, stranger] }),
  (log) => ({ ...log, topics: [...log.topics.slice(0, 3), "0x12"] }),
  (log) => ({ ...log, data: log.data.slice(0, 100) }),
  (log) => ({ ...log, data: `0x${"f".repeat(256)}` }),
  (log) => ({ ...log, data: 7 }),
  (log) => ({ ...log, removed: true }),
  (log) => ({ ...log, blockNumber: "0xfffffffff" }),
  (log) => ({ ...log, logIndex: "first" }),
  (log) => ({ ...log, transactionHash: "0x" }),
  () => null,
  () => "0x",
];

/** An address that writes hex its own way, tells twice and in no order; and a liar that adds events which are none. */
export function createLyingNode(chain: ScriptedChain, random: () => number, isLiar: boolean) {
  let told = 0;
  const misbehave: Misbehaviour = ({ method, params, id }, response) => {
    if (method !== "eth_getLogs") return undefined;
    const logs = chain.answer(method, params) as Log[];
    const [first] = logs;
    if (!first) return undefined;
    const upper = (hex: Hex) => `0x${hex.slice(2).toUpperCase()}` as Hex;
    const odd = logs.map((log) => ({ ...log, topics: log.topics.map(upper), data: upper(log.data) }));
    const shuffled = [...odd, odd[0]].sort(() => random() - 0.5);
    if (!isLiar || random() < 0.3) return say(response, { jsonrpc: "2.0", id, result: shuffled });
    told += 1;
    const lie = (lies[told % lies.length] as (typeof lies)[number])(first);
    return say(response, { jsonrpc: "2.0", id, result: [...shuffled, lie] });
  };
  return { misbehave, lies: () => told };
}
