import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPublicClient, http, parseAbiItem } from "viem";
import { createChainReader } from "../../charter/src/channels/chain/chain-reader.ts";
import { sqlite } from "../../charter/src/store/home/sqlite/sqlite.ts";
import { createStore } from "../../charter/src/store/store.ts";
import { startInbox } from "../../charter/test/chain/chain-process.ts";
import type { Report } from "../report.ts";
import { type Contender, inRounds, ratioOf, timeOf } from "../rounds.ts";

const posts = 1000;
const perBlock = 10;
const event = parseAbiItem(
  "event Posted(bytes32 indexed id, address indexed agent, address indexed sender, uint256 value, bytes body)",
);

/** Taking posts from a chain into the inbox, beside reading the same with viem, from a real node on this machine. */
export async function chain(rounds: number): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "charter-chain-"));
  const inbox = await startInbox();
  try {
    await fill(inbox);
    const { contract, agent: address } = inbox;
    const client = createPublicClient({ transport: http(inbox.chain.url) });
    const wrong: string[] = [];
    const read = async () => {
      const toBlock = await client.getBlockNumber();
      const logs = await client.getLogs({ address: contract, event, args: { agent: address }, fromBlock: 0n, toBlock });
      if (logs.length !== posts || logs.some(({ args }) => !args.body)) wrong.push(`viem found ${logs.length} posts.`);
    };
    const settings = {
      ...{ rpc: [inbox.chain.url], id: 31337, contract, address, from: 0, confirmations: 1 },
      ...{ maxFeePerReply: 1n, maxFeePerDay: 1n },
    };
    let count = 0;
    let close = async () => {};
    const take = async () => {
      // A store of its own each time, made off the clock.
      const { store, reader } = await made;
      const posted = await reader.tick();
      if (posted !== posts) wrong.push(`Charter took ${posted} posts.`);
      close = () => store.close();
    };
    const make = async () => {
      const store = await createStore(sqlite(join(folder, `${count++}.db`)));
      await store.agents.add({ name: "nova", charter: "sovereign" });
      const reader = createChainReader({ store, agent: "nova", settings, clock: () => new Date() });
      return { store, reader };
    };
    let made = make();
    await made;
    const charter: Contender = {
      name: "charter",
      prepare: () => [take],
      settle: async () => {
        await close();
        made = make();
        await made;
      },
    };
    const times = await inRounds([{ name: "viem", prepare: () => [read] }, charter], rounds);
    await (await made).store.close();
    return {
      title: `Chain  ${posts.toLocaleString("en")} posts in ${posts / perBlock} blocks, from a node on this machine`,
      about: "viem = the number of the newest block, and one getLogs; Charter also keeps them, on SQLite",
      rows: [
        { case: "chain", what: "viem alone", time: timeOf(times, "viem") },
        {
          case: "chain",
          what: "Charter, read, checked and in the inbox",
          time: timeOf(times, "charter"),
          ratio: { ...ratioOf(times, "charter", "viem"), of: "viem alone" },
          target: 3,
        },
      ],
      wrong,
    };
  } finally {
    await inbox.process.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill({ chain, send }: Awaited<ReturnType<typeof startInbox>>): Promise<void> {
  const accounts = (await chain.accounts()).slice(2, 22);
  await chain.automine(false);
  for (let number = 0; number < posts; number++) {
    const from = accounts[number % accounts.length] as `0x${string}`;
    await send({ from, body: `Message ${number}: what does it cost, and when is it here?`, value: 1n, gas: 300_000n });
    if ((number + 1) % perBlock === 0) await chain.mine();
  }
}
