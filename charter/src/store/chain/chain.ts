import type { StoreDeps } from "../deps.ts";
import { type Page, pageOf } from "../home/page.ts";
import { sql } from "../home/sql.ts";
import { type ChainBalances, createChainBalances } from "./chain-balance.ts";
import {
  type ChainClaim,
  type ChainCursor,
  claimCursor,
  findCursor,
  type KeptChain,
  leaveOthers,
  listCursors,
  ofPlace,
} from "./chain-cursor.ts";
import {
  type BlockName,
  type ChainMessage,
  type ChainMessageRow,
  type ChainPlace,
  chainMessageOf,
} from "./chain-message.ts";
import { type ChainReplies, createChainReplies } from "./chain-replies.ts";
import type { ChainReplyState } from "./chain-reply.ts";
import { type ChainPayments, createChainPayments } from "./payments.ts";
import { type ChainRewind, type RewindResult, rewindCursor } from "./rewind.ts";
import { type ChainBatch, type TakenBatch, takePosts } from "./take-posts.ts";

/** How many messages of a contract are part of its chain and how many are not any more, and how its replies are. */
export type ChainCounts = {
  readonly included: number;
  readonly orphaned: number;
  readonly replies: Readonly<Record<ChainReplyState, number>>;
};

/** `store.chain`: inboxes of agents that are contracts on a chain. */
export type ChainStore = {
  readonly cursor: (place: ChainPlace) => Promise<ChainCursor | undefined>;
  /** All of an agent's. */
  readonly cursors: (agent: string) => Promise<ChainCursor[]>;
  /** Takes charge of reading and sending, or stays in charge, if nobody else has it. */
  readonly claim: (place: ChainPlace, about: ChainClaim) => Promise<ChainCursor | undefined>;
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
  return {
    cursor: (place) => home.read("everything", (db) => findCursor(db, place)),
    cursors: (agent) => home.read("everything", (db) => listCursors(db, agent)),
    claim: (place, about) => home.write("everything", (db) => claimCursor(db, deps, place, about)),
    release: async (place, runner) => {
      await home.write("everything", (db) =>
        db.run(sql`update chain_cursors set runner = ${null}, leased_until = ${null}
          where ${ofPlace(place)} and runner = ${runner}`),
      );
    },
    note: async (place, { head = null, unconfirmed = null, problem }) => {
      await home.write("everything", (db) =>
        db.run(sql`update chain_cursors set head = coalesce(${head}, head),
          unconfirmed = coalesce(${unconfirmed}, unconfirmed), problem = ${problem},
          read_at = case when ${problem === null ? 1 : 0} = 1 then ${now()} else read_at end
          where ${ofPlace(place)}`),
      );
    },
    leaveOthers: (agent, kept) => home.write("everything", (db) => leaveOthers(db, agent, kept)),
    blocks: (place) =>
      home.read("everything", (db) =>
        db.all<BlockName>(sql`select block, hash from chain_blocks where ${ofPlace(place)} order by block desc`),
      ),
    take: (place, batch) => home.write("everything", (db) => takePosts(db, deps, place, batch)),
    rewind: (place, about) => home.write("everything", (db) => rewindCursor(db, deps, place, about)),
    find: (agent, message) =>
      home.read("everything", async (db) => {
        const row = await db.one<ChainMessageRow>(
          sql`select * from chain_messages where agent = ${agent} and message = ${message}`,
        );
        return row && chainMessageOf(row);
      }),
    messages: (agent, page = {}) =>
      home.read("everything", async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<ChainMessageRow>(sql`select * from chain_messages where agent = ${agent}
          order by at desc, block desc, message limit ${limit} offset ${offset}`);
        return rows.map(chainMessageOf);
      }),
    counts: (place) =>
      home.read("everything", async (db) => {
        const states = await db.all<{ state: ChainMessage["state"]; count: number }>(
          sql`select state, count(*) as count from chain_messages where ${ofPlace(place)} group by state`,
        );
        const replies = await db.all<{ state: ChainReplyState; count: number }>(sql`select
            coalesce(r.state, 'waiting') as state, count(*) as count
          from outbox o join chain_messages c on c.agent = o.agent and c.message = o.message
          left join chain_replies r on r.agent = o.agent and r.reply = o.id
          where c.agent = ${place.agent} and c.chain = ${place.chain} and c.contract = ${place.contract.toLowerCase()}
          group by coalesce(r.state, 'waiting')`);
        const count = Object.fromEntries(states.map((row) => [row.state, row.count]));
        const of = Object.fromEntries(replies.map((row) => [row.state, row.count]));
        return { included: count.included ?? 0, orphaned: count.orphaned ?? 0, replies: { ...noReplies, ...of } };
      }),
    replies: createChainReplies(deps),
    balances: createChainBalances(deps),
    payments: createChainPayments(deps),
  };
}
