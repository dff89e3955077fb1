import { counterpartKey, counterpartOf } from "../conversations/inbox-row.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvents } from "../event.ts";
import type { Database } from "../home/database.ts";
import { listOf, sql } from "../home/sql.ts";
import { lockChain, ofPlace, ownCursor } from "./chain-cursor.ts";
import { type BlockName, type ChainPlace, isUnproven } from "./chain-message.ts";

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
export type ChainPayments = {
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

export function createChainPayments({ home, now }: Pick<StoreDeps, "home" | "now">): ChainPayments {
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
