import type { Scope } from "../../amend/amendment.ts";
import { checkList } from "../../prompt/argument.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import {
  exactly,
  insertInto,
  lockAgainstErasure,
  lockNamed,
  matching,
  type Page,
  pageOf,
  reachOf,
  recordOf,
} from "../home/query.ts";
import { listOf, raw, sql, timeOf } from "../home/sql.ts";
import { count, id, json, name, oneOf, type RecordOf, type RowOf, scopeOf, table, text, time } from "../home/table.ts";
import { checkName, checkScope } from "../scope.ts";
import { announceSent, type SentInto } from "../turns/session.ts";
import { claim, fail, finish, isOpen, type Work } from "../work.ts";

/** Outgoing messages of channels, each sent once. */
export const dispatches = table(
  "dispatches",
  {
    of: "user",
    key: ["id"],
    indexes: {
      dispatches_open: "(agent, channel, at) where state = 'waiting'",
      dispatches_address: "(agent, channel, address, at) where state = 'waiting'",
      dispatches_scope: "(agent, user_id, at)",
    },
    keep: { when: "state in ('sent', 'dead') and at < {until}", size: "body" },
  },
  {
    id: id(),
    channel: name(),
    address: text(),
    body: text(),
    /** Additional data for the channel, such as buttons. */
    extra: json().optional(),
    at: time(),
    turn: id().optional(),
    state: oneOf("waiting", "sent", "dead"),
    tries: count(),
    nextTryAt: time().nullable(),
    leasedUntil: time().nullable().passing().hidden(),
    failure: text().nullable(),
    sentAt: time().nullable(),
  },
);

/** A piece of text to be sent over a channel. */
export type NewDispatch = {
  readonly scope: Scope;
  readonly channel: string;
  readonly address: string;
  readonly body: string;
  /** Additional data for the channel, as JSON, such as buttons. */
  readonly extra?: unknown;
  readonly turn?: string;
};

/** A piece of text to be sent, and what happened to it. */
export type Dispatch = RecordOf<typeof dispatches>;

/**
 * `store.dispatches`: what is to be sent over channels, each piece until it is sent or given up, in order within a chat. For
 * channels of your own.
 */
export type Dispatches = {
  readonly add: (dispatches: readonly NewDispatch[]) => Promise<Dispatch[]>;
  /**
   * Takes dispatches that are due, the oldest of each address: the next one waits until this one is sent or dead. If the process
   * dies, they are free again when the lease ends; that counts as a try.
   */
  readonly claim: (
    agent: string,
    channel: string,
    about?: { readonly limit?: number; readonly leaseMs?: number },
  ) => Promise<Dispatch[]>;
  /** Marks it as sent. A schedule's reply is part of the chat's history from its first piece on. */
  readonly markSent: (id: string, into?: SentInto) => Promise<void>;
  /** Records a failed try, and tries again at this time. Returns `undefined` if it is no longer wanted. */
  readonly retryAt: (id: string, because: string, at: string) => Promise<Dispatch | undefined>;
  /** Gives it up. */
  readonly markDead: (id: string, because: string) => Promise<Dispatch | undefined>;
  /** Lists dispatches, newest first. */
  readonly list: (
    about: Page & { readonly agent?: string; readonly user?: string; readonly state?: Dispatch["state"] },
  ) => Promise<Dispatch[]>;
};

type DispatchRow = RowOf<typeof dispatches>;

const dispatchOf = (row: DispatchRow): Dispatch => recordOf(dispatches, row);

/** Queue of dispatches, in order within a chat. The caller decides when a dispatch is tried again, and when it is given up. */
export const dispatchWork: Work<typeof dispatches> = {
  table: dispatches,
  dead: "dead",
  order: (row) => `${row}at, ${row}id`,
  alone: ["agent", "channel", "address"],
  tryIs: "failed",
};

export function createDispatches({ home, now, newId }: StoreDeps): Dispatches {
  return {
    add: (pieces) =>
      home.write("everything", async (db) => {
        checkList("store.dispatches.add", pieces);
        await lockAgainstErasure(db);
        for (const agent of new Set(pieces.map(({ scope }) => scope.agent))) await requireAgent(db, agent);
        return writeDispatches(db, { now, newId }, pieces);
      }),
    claim: (agent, channel, { limit = 20, leaseMs = 60_000 } = {}) =>
      home.write("everything", async (db) => {
        // Two processes at the same moment would each find the first of an address free.
        await lockNamed(db, ["dispatches", agent, channel]);
        const rows = await claim(db, dispatchWork, { among: matching({ agent, channel }), at: now(), limit, leaseMs });
        return rows.map(dispatchOf);
      }),
    markSent: (id, into = {}) =>
      home.write("everything", async (db) => {
        await lockAgainstErasure(db);
        const row = await finish(db, dispatchWork, exactly({ id }), "sent", { sent_at: now(), failure: null });
        if (row?.turn) await announceSent(db, { now, newId }, { ...into, turn: row.turn, channel: row.channel });
      }),
    retryAt: async (id, because, at) => {
      const nextTryAt = timeOf(at);
      return home.write("everything", async (db) => {
        const row = await fail(db, dispatchWork, exactly({ id }), { nextTryAt, set: { failure: because } });
        return row && dispatchOf(row);
      });
    },
    markDead: (id, because) =>
      home.write("everything", async (db) => {
        const row = await fail(db, dispatchWork, exactly({ id }), { dead: true, set: { failure: because } });
        if (!row) return undefined;
        const { channel, turn, tries } = row;
        const detail = { dispatch: id, channel, tries };
        recordEvent(db, now(), { scope: scopeOf(row), kind: "dispatch-dead", turn, detail });
        return dispatchOf(row);
      }),
    list: ({ agent, user, state, ...page }) =>
      home.read(reachOf(agent, user), async (db) => {
        const { limit, offset } = pageOf(page);
        const rows = await db.all<DispatchRow>(sql`select * from dispatches
          where ${matching({ agent, user_id: user, state })} order by at desc, id desc limit ${limit} offset ${offset}`);
        return rows.map(dispatchOf);
      }),
  };
}

/** Queues pieces in the order in which they are to be sent. The text of a turn that was erased meanwhile is left out. */
export async function writeDispatches(
  db: Database,
  { now, newId }: Pick<StoreDeps, "now" | "newId">,
  pieces: readonly NewDispatch[],
): Promise<Dispatch[]> {
  const erased = await erasedAmong(db, pieces);
  const times = new Map<string, string>();
  const written: Dispatch[] = [];
  for (const { scope, channel, address, body, extra, turn } of pieces) {
    if (turn !== undefined && erased.has(turn)) continue;
    checkScope(scope);
    checkName("channel", channel);
    checkName("chat", address);
    const { agent } = scope;
    const chat = JSON.stringify([agent, channel, address]);
    const at = times.get(chat) ?? (await afterLast(db, now(), { agent, channel, address }));
    times.set(chat, at);
    const given = { id: newId(), scope, channel, address, body, extra, turn, at, state: "waiting", tries: 0 } as const;
    const row = await db.one<DispatchRow>(sql`${insertInto(dispatches, given)} returning *`);
    written.push(dispatchOf(row as DispatchRow));
  }
  return written;
}

async function erasedAmong(db: Database, pieces: readonly NewDispatch[]): Promise<ReadonlySet<string>> {
  const turns = pieces.flatMap(({ turn }) => (turn === undefined ? [] : [turn]));
  if (turns.length === 0) return new Set();
  const rows = await db.all<{ id: string }>(
    sql`select id from turns where id in ${listOf(turns)} and state = 'erased'`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Address on a channel that something comes from, or goes to. */
type Chat = { readonly agent: string; readonly channel: string; readonly address: string };

/** Returns the time of the newest open row of a chat; by the clock of another machine, that may be later than now. */
export async function lastOpenAt(db: Database, work: Work, { agent, channel, address }: Chat): Promise<string> {
  const row = await db.one<{ last: string | null }>(sql`select max(at) as last from ${raw(work.table.name)}
    where ${matching({ agent, channel, address })} and ${isOpen(work)}`);
  return row?.last ?? "";
}

/** Returns the present time, or a later one after what already waits for a chat. */
async function afterLast(db: Database, at: string, chat: Chat): Promise<string> {
  const last = await lastOpenAt(db, dispatchWork, chat);
  return last < at ? at : new Date(Date.parse(last) + 1).toISOString();
}
