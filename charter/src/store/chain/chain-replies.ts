import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { exactly, lockAgainstErasure, matching, onPage, type Page, putInto, recordOf } from "../home/query.ts";
import { listOf, type Query, raw, sql } from "../home/sql.ts";
import type { RecordOf, RowOf } from "../home/table.ts";
import { counterpartKey, counterpartOf } from "../scope.ts";
import {
  type BlockName,
  type ChainPlace,
  chainReplies,
  erasedFeesDays,
  lockChain,
  ownCursor,
  placeOf,
} from "./chain-message.ts";

/** `store.chain.replies`: replies to messages that came by a blockchain. */
export type ChainReplies = {
  /**
   * Lists the replies with something left to do, oldest first: not final and not failed; of orphaned messages, only those that
   * may have been sent.
   */
  readonly listDue: (
    place: ChainPlace,
    page?: Page & { readonly states?: readonly ChainReplyState[] },
  ) => Promise<ChainReply[]>;
  /** Lists the replies of a contract in one state, oldest first. */
  readonly list: (place: ChainPlace, state: ChainReplyState, page?: Page) => Promise<ChainReply[]>;
  /** Lists the replies that have not reached the chain since a time though they do not wait for a person, oldest first. */
  readonly listStuck: (place: ChainPlace, since: string, page?: Page) => Promise<ChainReply[]>;
  readonly find: (agent: string, reply: string) => Promise<ChainReply | undefined>;
  /**
   * Stores the transaction of a reply before it is sent. Returns false, and stores nothing, if another process is in charge, if
   * the message is not part of the chain under this id, or if there is already a transaction that this one does not replace.
   */
  readonly sign: (place: ChainPlace, signed: SignedReply) => Promise<boolean>;
  /** Marks a reply as sent: a node took it, or its block was orphaned after it was mined and it is waited for again. */
  readonly markSent: (agent: string, reply: string, tx: string) => Promise<boolean>;
  /** Marks a reply as mined by another transaction than the stored one: by an earlier one, or, with null, by an unknown one. */
  readonly markFound: (place: ChainPlace, found: FoundReply) => Promise<boolean>;
  /**
   * Marks a reply as final, and as sent in the outbox. Returns false if its block was not read yet, or `read` is no longer part
   * of the chain.
   */
  readonly markFinal: (agent: string, reply: string, tx: string | null, read?: BlockName) => Promise<boolean>;
  /** Holds a reply that was never signed, with the reason. */
  readonly hold: (place: ChainPlace, reply: string, reason: string) => Promise<boolean>;
  /** Stores why a reply that continues by itself cannot reach the chain just now; null: no reason. */
  readonly note: (place: ChainPlace, reply: string, reason: string | null) => Promise<void>;
  /** Marks a reply as failed, with the reason: it will not be sent. */
  readonly fail: (place: ChainPlace, reply: string, reason: string) => Promise<boolean>;
  /** Lets a failed or held reply wait again. What was signed for it stays known, with its cost. */
  readonly retry: (agent: string, reply: string, by: string) => Promise<boolean>;
  /** Adds up what replies signed since then cost, or may cost, in wei, including those of erased users. */
  readonly feesSince: (agent: string, since: string) => Promise<bigint>;
};

/** States in which a transaction is stored, and may be on its way. */
const underway: readonly ChainReplyState[] = ["signed", "sent", "mined"];

export function createChainReplies({ home, now }: Pick<StoreDeps, "home" | "now">): ChainReplies {
  /** Changes what is stored of a reply, with the locks against other changes and against erasure. */
  const change = (agent: string, reply: string, work: (db: Database, before: ChainReply) => Promise<boolean>) =>
    home.write("everything", async (db) => {
      await lockAgainstErasure(db);
      await lockChain(db, agent);
      const before = await findChainReply(db, agent, reply);
      return before !== undefined && work(db, before);
    });
  const settle = (place: ChainPlace, reply: string, state: "held" | "failed", reason: string) =>
    change(place.agent, reply, async (db, before) => {
      const open: readonly ChainReplyState[] = ["waiting", "held", ...(state === "failed" ? underway : [])];
      if (!open.includes(before.state)) return false;
      if (before.state === state && before.reason === reason) return true;
      const at = now();
      await keepReply(db, place, before, { state, reason, at });
      tell(db, at, place.agent, before, { kind: `chain-reply-${state}`, because: reason });
      return true;
    });
  const list = (where: Query, page: Page = {}) => home.read("everything", (db) => listChainReplies(db, where, page));
  return {
    listDue: (place, { states, ...page } = {}) =>
      list(
        sql`${ofContract(place)} and ((c.state = 'included' and coalesce(r.state, 'waiting') not in ('final', 'failed'))
          or r.state in ${listOf(underway)})
          ${states === undefined ? raw("") : sql`and coalesce(r.state, 'waiting') in ${listOf(states)}`}`,
        page,
      ),
    list: (place, state, page) => list(sql`${ofContract(place)} and coalesce(r.state, 'waiting') = ${state}`, page),
    listStuck: (place, since, page) =>
      list(
        sql`${ofContract(place)} and c.state = 'included' and ((r.state = 'waiting' and r.reason is not null
          and o.at < ${since}) or (r.state = 'signed' and r.at < ${since})
          or (r.state = 'sent' and coalesce(r.sent_at, r.at) < ${since}))`,
        page,
      ),
    find: (agent, reply) => home.read("everything", (db) => findChainReply(db, agent, reply)),
    sign: (place, { reply, runner, onChain, instead, ...signed }) =>
      change(place.agent, reply, async (db, before) => {
        if (!before.included || before.onChain !== onChain || !(await ownCursor(db, place, runner))) return false;
        const open =
          instead === undefined
            ? before.state === "waiting" || before.state === "held"
            : before.tx === instead && underway.includes(before.state);
        if (!open) return false;
        const replaced = signed.tx === before.tx ? {} : { sentAt: null, block: null, blockHash: null };
        const about = { ...replaced, signedFor: onChain, state: "signed", at: now(), reason: null } as const;
        await keepReply(db, place, before, { ...signed, ...about });
        return true;
      }),
    markSent: (agent, reply, tx) =>
      home.write("everything", async (db) => {
        await lockChain(db, agent);
        const marked = await db.run(sql`update chain_replies set state = 'sent', block = ${null}, block_hash = ${null},
            reason = ${null}, sent_at = coalesce(sent_at, ${now()})
          where ${exactly({ agent, reply, tx })} and state in ${listOf(underway)}`);
        return marked > 0;
      }),
    markFound: (place, { reply, instead, tx, block, blockHash, fee }) =>
      change(place.agent, reply, async (db, before) => {
        if (before.tx !== instead || before.state === "final" || before.state === "failed") return false;
        await keepReply(db, place, before, {
          ...{ state: "mined", tx, block, blockHash, fee: fee ?? before.fee, reason: null },
          ...{ at: before.at ?? now(), sentAt: before.sentAt ?? now() },
        });
        return true;
      }),
    markFinal: (agent, reply, tx, read) =>
      home.write("everything", async (db) => {
        await lockChain(db, agent);
        const marked = await db.run(sql`update chain_replies set state = 'final'
          where ${exactly({ agent, reply, tx, state: "mined" })} and exists (select 1 from chain_cursors c
            where ${sameContract("c")} and c.block >= chain_replies.block) ${read === undefined ? raw("") : isKept(read)}`);
        if (marked > 0)
          await db.run(sql`update outbox set sent_at = ${now()} where agent = ${agent} and id = ${reply}
            and sent_at is null`);
        return marked > 0;
      }),
    note: async (place, reply, reason) => {
      await change(place.agent, reply, async (db, before) => {
        if (before.state !== "waiting" && !underway.includes(before.state)) return false;
        await keepReply(db, place, before, { reason, at: before.at ?? now() });
        return true;
      });
    },
    hold: (place, reply, reason) => settle(place, reply, "held", reason),
    fail: (place, reply, reason) => settle(place, reply, "failed", reason),
    retry: (agent, reply, by) =>
      change(agent, reply, async (db, before) => {
        if (before.state !== "held" && before.state !== "failed") return false;
        await db.run(sql`update chain_replies set state = 'waiting', reason = ${null}
          where agent = ${agent} and reply = ${reply}`);
        tell(db, now(), agent, before, { kind: "chain-reply-retried", by });
        return true;
      }),
    feesSince: (agent, since) => home.read("everything", (db) => sumFees(db, agent, since)),
  };
}

const sameContract = (other: string): Query =>
  raw(["agent", "chain", "contract"].map((name) => `${other}.${name} = chain_replies.${name}`).join(" and "));

/** Condition that the block by which a reply was judged is still part of the chain, and was not rewound. */
function isKept({ block, hash }: BlockName): Query {
  return sql`and exists (select 1 from chain_blocks b where ${sameContract("b")}
    and b.block = ${block} and b.hash = ${hash})`;
}

/** Stores a reply with some fields changed. */
async function keepReply(
  db: Database,
  place: ChainPlace,
  before: ChainReply,
  changed: Partial<ChainReply> & { readonly at: string },
): Promise<void> {
  const { signedFor, onChain, to, ...reply } = { ...before, ...changed };
  const scope = { agent: place.agent, user: counterpartKey(to) };
  await db.run(putInto(chainReplies, { ...placeOf(place), ...reply, scope, onChain: signedFor ?? onChain }));
}

function tell(
  db: Database,
  at: string,
  agent: string,
  { to, message, reply }: ChainReply,
  { kind, ...more }: { readonly kind: string; readonly because?: string; readonly by?: string },
): void {
  const scope = { agent, user: counterpartKey(to) };
  recordEvent(db, at, { scope, kind, detail: { message, reply, ...more } });
}

/** Adds up what an agent's replies signed since then cost, or may cost, in wei. */
async function sumFees(db: Database, agent: string, since: string): Promise<bigint> {
  const rows = await db.all<{ fee: string }>(sql`select fee from chain_replies where agent = ${agent}
    and at >= ${since} and fee is not null`);
  return rows.reduce((sum, { fee }) => sum + BigInt(fee), 0n);
}

/**
 * Moves the recent fees of a user's replies to nobody before the replies are deleted, so that erasure does not raise the agent's
 * limit. Nothing else of them stays.
 */
export async function disownFees(db: Database, own: Query, at: string): Promise<void> {
  const since = new Date(Date.parse(at) - erasedFeesDays * 86_400_000).toISOString();
  await db.run(sql`update chain_replies set user_id = '', message = '', on_chain = '', state = 'erased', raw = ${null},
      tx = ${null}, nonce = ${null}, sent_at = ${null}, block = ${null}, block_hash = ${null}, reason = ${null}
    where fee is not null and at >= ${since} and ${own}`);
  await db.run(sql`delete from chain_replies where state = 'erased' and at < ${since}`);
}

type KeptReply = RecordOf<typeof chainReplies>;

/** State of a reply to a message that came by a blockchain. */
export type ChainReplyState = KeptReply["state"];

/** A reply to a message that came by a blockchain, and its place there. */
export type ChainReply = Omit<KeptReply, "scope" | "onChain" | "at"> & {
  readonly to: string;
  readonly body: string;
  /** Time at which the message was answered. */
  readonly answeredAt: string;
  /** Id that the contract gives the message now. */
  readonly onChain: string;
  /** Id that the contract gave the message when the transaction was signed: with another id, another transaction is needed. */
  readonly signedFor: string | null;
  /** Shows whether the message is part of the chain now: to one that is not, nothing is sent. */
  readonly included: boolean;
  readonly at: string | null;
};

type ReplyRow = RowOf<typeof chainReplies> & {
  body: string;
  answered_at: string;
  signed_for: string | null;
  message_state: string;
};

/**
 * Joins the reply in the outbox (`o`) with its message's place on the chain (`c`) and, if there is one, what is stored of the
 * reply there (`r`).
 */
export function repliesWhere(where: Query): Query {
  return sql`outbox o join chain_messages c on c.agent = o.agent and c.message = o.message
    left join chain_replies r on r.agent = o.agent and r.reply = o.id where ${where}`;
}

/** Returns the condition for replies to messages of a contract. */
export function ofContract(place: ChainPlace): Query {
  const { agent, chain, contract } = placeOf(place);
  return matching({ "c.agent": agent, "c.chain": chain, "c.contract": contract });
}

/** Lists replies, oldest first. */
async function listChainReplies(db: Database, where: Query, page: Page = {}): Promise<ChainReply[]> {
  const query = sql`select o.agent, o.user_id, o.id as reply, o.body, o.at as answered_at, c.message,
      c.on_chain, c.state as message_state, coalesce(r.state, 'waiting') as state, r.on_chain as signed_for, r.raw, r.tx,
      r.nonce, r.fee, r.at, r.sent_at, r.block, r.block_hash, r.reason
    from ${repliesWhere(where)} order by o.at, o.id ${onPage(page)}`;
  return (await db.all<ReplyRow>(query)).map((row) => {
    const { scope: _, ...reply } = recordOf(chainReplies, row);
    const { user_id, body, answered_at: answeredAt, signed_for: signedFor, message_state } = row;
    const included = message_state === "included";
    return { ...reply, to: counterpartOf(user_id), body, answeredAt, signedFor, included };
  });
}

async function findChainReply(db: Database, agent: string, reply: string): Promise<ChainReply | undefined> {
  return (await listChainReplies(db, sql`o.agent = ${agent} and o.id = ${reply}`))[0];
}

/** Transaction of a reply, as it was signed. */
type SignedReply = {
  readonly reply: string;
  /** Process that has to be in charge. */
  readonly runner: string;
  /** Id that the contract gives the message it answers. */
  readonly onChain: string;
  readonly raw: string;
  readonly tx: string;
  readonly nonce: number;
  /** Maximum cost in wei. */
  readonly fee: string;
  /** Transaction that it replaces, if there was one. */
  readonly instead?: string | null;
};

/** Place of a reply's transaction in a block, and its cost in wei: the stored transaction, or another that brought it there. */
type FoundReply = {
  readonly reply: string;
  /** Transaction that is stored. */
  readonly instead: string | null;
  /** An earlier transaction; null if it is not known which. */
  readonly tx: string | null;
  readonly block: number;
  readonly blockHash: string;
  readonly fee: string | null;
};
