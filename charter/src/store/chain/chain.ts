import type { StoreDeps } from "../deps.ts";
import { recordEvents } from "../event.ts";
import type { Database } from "../home/database.ts";
import { matching, onPage, type Page, putInto, recordOf } from "../home/query.ts";
import { listOf, type Query, sql } from "../home/sql.ts";
import type { RecordOf, RowOf } from "../home/table.ts";
import { counterpartKey, counterpartOf } from "../scope.ts";
import { type Claimant, releaseLease } from "../work.ts";
import {
  type BlockName,
  type ChainCursor,
  type ChainMessage,
  type ChainPlace,
  type ChainRewind,
  chainBalances,
  chainMessageOf,
  type chainMessages,
  claimCursor,
  findCursor,
  isInUse,
  isUnproven,
  type KeptChain,
  leaveOthers,
  listCursors,
  lockChain,
  ofPlace,
  ownCursor,
  placeOf,
  type RewindResult,
  rewindCursor,
} from "./chain-message.ts";
import {
  type ChainReplies,
  type ChainReplyState,
  createChainReplies,
  ofContract,
  repliesWhere,
} from "./chain-replies.ts";
import { type ChainBatch, type TakenBatch, takePosts } from "./take-posts.ts";

/** Numbers of a contract's messages, by whether they are still part of the chain, and of its replies, by state. */
type ChainCounts = {
  readonly included: number;
  readonly orphaned: number;
  readonly replies: Readonly<Record<ChainReplyState, number>>;
};

/**
 * `store.chain`: inboxes of agents that are contracts on a blockchain.
 *
 * @opaque
 */
export type ChainStore = {
  readonly cursor: (place: ChainPlace) => Promise<ChainCursor | undefined>;
  /** Lists the cursors of an agent. */
  readonly cursors: (agent: string) => Promise<ChainCursor[]>;
  /** Takes charge of reading and sending, or stays in charge, if no other process has it. */
  readonly claim: (place: ChainPlace, about: Claimant) => Promise<ChainCursor | undefined>;
  readonly release: (place: ChainPlace, runner: string) => Promise<void>;
  /** Stores the state of the chain when there are no new posts. `problem`: the reason why it cannot be read. */
  readonly note: (
    place: ChainPlace,
    seen: { readonly head?: number; readonly unconfirmed?: number; readonly problem: string | null },
  ) => Promise<void>;
  /** Clears the state and balances of all other chains of an agent; without `kept`, of all of them. */
  readonly leaveOthers: (agent: string, kept?: KeptChain) => Promise<void>;
  /** Lists the blocks whose hashes are stored, newest first. */
  readonly blocks: (place: ChainPlace) => Promise<BlockName[]>;
  /** Stores what was read: messages, the hashes of blocks and the cursor, in one commit. */
  readonly take: (place: ChainPlace, batch: ChainBatch) => Promise<TakenBatch>;
  /** Goes back to the last block that is still part of the chain, in one commit. */
  readonly rewind: (place: ChainPlace, about: ChainRewind) => Promise<RewindResult>;
  /** Finds the place of a message on its chain; undefined if it came another way. */
  readonly find: (agent: string, message: string) => Promise<ChainMessage | undefined>;
  /** Lists messages, newest first. */
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

/** Balance of an agent's address on a chain, as it was last read. */
export type ChainBalance = Omit<RecordOf<typeof chainBalances>, "agent">;

/** `store.chain.balances`: what an agent has on chains. */
type ChainBalances = {
  /** Replaces the known balance. */
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

/** Payment of a message to an agent, in wei, and the block it is in. */
export type Payment = BlockName & { readonly message: string; readonly sender: string; readonly value: string };

/** Rule by which payments to an address become cycles, which the agent lives on: millionths of a dollar. */
type PaymentRule = {
  readonly address: string;
  readonly cyclesPerEther: number;
  /** Maximum number of cycles that payments become in a day (UTC). */
  readonly maxCyclesPerDay: number;
};

/** `store.chain.payments`: what messages paid, and the cycles it became. */
type ChainPayments = {
  /** Lists the payments that would become cycles now, oldest first; none if the agent was never granted anything. */
  readonly listDue: (place: ChainPlace, rule: PaymentRule) => Promise<Payment[]>;
  /** Turns final payments into cycles, each once, up to the day's limit. Returns the number of cycles. */
  readonly credit: (
    place: ChainPlace,
    about: { readonly runner: string; readonly rule: PaymentRule; readonly final: readonly Payment[] },
  ) => Promise<number>;
};

const ether = 10n ** 18n;

/**
 * Computes the cycles of payments, in their order. A payment by the address to itself, or one that only one node tells of, is
 * worth nothing; no payment is worth more than a day's limit. The first that exceeds what is left of the day waits, and so do all
 * after it.
 */
export function cyclesOf<One extends Pick<Payment, "sender" | "value">>(
  payments: readonly One[],
  { address, cyclesPerEther, maxCyclesPerDay }: PaymentRule,
  earnedToday: number,
): (One & { readonly cycles: number })[] {
  const made: (One & { readonly cycles: number })[] = [];
  let earned = earnedToday;
  for (const payment of payments) {
    const { sender, value } = payment;
    const isNobodys = isUnproven(sender) || counterpartKey(sender) === counterpartKey(address);
    const whole = isNobodys ? 0n : (BigInt(value) * BigInt(cyclesPerEther)) / ether;
    const cycles = Number(whole < BigInt(maxCyclesPerDay) ? whole : BigInt(maxCyclesPerDay));
    if (earned + cycles > maxCyclesPerDay) break;
    earned += cycles;
    made.push({ ...payment, cycles });
  }
  return made;
}

function createChainPayments({ home, now }: Pick<StoreDeps, "home" | "now">): ChainPayments {
  return {
    listDue: (place, rule) =>
      home.read("everything", async (db) => {
        const earned = await earnedOn(db, place.agent, now().slice(0, 10));
        return earned === undefined ? [] : cyclesOf(await listUnpaid(db, place), rule, earned);
      }),
    credit: (place, { runner, rule, final }) =>
      home.write("everything", async (db) => {
        const { agent } = place;
        await lockChain(db, agent);
        const [at, day] = [now(), now().slice(0, 10)];
        const earned = await earnedOn(db, agent, day);
        if (earned === undefined || !(await ownCursor(db, place, runner))) return 0;
        const made = cyclesOf(await listUnpaid(db, place, final), rule, earned);
        for (const { message, cycles } of made)
          await db.run(
            sql`update chain_messages set cycles = ${cycles} where agent = ${agent} and message = ${message}`,
          );
        const sum = made.reduce((total, { cycles }) => total + cycles, 0);
        if (sum === 0) return 0;
        await db.run(sql`update automata set granted = granted + ${sum}, earned_on = ${day}, earned = ${earned + sum}
          where agent = ${agent}`);
        const events = made.filter(({ cycles }) => cycles > 0);
        recordEvents(
          db,
          events.map(({ message, sender, value, cycles }) => ({
            ...{ at, scope: { agent, user: counterpartKey(sender) }, kind: "automaton-earned" },
            detail: { message, value, micros: cycles },
          })),
        );
        return sum;
      }),
  };
}

/**
 * Returns the cycles earned that day; undefined if nothing was ever granted: an agent that may spend without limit needs none.
 */
async function earnedOn(db: Database, agent: string, day: string): Promise<number | undefined> {
  const row = await db.one<{ earned_on: string | null; earned: number }>(
    sql`select earned_on, earned from automata where agent = ${agent} and granted is not null`,
  );
  return row && (row.earned_on === day ? row.earned : 0);
}

const maxPaymentsAtOnce = 50;

/** Lists the oldest payments that became no cycles yet; of `among`, only those that are still in the block they were seen in. */
async function listUnpaid(db: Database, place: ChainPlace, among?: readonly Payment[]): Promise<Payment[]> {
  const which = among === undefined ? sql`` : sql`and message in ${listOf(among.map(({ message }) => message))}`;
  const rows = await db.all<Omit<Payment, "sender"> & { user_id: string }>(sql`select message, user_id, value, block,
      block_hash as hash from chain_messages where ${ofPlace(place)} and cycles is null and value <> '0'
      and state = 'included' ${which} order by block, at, message limit ${maxPaymentsAtOnce}`);
  const seen = among && new Set(among.map(({ message, hash }) => `${message} ${hash}`));
  return rows
    .filter(({ message, hash }) => seen?.has(`${message} ${hash}`) ?? true)
    .map(({ user_id, ...row }) => ({ ...row, sender: counterpartOf(user_id) }));
}
