import { isAddress, weiOf } from "../../charters/ether.ts";
import { defined, type FieldChecks, isRecord } from "../../prompt/argument.ts";
import { listed, Problem } from "../../prompt/problem.ts";

/** The chain of an agent that lives by itself, in a `charter.config.ts`: where its inbox contract is, and what it may pay. */
export type ChainConfig = {
  /** The addresses of nodes (JSON-RPC); where one does not answer, the next is asked. */
  readonly rpc: readonly string[];
  /** The number of the chain, as in 8453 (Base). Nodes of another chain are refused. */
  readonly id: number;
  /** The address of the inbox contract. */
  readonly contract: string;
  /** The agent's own address. */
  readonly address: string;
  /** The first block that is read; by default the one at the first start. */
  readonly from?: number;
  /**
   * Number of blocks, a block itself included, after which it counts as lasting; or "finalized", when the chain says so. 12 by
   * default.
   */
  readonly confirmations?: number | "finalized";
  /** The contract of a token (ERC-20) whose balance is read besides ETH. */
  readonly token?: string;
  /** Delivery of replies: written to the chain, or only polled by HTTP; `send` by default where there is a key. */
  readonly replies?: "poll" | "send";
  /** The file with the secret key of the address, of mode 0600; without it, the variable CHARTER_CHAIN_KEY is read. */
  readonly keyFile?: string;
  /** Maximum cost of one reply, in ETH; "0.001" by default. */
  readonly maxFeePerReply?: string;
  /** Maximum cost of the replies of one day (UTC), in ETH; "0.02" by default. */
  readonly maxFeePerDay?: string;
  /** Cycles (millionths of a dollar) per ETH that was paid with messages and is final; none by default. */
  readonly cyclesPerEther?: number;
  /** Maximum cycles from the payments of one day (UTC); 5,000,000 by default. */
  readonly maxCyclesPerDay?: number;
};

const anAddress = "Give 0x and 40 hex digits.";
const anAmount = 'Give ETH as text, to 18 places at most, as in "0.001".';
const someCycles = "Give a whole number of millionths of a dollar, from 1 up.";

const checks: FieldChecks<ChainConfig> = {
  rpc: [
    areNodes,
    'Give a list of one to ten addresses that begin with http:// or https://, as in ["http://127.0.0.1:8545"].',
  ],
  id: [(value) => isCount(value, 1), "Give the number of the chain, as in 8453 (Base)."],
  contract: [isAddressText, anAddress],
  address: [isAddressText, anAddress],
  from: [(value) => isCount(value, 0), "Give the number of a block, or leave it out."],
  confirmations: [
    (value) => value === "finalized" || isCount(value, 1),
    'Give a whole number from 1 up, or "finalized".',
  ],
  token: [isAddressText, anAddress],
  replies: [(value) => value === "poll" || value === "send", 'Give "poll" or "send".'],
  keyFile: [isFile, "Name the file that the key is in; the key itself is never part of the settings."],
  maxFeePerReply: [isAmount, anAmount],
  maxFeePerDay: [isAmount, anAmount],
  cyclesPerEther: [(value) => isCount(value, 1), someCycles],
  maxCyclesPerDay: [(value) => isCount(value, 1), someCycles],
};
const needed = ["rpc", "id", "contract", "address"] as const;

const defaults = { confirmations: 12, maxFeePerReply: "0.001", maxFeePerDay: "0.02", maxCyclesPerDay: 5_000_000 };

/** Checks the settings of an agent's chain. No Problem contains a value: it may be a key, or have one in it. */
export function chainSettings(agent: string, given: unknown): ChainSettings {
  if (!isRecord(given))
    throw badConfig(
      `“automaton.chain” of “${agent}” is no object.`,
      `The settings are ${listed(Object.keys(checks))}.`,
    );
  for (const [name, value] of Object.entries(given)) {
    const check = Object.hasOwn(checks, name) ? checks[name as keyof ChainConfig] : undefined;
    if (!check)
      throw badConfig(
        `“automaton.chain.${name}” of “${agent}” is no setting.`,
        `The settings are ${listed(Object.keys(checks))}.`,
      );
    if (value !== undefined && !check[0](value))
      throw badConfig(`“automaton.chain.${name}” of “${agent}” is invalid.`, check[1]);
  }
  const missing = needed.find((name) => given[name] === undefined);
  if (missing !== undefined)
    throw badConfig(`“automaton.chain.${missing}” of “${agent}” is missing.`, checks[missing][1]);
  if (given.maxCyclesPerDay !== undefined && given.cyclesPerEther === undefined)
    throw badConfig(
      `“automaton.chain.maxCyclesPerDay” of “${agent}” limits nothing.`,
      "Say what an ETH becomes, with cyclesPerEther, or leave it out.",
    );
  const { rpc, id, contract, address, from, token, replies, keyFile } = given as ChainSettings;
  const { cyclesPerEther } = given as { readonly cyclesPerEther?: number };
  const { confirmations, maxFeePerReply, maxFeePerDay, maxCyclesPerDay } = {
    ...defaults,
    ...defined(given),
  } as typeof defaults;
  return {
    ...{ rpc, id, contract: lower(contract), address: lower(address), confirmations },
    ...{ maxFeePerReply: weiOf(maxFeePerReply) as bigint, maxFeePerDay: weiOf(maxFeePerDay) as bigint },
    ...(from === undefined ? {} : { from }),
    ...(token === undefined ? {} : { token: lower(token) }),
    ...(replies === undefined ? {} : { replies }),
    ...(keyFile === undefined ? {} : { keyFile }),
    ...(cyclesPerEther === undefined ? {} : { earns: { cyclesPerEther, maxCyclesPerDay } }),
  };
}

function lower(address: string): `0x${string}` {
  return address.toLowerCase() as `0x${string}`;
}

function areNodes(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.length <= 10 && value.every(isNode);
}

function isNode(value: unknown): boolean {
  return typeof value === "string" && /^https?:\/\/[^/]/i.test(value) && URL.canParse(value);
}

function isAddressText(value: unknown): boolean {
  return typeof value === "string" && isAddress(value) && BigInt(value) !== 0n;
}

function isCount(value: unknown, min: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= min;
}

function isAmount(value: unknown): boolean {
  return typeof value === "string" && (weiOf(value) ?? 0n) > 0n;
}

function isFile(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "" && !/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/i.test(value);
}

function badConfig(message: string, hint: string): Problem {
  return new Problem("bad-config", message, hint);
}

/** Checked settings of an agent's chain: addresses in lower case, amounts in wei. */
export type ChainSettings = {
  readonly rpc: readonly string[];
  readonly id: number;
  readonly contract: `0x${string}`;
  readonly address: `0x${string}`;
  readonly from?: number;
  readonly confirmations: number | "finalized";
  readonly token?: `0x${string}`;
  /** Delivery of replies; by default they are sent where there is a key. */
  readonly replies?: "poll" | "send";
  readonly keyFile?: string;
  readonly maxFeePerReply: bigint;
  readonly maxFeePerDay: bigint;
  /** The rule by which payments become cycles; undefined: they become none. */
  readonly earns?: { readonly cyclesPerEther: number; readonly maxCyclesPerDay: number };
};
