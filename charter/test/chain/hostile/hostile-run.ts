import { type AutomatonLoop, createAutomaton } from "../../../src/channels/automaton/automaton.ts";
import { createReplySender } from "../../../src/channels/chain/reply-sender.ts";
import { loadReplyCodec } from "../../../src/channels/chain/transaction.ts";
import { createHost } from "../../../src/host/create-host.ts";
import { createStore, type InboxMessage, type Store } from "../../../src/store/index.ts";
import { modelAt, modelNames } from "../../delivery/loopback.ts";
import type { Place } from "../../homes.ts";
import { createRandom } from "../../properties/hostile-words.ts";
import { createClock } from "../../store/contract/given.ts";
import { createReading } from "../reading.ts";
import { newScriptedAccount, type ScriptedAccount } from "../scripted-account.ts";
import { agentAddress, chainId, contract, type ScriptedChain, type ScriptedTx, tx } from "../scripted-chain.ts";
import { allOf } from "./all-pages.ts";
import { type ModelFault, startGullibleModel } from "./gullible-model.ts";
import { type HostilePost, hostilePost, plainPost } from "./hostile-posts.ts";
import { createLyingNode } from "./lying-node.ts";
import { createWireCheck } from "./wire-check.ts";

export type HostileFigures = {
  readonly posts: number;
  readonly answered: number;
  readonly dead: number;
  readonly requests: number;
  readonly lies: number;
  /** Answers of the model that broke off, or never came. */
  readonly failed: number;
  /** Transactions that were in a block which went, and in another. */
  readonly again: number;
  /** Replies that were put onto the chain. */
  readonly sent: number;
  readonly faults: readonly string[];
};

export type HostileOptions = {
  readonly posts: number;
  /** How many replies are put onto the chain. */
  readonly sent: number;
  /** Draws who does what. */
  readonly seed: number;
};

/** First so many only ask, everybody twice: what is usual in a prompt is learnt from them. */
export const plainPosts = 80;
const agent = "nova";
const key = `0x${"4f".repeat(32)}` as const;

/**
 * An agent whose model does what it is told and fails now and then, on a chain where everybody is after it, and by nodes
 * that lie. What the model is sent is looked at byte by byte; what became of each post is looked up in the end.
 */
export async function runHostile(place: Place, { posts, sent, seed }: HostileOptions): Promise<HostileFigures> {
  const clock = createClock();
  const random = createRandom(seed);
  const store = await createStore(place.open(), { now: clock.now });
  await store.agents.add({ name: agent, charter: "sovereign", model: modelNames.anthropic });
  const named = new Map<string, HostilePost>();
  const wire = createWireCheck();
  const { faults } = wire;
  const failing = createFailing();
  const model = await startGullibleModel({ messageOf: (id) => named.get(id), wire, faultOf: failing.next });
  const codec = await loadReplyCodec();
  const signer = codec.signer(key);
  const account = await newScriptedAccount({ id: chainId, address: signer.address });
  const settings = { confirmations: 1, maxFeePerReply: 10n ** 18n, maxFeePerDay: 10n ** 24n };
  const reading = await createReading({ store, agent, clock: clock.now, addresses: 3, settings });
  const { chain, rpcs, reader } = reading;
  const nodes = [createLyingNode(chain, random, true), createLyingNode(chain, random, false)];
  for (const [at, rpc] of rpcs.entries()) rpc.behave(nodes[at]?.misbehave);
  // A model that fails is not asked again in the same turn: the turn fails, and its messages get another.
  const limits = { retries: 0 };
  const host = createHost({ store, clock: clock.now, env: {}, limits, loadModel: (name) => modelAt(model.url, name) });
  const automatonOf = (counterparts: number) => createAutomaton({ host, agent, clock: clock.now, counterparts });
  const automata = [automatonOf(1), automatonOf(5)];
  const send = createReplySender({
    ...{ store, agent, codec, signer, ask: account.ask, runner: "host:1", clock: clock.now, log: () => {} },
    settings: reading.settings,
  });
  let again = 0;
  const never = new AbortController().signal;
  let rounds = 0;
  const take = async (some: readonly HostilePost[]) => {
    const given = inTransactions(some, random);
    for (const [id, post] of given.named) named.set(id, post);
    chain.mine(given.txs);
    await reader.tick();
    if (++rounds % 3 === 0) {
      chain.reorganise(1, [given.txs]);
      again += given.txs.length;
      await reader.tick();
    }
    for (const { id } of postedIn(chain.blocks.slice(-1))) account.post(id);
    await answerAll(store, automata[rounds % 2] as (typeof automata)[number], clock.move, faults);
    // The reader's chain is another: no reply is ever final here, so the sender is never idle.
    for (let before = -1; account.replies().length < sent && account.replies().length > before; ) {
      before = account.replies().length;
      await send(never);
      account.mine();
    }
  };
  try {
    for (let from = 0; from < plainPosts; from += 40)
      await take(Array.from({ length: 40 }, (_, at) => plainPost(from + at)));
    wire.endPlain();
    const batch = Math.min(200, Math.ceil(posts / 5));
    for (let from = 0; from < posts; from += batch) {
      const ids = [...named.keys()];
      const other = () => ids[Math.floor(random() * ids.length)] as string;
      await take(
        Array.from({ length: Math.min(batch, posts - from) }, (_, at) =>
          hostilePost(1000 + from + at + seed * 100_000, other()),
        ),
      );
    }
    const fates = await findFates(store, named, faults);
    const replies = account.replies();
    if (account.transactions() !== replies.length) faults.push("a reply was refused by the contract");
    faults.push(...wrongReplies(postedIn(chain.blocks), replies, named));
    const figures = {
      posts: named.size,
      ...fates,
      requests: model.requests.length,
      failed: failing.count(),
      again,
      sent: replies.length,
      faults,
    };
    return { ...figures, lies: nodes[0]?.lies() ?? 0 };
  } finally {
    for (const one of automata) await one.stop(0);
    await host.close(0);
    await reading.close();
    await account.close();
    await model.close();
    await store.close();
  }
}

/**
 * Every eleventh answer fails; now it is an error, now the stream breaks off. No message meets that twice: whoever has
 * failed three times is given up, and here everybody is answered.
 */
function createFailing() {
  const met = new Set<string>();
  let [answers, failed] = [0, 0];
  return {
    next: (messages: readonly string[]): ModelFault | undefined => {
      answers += 1;
      if (answers < 11 || messages.some((id) => met.has(id))) return undefined;
      for (const id of messages) met.add(id);
      answers = 0;
      failed += 1;
      return failed % 2 === 0 ? "error" : "cut";
    },
    count: () => failed,
  };
}

/** One to five posts in each, as a contract may do it: whoever posts the next, too. Some to someone else among them. */
function inTransactions(some: readonly HostilePost[], random: () => number) {
  const txs: ScriptedTx[] = [];
  const named = new Map<string, HostilePost>();
  for (let from = 0; from < some.length; ) {
    const those = some.slice(from, from + 1 + Math.floor(random() * 5));
    from += those.length;
    const posts = those.map(({ sender, bytes, value }) => ({ sender, body: bytes, value }));
    const stray = random() < 0.1 ? [{ sender: contract, body: "To another.", agent: contract }] : [];
    const made = tx(...stray, ...posts);
    txs.push(made);
    for (const [at, post] of those.entries()) named.set(`chain:${chainId}:${contract}:${made.hash}:${at}`, post);
  }
  return { txs, named };
}

/** Turns are taken until nobody waits. After a model has failed, no turn is taken for some seconds. */
async function answerAll(
  store: Store,
  automaton: Pick<AutomatonLoop, "tick">,
  move: (ms: number) => void,
  faults: string[],
): Promise<void> {
  for (let left = 10 * (await store.inbox.countWaiting(agent)) + 50; left > 0; left--) {
    move(1000);
    await automaton.tick();
    if ((await store.inbox.countWaiting(agent)) === 0) return;
  }
  faults.push("it is stuck: messages wait, and are not answered");
}

/** What the chain as it is says: the contract's name of each post to the agent, and its id here. */
function postedIn(blocks: ScriptedChain["blocks"]): { readonly id: string; readonly message: string }[] {
  return blocks.flatMap(({ logs }) => {
    const places = new Map<string, number>();
    return logs
      .filter(({ topics }) => topics[2]?.endsWith(agentAddress.slice(2)))
      .map(({ topics, transactionHash }) => {
        const hash = transactionHash as string;
        const at = places.get(hash) ?? 0;
        places.set(hash, at + 1);
        return { id: topics[1] as string, message: `chain:${chainId}:${contract}:${hash}:${at}` };
      });
  });
}

type OnChain = ReturnType<ScriptedAccount["replies"]>;

/** Replies on the chain that are a second one, or that do not answer the post they are for. */
function wrongReplies(
  posted: ReturnType<typeof postedIn>,
  replies: OnChain,
  named: ReadonlyMap<string, HostilePost>,
): string[] {
  const messages = new Map(posted.map(({ id, message }) => [id, message]));
  const seen = new Set<string>();
  return replies.flatMap(([id, body]) => {
    const post = named.get(messages.get(id) ?? "");
    const isSecond = seen.has(id);
    seen.add(id);
    if (isSecond) return [`${id} has a second reply`];
    return post && !post.dead && body === `Re: ${post.word}` ? [] : [`the reply to ${id} is “${body}”`];
  });
}

/** What became of each post here: one reply of its own, or dead with one reason. Nothing else was taken for a message. */
async function findFates(store: Store, named: ReadonlyMap<string, HostilePost>, faults: string[]) {
  const messages = new Map<string, InboxMessage>();
  for (const status of ["waiting", "taken", "answered", "dead", "withdrawn"] as const)
    for (const one of await allOf((page) => store.inbox.list(agent, status, page))) messages.set(one.id, one);
  const replies = Map.groupBy(await allOf((page) => store.inbox.listReplies(agent, page)), ({ message }) => message);
  for (const id of messages.keys()) if (!named.has(id)) faults.push(`nobody posted ${id}`);
  let [answered, dead] = [0, 0];
  for (const [id, post] of named) {
    const found = messages.get(id);
    const own = (replies.get(id) ?? []).map(({ to, body }) => `${to} ${body}`);
    const isDead = found?.status === "dead" && found.failures.length === 1 && own.length === 0;
    const isAnswered = found?.status === "answered" && own.join() === `${post.sender} Re: ${post.word}`;
    if (post.dead ? isDead : isAnswered) post.dead ? dead++ : answered++;
    else faults.push(`${id} of ${post.sender} is ${found?.status ?? "not there"}, with ${JSON.stringify(own)}`);
  }
  return { answered, dead };
}
