import { onTestFinished } from "vitest";
import type { ChainSettings } from "../../src/channels/chain/chain-config.ts";
import { type ChainReader, type ChainReaderOptions, createChainReader } from "../../src/channels/chain/open-chain.ts";
import type { InboxMessage, Store } from "../../src/store/index.ts";
import { agentAddress, chainId, contract, createScriptedChain, type ScriptedChain } from "./scripted-chain.ts";
import { createScriptedRpc, type ScriptedRpc } from "./scripted-rpc.ts";
import { newSender } from "./scripted-tx.ts";

export const bo = newSender("bo");
export const eve = newSender("eve");

/** A chain, its addresses, and one who reads it for an agent. */
export type Reading = {
  readonly chain: ScriptedChain;
  readonly rpcs: readonly ScriptedRpc[];
  readonly rpc: ScriptedRpc;
  readonly agent: string;
  readonly settings: ChainSettings;
  readonly logged: Readonly<Record<string, unknown>>[];
  readonly reader: ChainReader;
  readonly another: (more?: Partial<ChainReaderOptions>) => ChainReader;
  /** Status and words of all messages, by their words. */
  readonly inbox: () => Promise<string[]>;
  readonly close: () => Promise<void>;
};

export type ReadingOptions = {
  readonly store: Store;
  readonly agent: string;
  readonly clock: () => Date;
  readonly addresses?: number;
  readonly settings?: Partial<ChainSettings>;
  readonly options?: Partial<ChainReaderOptions>;
};

/** One that is closed with its test. */
export async function readingHere(about: ReadingOptions): Promise<Reading> {
  const reading = await createReading(about);
  onTestFinished(reading.close);
  return reading;
}

export async function createReading(about: ReadingOptions): Promise<Reading> {
  const { store, agent, clock, addresses = 1 } = about;
  const chain = createScriptedChain();
  const rpcs = await Promise.all(Array.from({ length: addresses }, () => createScriptedRpc(chain)));
  const settings: ChainSettings = {
    ...{ rpc: rpcs.map(({ url }) => url), id: chainId, contract, address: agentAddress, from: 1, confirmations: 3 },
    ...{ maxFeePerReply: 1n, maxFeePerDay: 1n },
    ...about.settings,
  };
  const logged: Readonly<Record<string, unknown>>[] = [];
  const another = (more: Partial<ChainReaderOptions> = {}) =>
    createChainReader({
      ...{ store, agent, settings, clock, random: () => 1, runner: "host:1", timeoutMs: 60_000 },
      ...{ log: (entry: Readonly<Record<string, unknown>>) => logged.push(entry), ...about.options, ...more },
    });
  return {
    ...{ chain, rpcs, rpc: rpcs[0] as ScriptedRpc, agent, settings, logged, another, reader: another() },
    inbox: async () => (await allMessages(store, agent)).map(({ status, body }) => `${status}: ${body}`).sort(),
    close: async () => {
      for (const one of rpcs) await one.close();
    },
  };
}

const statuses = ["waiting", "taken", "answered", "dead", "withdrawn"] as const;

export async function allMessages(store: Store, agent: string): Promise<InboxMessage[]> {
  const lists = await Promise.all(statuses.map((status) => store.inbox.list(agent, status, { limit: 1000 })));
  return lists.flat();
}
