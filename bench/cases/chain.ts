import { createPublicClient, http, parseAbiItem } from "viem";
import { type ChainReaderOptions, createChainReader } from "../../charter/src/channels/chain/open-chain.ts";
import { createStore } from "../../charter/src/store/store.ts";
import { startInbox } from "../../charter/test/chain/chain-process.ts";
import { newFile, newPostgres, type Place } from "../../charter/test/homes.ts";
import { startPostgres } from "../../charter/test/postgres.ts";
import type { Report } from "../report.ts";
import { type Contender, inRounds, ratioOf, timeOf } from "../rounds.ts";

const posts = 1000;
const perBlock = 10;
const event = parseAbiItem(
  "event Posted(bytes32 indexed id, address indexed agent, address indexed sender, uint256 value, bytes body)",
);

/** Taking posts from a chain into the inbox, beside reading the same with viem, from a real node on this machine. */
export async function chain(rounds: number): Promise<Report> {
  const server = await startPostgres();
  const inbox = await startInbox();
  const takers: Taker[] = [];
  try {
    await server.ready;
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
    const places = { SQLite: newFile, PostgreSQL: () => newPostgres(server.url, "empty") };
    for (const [name, newPlace] of Object.entries(places))
      takers.push(await createTaker({ name, newPlace, settings, wrong }));
    const times = await inRounds([{ name: "viem", prepare: () => [read] }, ...takers], rounds);
    return {
      title: `Chain  ${posts.toLocaleString("en")} posts in ${posts / perBlock} blocks, from a node on this machine`,
      about: "viem = the number of the newest block, and one getLogs; Charter also checks them and keeps them",
      rows: [
        { case: "chain", what: "viem alone", time: timeOf(times, "viem") },
        ...takers.map(({ name }) => ({
          case: "chain",
          what: `Charter, into the inbox on ${name}`,
          time: timeOf(times, name),
          ratio: { ...ratioOf(times, name, "viem"), of: "viem alone" },
          target: 3,
        })),
      ],
      wrong,
    };
  } finally {
    for (const taker of takers) await taker.close();
    await inbox.process.kill();
    await server.stop();
  }
}

type Taker = Contender & { readonly close: () => Promise<void> };

/** Takes all posts, each time into a store of its own, which is made off the clock. */
async function createTaker({
  name,
  newPlace,
  settings,
  wrong,
}: {
  readonly name: string;
  readonly newPlace: () => Promise<Place>;
  readonly settings: ChainReaderOptions["settings"];
  readonly wrong: string[];
}): Promise<Taker> {
  const make = async () => {
    const place = await newPlace();
    const store = await createStore(place.open());
    await store.agents.add({ name: "nova", charter: "sovereign" });
    const reader = createChainReader({ store, agent: "nova", settings, clock: () => new Date() });
    const close = async () => {
      await store.close();
      await place.remove();
    };
    return { reader, close };
  };
  let made = await make();
  const take = async () => {
    const posted = await made.reader.tick();
    if (posted !== posts) wrong.push(`Charter took ${posted} posts on ${name}.`);
  };
  const settle = async () => {
    await made.close();
    made = await make();
  };
  return { name, prepare: () => [take], settle, close: () => made.close() };
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
