import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { lockAgainstErasure } from "../home/query.ts";
import { raw, sql } from "../home/sql.ts";
import { timeOf } from "../home/time.ts";
import { endOfLease } from "../lease.ts";
import { checkName, checkScope } from "../scope.ts";
import {
  type ChannelUpdate,
  type ChannelUpdateRow,
  maxTries,
  type NewChannelUpdate,
  recordDead,
  updateOf,
} from "./channel-update-row.ts";
import { type ClaimUpdatesOptions, claimUpdates } from "./claim-updates.ts";
import { type ChatAddress, type NewDispatch, writeDispatches } from "./dispatch-row.ts";
import { findLink } from "./links.ts";

/**
 * `store.updates`: what arrived over channels, each once, until it is answered or given up. For channels of your own.
 */
export type ChannelUpdates = {
  /** Stores one; false if it is known already, or the chat is no longer linked to this user. */
  readonly put: (update: NewChannelUpdate) => Promise<boolean>;
  /**
   * Takes updates to work on, oldest first and never two of one address at a time. If the process dies, they are free
   * again when the lease ends; after the third time they are dead.
   */
  readonly claim: (agent: string, channel: string, about?: ClaimUpdatesOptions) => Promise<ChannelUpdate[]>;
  /**
   * Says that it is still being worked on. `tries`, here and below: the try it was taken for; nothing happens if
   * another has taken it since.
   */
  readonly renew: (agent: string, channel: string, id: string, leaseMs: number, tries?: number) => Promise<void>;
  /** Records which turn works on it; false if another has taken it since. */
  readonly assignTurn: (agent: string, channel: string, id: string, turn: string, tries?: number) => Promise<boolean>;
  /** Marks it as done, deletes its text and queues the replies, all or nothing. */
  readonly complete: (
    agent: string,
    channel: string,
    id: string,
    dispatches: readonly NewDispatch[],
    tries?: number,
  ) => Promise<void>;
  /** Gives up this try: it waits again or, after the third, is dead, and `dispatches` are sent. */
  readonly fail: (
    agent: string,
    channel: string,
    id: string,
    because: string,
    dispatches?: readonly NewDispatch[],
    tries?: number,
  ) => Promise<ChannelUpdate | undefined>;
  /** How many are waiting or being worked on. */
  readonly countOpen: (agent: string, channel: string) => Promise<number>;
};

export function createUpdates({ home, now, newId }: StoreDeps): ChannelUpdates {
  const one = (agent: string, channel: string, id: string, tries?: number) =>
    sql`agent = ${agent} and channel = ${channel} and id = ${id}
      ${tries === undefined ? raw("") : sql`and tries = ${tries}`}`;
  return {
    put: async ({ scope, channel, id, address, body, at, linked = false }) => {
      checkScope(scope);
      checkName("channel", channel);
      checkName("message", id);
      checkName("chat", address);
      const told = at === undefined ? undefined : timeOf(at);
      return home.write(scope, async (db) => {
        const { agent, user = "" } = scope;
        if (linked) {
          await lockAgainstErasure(db);
          const link = await findLink(db, agent, channel, address);
          if (link?.scope.user !== scope.user) return false;
        }
        await requireAgent(db, agent);
        const came = told ?? (await notBeforeLast(db, now(), { agent, channel, address }));
        const added = await db.run(sql`insert into updates
          (agent, user_id, channel, id, address, body, at, state, tries)
          values (${agent}, ${user}, ${channel}, ${id}, ${address}, ${body}, ${came}, 'waiting', 0)
          on conflict (agent, channel, id) do nothing`);
        return added === 1;
      });
    },
    claim: (agent, channel, about = {}) =>
      home.write("everything", (db) => claimUpdates(db, { now, newId }, agent, channel, about)),
    renew: async (agent, channel, id, leaseMs, tries) => {
      const until = endOfLease(now(), leaseMs);
      await home.write("everything", (db) =>
        db.run(sql`update updates set leased_until = ${until}
          where ${one(agent, channel, id, tries)} and state = 'taken'`),
      );
    },
    assignTurn: (agent, channel, id, turn, tries) =>
      home.write("everything", async (db) => {
        const begun = await db.run(sql`update updates set turn = ${turn}
          where ${one(agent, channel, id, tries)} and state = 'taken'`);
        return begun > 0;
      }),
    complete: (agent, channel, id, dispatches, tries) =>
      home.write("everything", async (db) => {
        await lockAgainstErasure(db);
        const ended = await db.run(sql`update updates set state = 'done', body = '', leased_until = ${null},
          failure = ${null} where ${one(agent, channel, id, tries)} and state in ('waiting', 'taken')`);
        if (ended > 0) await writeDispatches(db, { now, newId }, dispatches);
      }),
    fail: (agent, channel, id, because, dispatches = [], tries) =>
      home.write("everything", async (db) => {
        await lockAgainstErasure(db);
        const failed =
          await db.one<ChannelUpdateRow>(sql`update updates set failure = ${because}, leased_until = ${null},
            state = case when tries >= ${maxTries} then 'dead' else 'waiting' end
          where ${one(agent, channel, id, tries)} and state = 'taken' returning *`);
        if (failed?.state === "dead") {
          await recordDead(db, now(), failed);
          await writeDispatches(db, { now, newId }, dispatches);
        }
        const row =
          failed ?? (await db.one<ChannelUpdateRow>(sql`select * from updates where ${one(agent, channel, id)}`));
        return row && updateOf(row);
      }),
    countOpen: (agent, channel) =>
      home.read("everything", async (db) => {
        const row = await db.one<{ count: number }>(sql`select count(*) as count from updates
          where agent = ${agent} and channel = ${channel} and state in ('waiting', 'taken')`);
        return row?.count ?? 0;
      }),
  };
}

/** Now, but not before what is open of a chat: another machine may have taken that in, by another clock. */
async function notBeforeLast(db: Database, at: string, { agent, channel, address }: ChatAddress): Promise<string> {
  const row = await db.one<{ last: string | null }>(sql`select max(at) as last from updates
    where agent = ${agent} and channel = ${channel} and address = ${address} and state in ('waiting', 'taken')`);
  const last = row?.last ?? "";
  return last < at ? at : last;
}
