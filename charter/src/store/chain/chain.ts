import { counterpartKey, counterpartOf } from "../conversations/inbox-row.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvents } from "../event.ts";
import type { Database } from "../home/database.ts";
import { matching, onPage, type Page, putInto, recordOf } from "../home/query.ts";
import { listOf, type Query, sql } from "../home/sql.ts";
import type { RecordOf, RowOf } from "../home/table.ts";
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

/** What a message paid to an agent, in wei, and the block it stands in. */
export type Payment = BlockName & { readonly message: string; readonly sender: string; readonly value: string };

/** By which payments to an address become cycles: what the agent lives on, in millionths of a dollar. */
type PaymentRule = {
  readonly address: string;
  readonly cyclesPerEther: number;
  /** The most that become cycles in a day (UTC). */
  readonly maxCyclesPerDay: number;
};

/** `store.chain.payments`: what messages paid, and what became of it. */
type ChainPayments = {
  /** Those that would become cycles now, oldest first; none while the agent lives on no grant. */
  readonly listDue: (place: ChainPlace, rule: PaymentRule) => Promise<Payment[]>;
  /** Makes cycles of payments that are final, each once, as far as the day's limit goes. Returns how many cycles. */
  readonly credit: (
    place: ChainPlace,
    about: { readonly runner: string; readonly rule: PaymentRule; readonly final: readonly Payment[] },
  ) => Promise<number>;
};

const ether = 10n ** 18n;

/**
 * What becomes of payments, in their order. What an address pays itself, and what only one node speaks of, is worth nothing;
 * no payment is worth more than a day's limit. The first that passes what is left of the day waits, and so do all after it.
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
        await recordEvents(
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

/** What became cycles that day; nothing, where nothing was ever granted: whoever may spend without limit needs none. */
async function earnedOn(db: Database, agent: string, day: string): Promise<number | undefined> {
  const row = await db.one<{ earned_on: string | null; earned: number }>(
    sql`select earned_on, earned from automata where agent = ${agent} and granted is not null`,
  );
  return row && (row.earned_on === day ? row.earned : 0);
}

const mostAtOnce = 50;

/** The oldest payments that became nothing yet, or those of them that stand in the blocks they were seen in. */
async function listUnpaid(db: Database, place: ChainPlace, among?: readonly Payment[]): Promise<Payment[]> {
  const which = among === undefined ? sql`` : sql`and message in ${listOf(among.map(({ message }) => message))}`;
  const rows = await db.all<Omit<Payment, "sender"> & { user_id: string }>(sql`select message, user_id, value, block,
      block_hash as hash from chain_messages where ${ofPlace(place)} and cycles is null and value <> '0'
      and state = 'included' ${which} order by block, at, message limit ${mostAtOnce}`);
  const seen = among && new Set(among.map(({ message, hash }) => `${message} ${hash}`));
  return rows
    .filter(({ message, hash }) => seen?.has(`${message} ${hash}`) ?? true)
    .map(({ user_id, ...row }) => ({ ...row, sender: counterpartOf(user_id) }));
}
