import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import type { Sleep } from "../loop.ts";
import { createChainAccount } from "./chain-account.ts";
import { readChainKey } from "./chain-key.ts";
import { createChainReader } from "./chain-reader.ts";
import type { ChainSettings } from "./chain-settings.ts";
import { loadReplyCodec } from "./replies/reply-codec.ts";
import { createRpcClient } from "./rpc-client.ts";

/** What an agent's chain is opened with. */
type OpenChainOptions = {
  readonly store: Store;
  readonly agent: string;
  readonly settings: ChainSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: () => Date;
  readonly sleep?: Sleep;
  /** So long a node may take to answer. */
  readonly timeoutMs?: number;
  readonly log?: (entry: Readonly<Record<string, unknown>>) => void;
};

/** An agent's chain: its messages are read, and its replies are sent where there is a key. */
export type OpenedChain = {
  /** A chain that is another than the settings say is a Problem; nodes that are away are waited for. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Reads the key, if replies are to be sent: one that is missing or wrong is a Problem. Nothing is asked before `start`. */
export async function openChain(options: OpenChainOptions): Promise<OpenedChain> {
  const { store, agent, settings, env, clock, sleep, timeoutMs, log } = options;
  const codec = await loadReplyCodec();
  const addressOf = (key: `0x${string}`) => codec.signer(key).address;
  const { address, keyFile, replies } = settings;
  const key = replies === "poll" ? undefined : await readChainKey({ agent, address, keyFile, env, addressOf });
  if (replies === "send" && key === undefined)
    throw new Problem(
      "key-missing",
      `“${agent}” has to send its replies to its chain, and has no key.`,
      'Name the file in automaton.chain.keyFile, set CHARTER_CHAIN_KEY, or write replies: "poll".',
    );
  const rpc = createRpcClient({ addresses: settings.rpc, clock, random: Math.random, ...(timeoutMs && { timeoutMs }) });
  const shared = { store, agent, settings, rpc, clock, ...(sleep && { sleep }), ...(log && { log }) };
  const reader = createChainReader(shared);
  const account = createChainAccount({ ...shared, codec, signer: key === undefined ? undefined : codec.signer(key) });
  return {
    start: async () => {
      const { id: chain, contract, address, token } = settings;
      await store.chain.leaveOthers(agent, {
        chain,
        contract,
        address,
        assets: ["ETH", ...(token === undefined ? [] : [token])],
      });
      await reader.start();
      await account.start();
    },
    stop: async () => {
      // First what sends: while it ends, the chain is still its own.
      await account.stop();
      await reader.stop();
    },
  };
}
