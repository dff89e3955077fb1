import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { type Page, pageOf } from "../home/page.ts";
import { lockAgainstErasure } from "../home/query.ts";
import { listOf, type Query, raw, sql } from "../home/sql.ts";
import { isKept, lockChain, ownCursor } from "./chain-cursor.ts";
import { sumFees } from "./chain-fees.ts";
import type { BlockName, ChainPlace } from "./chain-message.ts";
import {
  type ChainReply,
  type ChainReplyRow,
  type ChainReplyState,
  chainReplyOf,
  type FoundReply,
  type MinedReply,
  type SignedReply,
} from "./chain-reply.ts";

/** `store.chain.replies`: replies to messages that came by a chain. */
export type ChainReplies = {
  /** Those with something to do: not final and not failed; of messages that are orphaned, only what may have been sent. Oldest first. */
  readonly listDue: (
    place: ChainPlace,
    page?: Page & { readonly states?: readonly ChainReplyState[] },
  ) => Promise<ChainReply[]>;
  /** All of a contract in one state, oldest first. */
  readonly list: (place: ChainPlace, state: ChainReplyState, page?: Page) => Promise<ChainReply[]>;
  /** Those that have not got to the chain since a time, though nothing they wait for is theirs to wait for. Oldest first. */
  readonly listStuck: (place: ChainPlace, since: string, page?: Page) => Promise<ChainReply[]>;
  readonly find: (agent: string, reply: string) => Promise<ChainReply | undefined>;
  /**
   * Keeps the transaction of a reply before it is sent. False, and nothing is kept, if another process is in charge, the
   * message is not part of the chain under this name, or there is a transaction already that this one does not replace.
   */
  readonly sign: (place: ChainPlace, signed: SignedReply) => Promise<boolean>;
  /** An address of the chain took it; or, after it was mined, its block went and it is waited for again. */
  readonly markSent: (agent: string, reply: string, tx: string) => Promise<boolean>;
  readonly markMined: (agent: string, reply: string, mined: MinedReply) => Promise<boolean>;
  /** It stands in a block by another transaction than the one that is kept: by an earlier one, or (null) nobody knows which. */
  readonly markFound: (place: ChainPlace, found: FoundReply) => Promise<boolean>;
  /** It does not go any more: the reply in the outbox is sent. False while its block was not read, or if `read` has gone. */
  readonly markFinal: (agent: string, reply: string, tx: string | null, read?: BlockName) => Promise<boolean>;
  /** It waits, and why. Only one that was never signed. */
  readonly hold: (place: ChainPlace, reply: string, reason: string) => Promise<boolean>;
  /** What keeps one that goes on by itself from getting to the chain just now; null: nothing. */
  readonly note: (place: ChainPlace, reply: string, reason: string | null) => Promise<void>;
  /** It will not be sent, and why. */
  readonly fail: (place: ChainPlace, reply: string, reason: string) => Promise<boolean>;
  /** One that has failed or is held waits again. What was signed for it stays known, and what that may have cost. */
  readonly retry: (agent: string, reply: string, by: string) => Promise<boolean>;
  /** What replies that were signed since then cost, or may cost, in wei; whoever was erased meanwhile. */
  readonly feesSince: (agent: string, since: string) => Promise<bigint>;
};

export function createChainReplies({ home, now }: Pick<StoreDeps, "home" | "now">): ChainReplies {
  /** Moves a reply whose transaction is this one, from one of these states. */
  const mark = (agent: string, reply: string, tx: string, from: readonly ChainReplyState[], set: Query) =>
    home.write("everything", async (db) => {
      const states = raw(from.map((state) => `'${state}'`).join(", "));
      const marked = await db.run(sql`update chain_replies set ${set} where agent = ${agent} and reply = ${reply}
        and tx = ${tx} and state in (${states})`);
      return marked > 0;
    });
  const settle = (place: ChainPlace, reply: string, state: "held" | "failed", reason: string) =>
    home.write("everything", async (db) => {
      await lockAgainstErasure(db);
      await lockChain(db, place.agent);
      const before = await findReply(db, place.agent, reply);
      const open = state === "held" ? ["waiting", "held"] : ["waiting", "held", "signed", "sent", "mined"];
      if (!before || !open.includes(before.state)) return false;
      if (before.state === state && before.reason === reason) return true;
      const at = now();
      await putReply(db, place, before, { state, reason, at });
      const user = await userOf(db, place.agent, reply);
      const detail = { message: before.message, reply, because: reason };
      await recordEvent(db, at, { scope: { agent: place.agent, user }, kind: `chain-reply-${state}`, detail });
      return true;
    });
  return {
    listDue: (place, { states, ...page } = {}) =>
      home.read("everything", (db) =>
        select(
          db,
          sql`${messagesOf(place)}
            and ((c.state = 'included' and coalesce(r.state, 'waiting') not in ('final', 'failed'))
              or r.state in ('signed', 'sent', 'mined'))
            ${states === undefined ? raw("") : sql`and coalesce(r.state, 'waiting') in ${listOf(states)}`}`,
          page,
        ),
      ),
    list: (place, state, page = {}) =>
      home.read("everything", (db) =>
        select(db, sql`${messagesOf(place)} and coalesce(r.state, 'waiting') = ${state}`, page),
      ),
    listStuck: (place, since, page = {}) =>
      home.read("everything", (db) =>
        select(
          db,
          sql`${messagesOf(place)} and c.state = 'included' and ((r.state = 'waiting' and r.reason is not null
            and o.at < ${since}) or (r.state = 'signed' and r.at < ${since})
            or (r.state = 'sent' and coalesce(r.sent_at, r.at) < ${since}))`,
          page,
        ),
      ),
    find: (agent, reply) => home.read("everything", (db) => findReply(db, agent, reply)),
    sign: (place, signed) =>
      home.write("everything", async (db) => {
        const { agent } = place;
        await lockAgainstErasure(db);
        await lockChain(db, agent);
        const before = await findReply(db, agent, signed.reply);
        if (!before?.included || before.onChain !== signed.onChain) return false;
        if (!(await ownCursor(db, place, signed.runner))) return false;
        const open =
          signed.instead === undefined
            ? before.state === "waiting" || before.state === "held"
            : before.tx === signed.instead && ["signed", "sent", "mined"].includes(before.state);
        if (!open) return false;
        const { raw: words, tx, nonce, fee } = signed;
        await putReply(db, place, before, { state: "signed", raw: words, tx, nonce, fee, at: now() });
        return true;
      }),
    markSent: (agent, reply, tx) =>
      mark(
        ...([agent, reply, tx] as const),
        ["signed", "sent", "mined"],
        sql`state = 'sent', sent_at = coalesce(sent_at, ${now()}), block = ${null}, block_hash = ${null},
          reason = ${null}`,
      ),
    markMined: (agent, reply, { tx, block, blockHash, fee }) =>
      mark(
        ...([agent, reply, tx] as const),
        ["signed", "sent", "mined"],
        sql`state = 'mined', sent_at = coalesce(sent_at, ${now()}), block = ${block}, block_hash = ${blockHash}, fee = ${fee}`,
      ),
    markFound: (place, { reply, instead, tx, block, blockHash, fee }) =>
      home.write("everything", async (db) => {
        await lockAgainstErasure(db);
        await lockChain(db, place.agent);
        const before = await findReply(db, place.agent, reply);
        if (!before || before.tx !== instead || before.state === "final" || before.state === "failed") return false;
        await putReply(db, place, before, { state: "mined", at: before.at ?? now() });
        await db.run(sql`update chain_replies set tx = ${tx}, block = ${block}, block_hash = ${blockHash},
          sent_at = coalesce(sent_at, ${now()}), fee = coalesce(${fee}, fee)
          where agent = ${place.agent} and reply = ${reply}`);
        return true;
      }),
    markFinal: async (agent, reply, tx, read) =>
      home.write("everything", async (db) => {
        const marked = await db.run(sql`update chain_replies set state = 'final' where agent = ${agent}
          and reply = ${reply} and coalesce(tx, '') = ${tx ?? ""} and state = 'mined'
          and exists (select 1 from chain_cursors c where c.agent = chain_replies.agent and c.chain = chain_replies.chain
            and c.contract = chain_replies.contract and c.block >= chain_replies.block)
          ${read === undefined ? raw("") : isKept(read)}`);
        if (marked > 0)
          await db.run(sql`update outbox set sent_at = ${now()} where agent = ${agent} and id = ${reply}
            and sent_at is null`);
        return marked > 0;
      }),
    note: (place, reply, reason) =>
      home.write("everything", async (db) => {
        await lockAgainstErasure(db);
        await lockChain(db, place.agent);
        const before = await findReply(db, place.agent, reply);
        if (!before || !["waiting", "signed", "sent", "mined"].includes(before.state)) return;
        if (before.at === null) await putReply(db, place, before, { state: before.state, at: now() });
        await db.run(
          sql`update chain_replies set reason = ${reason} where agent = ${place.agent} and reply = ${reply}`,
        );
      }),
    hold: (place, reply, reason) => settle(place, reply, "held", reason),
    fail: (place, reply, reason) => settle(place, reply, "failed", reason),
    retry: (agent, reply, by) =>
      home.write("everything", async (db) => {
        await lockAgainstErasure(db);
        await lockChain(db, agent);
        const retried = await db.run(sql`update chain_replies set state = 'waiting', reason = ${null}
          where agent = ${agent} and reply = ${reply} and state in ('held', 'failed')`);
        if (retried === 0) return false;
        const before = await findReply(db, agent, reply);
        const user = await userOf(db, agent, reply);
        const detail = { message: before?.message, reply, by };
        await recordEvent(db, now(), { scope: { agent, user }, kind: "chain-reply-retried", detail });
        return true;
      }),
    feesSince: (agent, since) => home.read("everything", (db) => sumFees(db, agent, since)),
  };
}

function messagesOf({ agent, chain, contract }: ChainPlace): Query {
  return sql`and c.agent = ${agent} and c.chain = ${chain} and c.contract = ${contract.toLowerCase()}`;
}

async function select(db: Database, where: Query, page: Page): Promise<ChainReply[]> {
  const { limit, offset } = pageOf(page);
  const rows = await db.all<ChainReplyRow>(sql`select o.id as reply, c.message, c.user_id, o.body, o.at as answered_at,
      c.on_chain, c.state as included, r.state, r.on_chain as signed_for, r.raw, r.tx, r.nonce, r.fee, r.at, r.sent_at,
      r.block, r.block_hash, r.reason
    from outbox o join chain_messages c on c.agent = o.agent and c.message = o.message
    left join chain_replies r on r.agent = o.agent and r.reply = o.id
    where 1 = 1 ${where} order by o.at, o.id limit ${limit} offset ${offset}`);
  return rows.map(chainReplyOf);
}

async function findReply(db: Database, agent: string, reply: string): Promise<ChainReply | undefined> {
  const [found] = await select(db, sql`and o.agent = ${agent} and o.id = ${reply}`, {});
  return found;
}

async function userOf(db: Database, agent: string, reply: string): Promise<string> {
  const row = await db.one<{ user_id: string }>(
    sql`select user_id from outbox where agent = ${agent} and id = ${reply}`,
  );
  return row?.user_id ?? "";
}

type ReplyChange = {
  readonly state: ChainReplyState;
  readonly at: string;
  readonly reason?: string;
  readonly raw?: string;
  readonly tx?: string;
  readonly nonce?: number;
  readonly fee?: string;
};

async function putReply(db: Database, place: ChainPlace, before: ChainReply, change: ReplyChange): Promise<void> {
  const { agent, chain } = place;
  const { raw: words = before.raw, tx = before.tx, nonce = before.nonce, fee = before.fee, reason = null } = change;
  const user = await userOf(db, agent, before.reply);
  const named = change.raw === undefined ? (before.signedFor ?? before.onChain) : before.onChain;
  await db.run(sql`insert into chain_replies (agent, reply, user_id, message, chain, contract, on_chain, state, raw, tx,
      nonce, fee, at, reason)
    values (${agent}, ${before.reply}, ${user}, ${before.message}, ${chain}, ${place.contract.toLowerCase()}, ${named},
      ${change.state}, ${words}, ${tx}, ${nonce}, ${fee}, ${change.at}, ${reason})
    on conflict (agent, reply) do update set on_chain = excluded.on_chain, state = excluded.state, raw = excluded.raw,
      tx = excluded.tx, nonce = excluded.nonce, fee = excluded.fee, at = excluded.at, reason = excluded.reason,
      sent_at = case when excluded.tx = chain_replies.tx then chain_replies.sent_at else null end,
      block = case when excluded.tx = chain_replies.tx then chain_replies.block else null end,
      block_hash = case when excluded.tx = chain_replies.tx then chain_replies.block_hash else null end`);
}
