import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { matching, onPage, type Page, putInto, recordOf } from "../home/query.ts";
import { type Query, sql } from "../home/sql.ts";
import type { RecordOf, RowOf } from "../home/table.ts";
import { type Claimant, releaseLease } from "../lease.ts";
import {
  type ChainCursor,
  type ChainRewind,
  claimCursor,
  findCursor,
  isInUse,
  type KeptChain,
  leaveOthers,
  listCursors,
  ofPlace,
  placeOf,
  type RewindResult,
  rewindCursor,
} from "./chain-cursor.ts";
import {
  type BlockName,
  type ChainMessage,
  type ChainPlace,
  chainBalances,
  chainMessageOf,
  type chainMessages,
} from "./chain-message.ts";
import { type ChainReplies, createChainReplies } from "./chain-replies.ts";
import { type ChainReplyState, ofContract, repliesWhere } from "./chain-reply.ts";
import { type ChainPayments, createChainPayments } from "./payments.ts";
import { type ChainBatch, type TakenBatch, takePosts } from "./take-posts.ts";

/** How many messages of a contract are part of its chain and how many are not any more, and how its replies are. */
type ChainCounts = {
  readonly included: number;
  readonly orphaned: number;
  readonly replies: Readonly<Record<ChainReplyState, number>>;
};

/**
 * `store.chain`: inboxes of agents that are contracts on a chain.
 *
 * @opaque
 */
export type ChainStore = {
  readonly cursor: (place: ChainPlace) => Promise<ChainCursor | undefined>;
  /** All of an agent's. */
  readonly cursors: (agent: string) => Promise<ChainCursor[]>;
  /** Takes charge of reading and sending, or stays in charge, if nobody else has it. */
  readonly claim: (place: ChainPlace, about: Claimant) => Promise<ChainCursor | undefined>;
  readonly release: (place: ChainPlace, runner: string) => Promise<void>;
  /** Notes how the chain is where nothing new is to be taken. `problem`: what keeps it from being read. */
  readonly note: (
    place: ChainPlace,
    seen: { readonly head?: number; readonly unconfirmed?: number; readonly problem: string | null },
  ) => Promise<void>;
  /** Forgets how all other chains of an agent were, and what it had there; without `kept`, all of them. */
  readonly leaveOthers: (agent: string, kept?: KeptChain) => Promise<void>;
  /** The blocks whose hashes are kept, newest first. */
  readonly blocks: (place: ChainPlace) => Promise<BlockName[]>;
  /** Takes what was read: messages, the hashes of blocks and the cursor, in one commit. */
  readonly take: (place: ChainPlace, batch: ChainBatch) => Promise<TakenBatch>;
  /** Goes back to the last block that is still part of the chain, in one commit. */
  readonly rewind: (place: ChainPlace, about: ChainRewind) => Promise<RewindResult>;
  /** Where a message stands on its chain; nothing, if it came another way. */
  readonly find: (agent: string, message: string) => Promise<ChainMessage | undefined>;
  /** Newest first. */
  readonly messages: (agent: string, page?: Page) => Promise<ChainMessage[]>;
  readonly counts: (place: ChainPlace) => Promise<ChainCounts>;
  readonly replies: ChainReplies;
  readonly balances: ChainBalances;
  readonly payments: ChainPayments;
};

const noReplies = { waiting: 0, signed: 0, sent: 0, mined: 0, final: 0, held: 0, failed: 0 };

export function createChainStore(deps: StoreDeps): ChainStore {
  const { home, now } = deps;
  const read = <Result>(work: (db: Database) => Promise<Result>) => home.read("everything", work);
  const write = <Result>(work: (db: Database) => Promise<Result>) => home.write("everything", work);
  const messages = (where: Query, page: Page = {}) =>
    read(async (db) => {
      const rows = await db.all<RowOf<typeof chainMessages>>(sql`select * from chain_messages where ${where}
        order by at desc, block desc, message ${onPage(page)}`);
      return rows.map(chainMessageOf);
    });
  return {
    cursor: (place) => read((db) => findCursor(db, place)),
    cursors: (agent) => read((db) => listCursors(db, matching({ agent }))),
    claim: (place, about) => write((db) => claimCursor(db, deps, place, about)),
    release: (place, runner) =>
      write((db) => releaseLease(db, "chain_cursors", matching({ ...placeOf(place), runner }))),
    note: async (place, { head = null, unconfirmed = null, problem }) => {
      await write((db) =>
        db.run(sql`update chain_cursors set head = coalesce(${head}, head),
          unconfirmed = coalesce(${unconfirmed}, unconfirmed), problem = ${problem},
          read_at = coalesce(${problem === null ? now() : null}, read_at) where ${ofPlace(place)}`),
      );
    },
    leaveOthers: (agent, kept) => write((db) => leaveOthers(db, agent, kept)),
    blocks: (place) =>
      read((db) =>
        db.all<BlockName>(sql`select block, hash from chain_blocks where ${ofPlace(place)} order by block desc`),
      ),
    take: (place, batch) => write((db) => takePosts(db, deps, place, batch)),
    rewind: (place, about) => write((db) => rewindCursor(db, deps, place, about)),
    find: async (agent, message) => (await messages(matching({ agent, message })))[0],
    messages: (agent, page) => messages(matching({ agent }), page),
    counts: (place) =>
      read(async (db) => {
        type Counted = { state: string; count: number };
        const included = await db.all<Counted>(
          sql`select state, count(*) as count from chain_messages where ${ofPlace(place)} group by state`,
        );
        const replies = await db.all<Counted>(sql`select coalesce(r.state, 'waiting') as state, count(*) as count
          from ${repliesWhere(ofContract(place))} group by coalesce(r.state, 'waiting')`);
        const byState = (rows: readonly Counted[]) =>
          Object.fromEntries(rows.map(({ state, count }) => [state, count]));
        return { included: 0, orphaned: 0, ...byState(included), replies: { ...noReplies, ...byState(replies) } };
      }),
    replies: createChainReplies(deps),
    balances: createChainBalances(deps),
    payments: createChainPayments(deps),
  };
}

/** What an agent's address has on a chain, as it was last read. */
export type ChainBalance = Omit<RecordOf<typeof chainBalances>, "agent">;

/** `store.chain.balances`: what an agent has on chains. */
type ChainBalances = {
  /** Replaces what was known. */
  readonly set: (agent: string, chain: number, balance: Omit<ChainBalance, "readAt">) => Promise<void>;
  readonly list: (agent: string, chain?: number) => Promise<ChainBalance[]>;
};

function createChainBalances({ home, now }: Pick<StoreDeps, "home" | "now">): ChainBalances {
  return {
    set: (agent, chain, balance) =>
      home.write("everything", async (db) => {
        if (await isInUse(db, agent)) await db.run(putInto(chainBalances, { agent, chain, ...balance, readAt: now() }));
      }),
    list: (agent, chain) =>
      home.read("everything", async (db) => {
        const rows = await db.all<object>(sql`select * from chain_balances where ${matching({ agent, chain })}
          order by case when asset = 'ETH' then 0 else 1 end, asset`);
        return rows.map((row) => {
          const { agent: _, ...balance } = recordOf(chainBalances, row);
          return balance;
        });
      }),
  };
}
