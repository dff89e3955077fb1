import { afterEach } from "vitest";
import type { ChainSettings } from "../../src/channels/chain/chain-config.ts";
import type { AskNode } from "../../src/channels/chain/node-answer.ts";
import { createReplySender, type SendReplies } from "../../src/channels/chain/reply-sender.ts";
import { loadReplyCodec } from "../../src/channels/chain/transaction.ts";
import { createStore, type Store } from "../../src/store/index.ts";
import { newPlace, type PlaceName } from "../homes.ts";
import { answerMessage } from "../store/answer-message.ts";
import { newScriptedAccount, type ScriptedAccount } from "./scripted-account.ts";

export const agent = "nova";
export const key = `0x${"4f".repeat(32)}` as const;
export const contract = `0x${"c0".repeat(20)}` as const;
export const codec = await loadReplyCodec();
export const address = codec.signer(key).address.toLowerCase() as `0x${string}`;
const sender = `0x${"a".repeat(40)}`;
export const place = { agent, chain: 31337, contract };

/** What is known of the chain it is on. */
export const known = {
  ...{ rpc: [], id: 31337, contract, address, maxFeePerReply: 10n ** 15n, maxFeePerDay: 10n ** 16n },
  ...{ key: "file" as const, keyFile: "/key", sends: true },
};

/** The nth message's name on the chain. */
export const onChain = (count: number) => `0x${String(count).padStart(64, "0")}`;

/** An agent with answered messages of a chain whose blocks a test makes. */
export type ReplyStage = {
  readonly store: Store;
  readonly chain: ScriptedAccount;
  readonly time: { now: Date };
  /** Posts the nth message and answers it. */
  readonly answer: (count: number, body?: string) => Promise<void>;
  readonly worker: (about?: {
    runner?: string;
    settings?: Partial<ChainSettings>;
    ask?: AskNode;
    store?: Store;
  }) => SendReplies;
  readonly claim: (runner: string) => Promise<unknown>;
  /** One look, of a worker that is in charge, when the chain was read as far as it is confirmed, or while nobody reads. */
  readonly look: (worker?: SendReplies, how?: "unread") => Promise<void>;
  readonly pass: (ms: number) => void;
  /** State, transaction and reason of the nth message's reply. */
  readonly reply: (count: number) => Promise<{ state: string; tx: string | null; reason: string | null }>;
  readonly orphan: (toBlock: number) => Promise<void>;
  readonly include: (count: number) => Promise<void>;
  readonly sentAt: (count: number) => Promise<string | null>;
};

const open: (() => Promise<void>)[] = [];

export function stages(): (home?: PlaceName) => Promise<ReplyStage> {
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });
  return newStage;
}

const hash = (block: number, fork: number) => `0x${`${fork}${block}`.padStart(64, "f")}`;

async function newStage(home: PlaceName = "sqlite"): Promise<ReplyStage> {
  const where = await newPlace(home);
  const time = { now: new Date("2026-02-18T15:04:00.000Z") };
  const store = await createStore(where.open(), { now: () => time.now });
  const chain = await newScriptedAccount({ id: 31337, address });
  open.push(async () => {
    await chain.close();
    await store.close();
    await where.remove();
  });
  await store.agents.add({ name: agent, charter: "sovereign" });
  const settings: ChainSettings = {
    ...{ rpc: [chain.url], id: 31337, contract, address, confirmations: 3 },
    ...{ maxFeePerReply: 10n ** 15n, maxFeePerDay: 10n ** 16n },
  };
  const claim = (runner: string) => store.chain.claim(place, { runner, leaseMs: 60_000, isGone: () => true });
  await claim("one:1");
  let block = 0;
  let fork = 0;
  const take = async (posts: readonly number[], upTo = block + 1) => {
    const before = (await store.chain.cursor(place))?.last;
    const runner = (await store.chain.cursor(place))?.runner as string;
    block = upTo;
    const to = { block, hash: hash(block, fork) };
    const read = posts.map((count) => ({
      ...{ onChain: onChain(count), tx: onChain(1000 + count), place: 0, block: to.block, blockHash: to.hash },
      ...{ sender, value: "1", body: `Question ${count}` },
    }));
    const start = before === undefined ? { block: 1, anchor: { block: 0, hash: hash(0, 0) } } : undefined;
    const taken = { runner, before, to, head: block, unconfirmed: 0, posts: read, ...(start ? { start } : {}) };
    const { moved } = await store.chain.take(place, taken);
    if (!moved) throw new Error("nothing was taken");
  };
  const messageOf = (count: number) => `chain:31337:${contract}:${onChain(1000 + count)}:0`;
  const find = async (count: number) => {
    const row = await store.inbox.findReply(agent, messageOf(count));
    return row && (await store.chain.replies.find(agent, row.id));
  };
  const worker: ReplyStage["worker"] = (about = {}) =>
    createReplySender({
      ...{ store: about.store ?? store, agent, codec, signer: codec.signer(key), ask: about.ask ?? chain.ask },
      ...{ runner: about.runner ?? "one:1", clock: () => time.now, log: () => {} },
      settings: { ...settings, ...about.settings },
    });
  const usual = worker();
  return {
    ...{ store, chain, time, worker, claim },
    answer: async (count, body = `Answer ${count}`) => {
      chain.post(onChain(count));
      await take([count]);
      const turn = `turn-${count}`;
      const [message] = await store.inbox.claim(agent, turn);
      await answerMessage(store.inbox, { agent, turn, message: message?.id ?? "", reply: body });
    },
    look: async (by = usual, how) => {
      const confirmed = chain.head() + 1 - 3;
      if (how !== "unread" && confirmed > block) await take([], confirmed);
      await by(new AbortController().signal);
    },
    pass: (ms) => {
      time.now = new Date(time.now.getTime() + ms);
    },
    reply: async (count) => {
      const { state, tx, reason } = (await find(count)) ?? { state: "none", tx: null, reason: null };
      return { state, tx, reason };
    },
    orphan: async (to) => {
      const cursor = await store.chain.cursor(place);
      const common = to === 0 ? { block: 0, hash: hash(0, 0) } : { block: to, hash: hash(to, fork) };
      await store.chain.rewind(place, { runner: cursor?.runner as string, before: cursor?.last, common });
      block = to;
      fork += 1;
    },
    include: (count) => take([count]),
    sentAt: async (count) => (await store.inbox.findReply(agent, messageOf(count)))?.sentAt ?? null,
  };
}
