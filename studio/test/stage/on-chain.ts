import { createHash } from "node:crypto";
import type { KnownChain } from "../../../charter/src/channels/chain/chain-status.ts";
import type { BlockName, ChainPost } from "../../../charter/src/store/chain/chain-message.ts";
import { answerMessage } from "../../../charter/test/store/answer-message.ts";
import { enterHouse } from "./lived-house.ts";
import type { Stage } from "./stage.ts";

const hash = (of: string) => `0x${createHash("sha256").update(of).digest("hex")}`;
const addressOf = (of: string) => hash(of).slice(0, 42);

const contract = addressOf("inbox") as `0x${string}`;
export const solsPlace = { agent: "sol", chain: 8453, contract };
const runner = "mill:4127";
const usdc = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";

/** What the settings say of sol's chain. */
export const solsChain: ReadonlyMap<string, KnownChain> = new Map([
  [
    "sol",
    {
      ...{ rpc: ["https://base.example"], id: solsPlace.chain, contract, address: addressOf("sol") as `0x${string}` },
      ...{ maxFeePerReply: 10n ** 15n, maxFeePerDay: 2n * 10n ** 16n },
      ...{ key: "file" as const, keyFile: "/etc/charter/sol.key", sends: true },
    },
  ],
]);

const firstBlock = 38_412_600;
/** Base has a block every two seconds. */
const blocksAMinute = 30;
const confirmations = 12;

/** An hour and a half of an agent whose inbox is on a chain: its posts, its replies, its fees. It is alive now. */
export async function liveOnChain({ folder }: Pick<Stage, "folder">): Promise<void> {
  let minutes = 0;
  const clock = () => new Date(Date.now() + (minutes - 90) * 60_000);
  const house = await enterHouse(folder, { clock, tools: [] });
  const { store } = house;
  const { chain, inbox, automata } = store;
  await store.agents.add({ name: "sol", charter: "sovereign", model: "anthropic/claude-opus-5" });
  await automata.grant("sol", 5_000_000, "olga");
  const blockNow = () => firstBlock + Math.round(minutes * blocksAMinute);
  const blockOf = (block: number): BlockName => ({ block, hash: hash(`block ${block}`) });
  const headNow = () => blockNow() + confirmations - 1;
  let before: BlockName | undefined;
  let nonce = 0;

  const read = async (posts: readonly (readonly [sender: string, body: string])[], unconfirmed = 0) => {
    await automata.claim("sol", { runner, leaseMs: 600_000 });
    await chain.claim(solsPlace, { runner, leaseMs: 600_000 });
    const to = blockOf(blockNow());
    const posted = posts.map(
      ([sender, body], index): ChainPost => ({
        ...{ onChain: hash(body), tx: hash(`tx ${body}`), place: 0, value: "20000000000000" },
        ...{ block: to.block - posts.length + index, blockHash: blockOf(to.block - posts.length + index).hash },
        ...{ sender: addressOf(sender), body },
      }),
    );
    const start = before ? {} : { start: { block: firstBlock, anchor: blockOf(firstBlock - 1) } };
    await chain.take(solsPlace, { runner, before, to, head: headNow(), unconfirmed, posts: posted, ...start });
    before = to;
    const eth = { asset: "ETH", amount: String(41_820_000_000_000_000n - BigInt(nonce) * 310_000_000_000_000n) };
    await chain.balances.set("sol", solsPlace.chain, { ...eth, decimals: 18, symbol: "ETH", block: to.block });
    const token = { asset: usdc, amount: "1250500000", decimals: 6, symbol: "USDC", block: to.block };
    await chain.balances.set("sol", solsPlace.chain, token);
  };
  /** Answers the oldest, signs the reply, and sends it; returns how to go on with it. */
  const answer = async (reply: string) => {
    const [first] = await inbox.list("sol", "waiting", { limit: 1 });
    const turn = hash(`turn ${reply}`).slice(2, 19);
    const [taken] = await inbox.claim("sol", turn, { limit: 1 });
    const input = `Answer: ${first?.body}`;
    const session = "none";
    await automata.record("sol", [change("Idle", "LoadingContext", "turn-started", turn)]);
    await house.runTurn({ agent: "sol", channel: "chain", session, input, user: null, id: turn });
    await automata.record("sol", [change("LoadingContext", "Idle", "turn-finished", turn)]);
    const { id } = await answerMessage(inbox, { agent: "sol", message: taken?.id ?? "", reply, turn });
    return { id, onChain: hash(taken?.body ?? "") };
  };
  const change = (from: "Idle" | "LoadingContext", to: "Idle" | "LoadingContext", cause: string, turn: string) => ({
    ...{ from, to, cause, turn, at: clock().toISOString() },
  });
  const send = async ({ id, onChain }: { readonly id: string; readonly onChain: string }) => {
    const tx = hash(`reply ${id}`);
    const signed = {
      reply: id,
      runner,
      onChain,
      raw: `0x02${tx.slice(2)}`,
      tx,
      nonce: nonce++,
      fee: "420000000000000",
    };
    await chain.replies.sign(solsPlace, signed);
    await chain.replies.markSent("sol", id, tx);
    const block = blockNow() + 2;
    return {
      mine: () =>
        chain.replies.markFound(solsPlace, {
          reply: id,
          instead: tx,
          tx,
          block,
          blockHash: blockOf(block).hash,
          fee: "310000000000000",
        }),
      settle: () => chain.replies.markFinal("sol", id, tx),
    };
  };

  await read([
    ["ann", "Do you sell storage? What does a gigabyte cost?"],
    ["the mill", "Is the price for 2026 final?"],
  ]);
  const done = [
    await send(await answer("A gigabyte is 0.02 USDC a month. Tell me how long you need it.")),
    await send(await answer("Yes. It holds until 31 December; I publish the next one in November.")),
  ];
  for (const one of done) await one.mine();
  minutes = 40;
  await read([["ann", "For a year. Can I pay in advance?"]]);
  for (const one of done) await one.settle();
  minutes = 41;
  const third = await send(await answer("Yes: 0.24 USDC for the year. I will keep a receipt for both of us."));
  await third.mine();
  minutes = 72;
  await read([
    ["bo", "Please send the whole catalogue, all 90 pages."],
    ["cy", "Are you open on Sunday?"],
  ]);
  await third.settle();
  minutes = 73;
  const long = await answer("Here is the catalogue. Chapter 1: storage by the month, with prices for every size.");
  await chain.replies.fail(solsPlace, long.id, "It is 9,214 bytes; the contract takes 4,096.");
  minutes = 75;
  await send(await answer("Yes, every day. Replies take a few minutes on Sundays too.")).then((one) => one.mine());
  minutes = 88;
  await read([["dee", "Can you keep a backup of 40 GB until March?"]], 1);
  minutes = 89.6;
  await read([["the mill", "Please confirm that last month is paid."]], 2);
  await house.close(0);
  await store.close();
}
