import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { exactly, insertInto, lockAgainstErasure, lockNamed, matching, recordOf } from "../home/query.ts";
import { sql, timeOf } from "../home/sql.ts";
import { count, id, name, oneOf, type RecordOf, type RowOf, scopeOf, table, text, time } from "../home/table.ts";
import { checkName, checkScope } from "../scope.ts";
import { claim, countOpen, endOfLease, fail, finish, renew, type Work } from "../work.ts";
import { lastOpenAt, type NewDispatch, writeDispatches } from "./dispatches.ts";
import { findLink } from "./links.ts";

/** Updates of channels, once each by their id there. */
export const updates = table(
  "updates",
  {
    of: "user",
    key: ["agent", "channel", "id"],
    indexes: {
      updates_open: "(agent, channel, state, at) where state in ('waiting', 'taken')",
      updates_address: "(agent, channel, address, at) where state in ('waiting', 'taken')",
    },
    // Retention of updates that are done: a channel may report them again for some days.
    keep: { when: "state in ('done', 'dead') and at < {until}", days: 2, size: "body" },
  },
  {
    channel: name(),
    /** Id of the channel's own: an update that arrives twice is stored once. */
    id: id(),
    address: text(),
    /** Body in the channel's own format; it is deleted when the update is done. */
    body: text(),
    at: time(),
    state: oneOf("waiting", "taken", "done", "dead"),
    tries: count(),
    leasedUntil: time().nullable().passing().hidden(),
    turn: id().nullable(),
    failure: text().nullable(),
  },
);

/** An update that arrived over a channel: a message, a pressed button. */
export type ChannelUpdate = RecordOf<typeof updates>;

/** An update that arrived over a channel, to be stored. */
export type NewChannelUpdate = Pick<ChannelUpdate, "scope" | "channel" | "id" | "address" | "body"> & {
  /** Time at which it was sent, if the channel says so; now, unless given. */
  readonly at?: string;
  /** Requires that the chat is still linked to this user; otherwise it is not stored. */
  readonly linked?: boolean;
};

/** Limits for taking updates: how many, and for how long. */
export type ClaimUpdatesOptions = {
  readonly limit?: number;
  readonly leaseMs?: number;
  /** Returns the messages to send for an update that is given up because its processes died. */
  readonly dispatchesForDead?: (update: ChannelUpdate) => readonly NewDispatch[];
};

/** `store.updates`: what arrived over channels, each once, until it is answered or given up. For channels of your own. */
export type ChannelUpdates = {
  /** Stores an update; false if it is known already, or the chat is no longer linked to this user. */
  readonly put: (update: NewChannelUpdate) => Promise<boolean>;
  /**
   * Takes updates to work on, oldest first and never two of one address at a time. If the process dies, they are free again when
   * the lease ends; after the third time they are dead.
   */
  readonly claim: (agent: string, channel: string, about?: ClaimUpdatesOptions) => Promise<ChannelUpdate[]>;
  /**
   * Renews the lease of an update. `tries`, here and below: the try it was taken for; nothing happens if another process has
   * taken it since.
   */
  readonly renew: (agent: string, channel: string, id: string, leaseMs: number, tries?: number) => Promise<void>;
  /** Records which turn works on it; false if another process has taken it since. */
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
  /** Counts updates that wait or are being worked on. */
  readonly countOpen: (agent: string, channel: string) => Promise<number>;
};

type UpdateRow = RowOf<typeof updates>;

const updateOf = (row: UpdateRow): ChannelUpdate => recordOf(updates, row);

/**
 * Queue of updates, oldest first. Ids that are numbers are ordered as numbers, because many updates arrive in the same moment.
 */
export const updateWork: Work<typeof updates> = {
  table: updates,
  taken: "taken",
  dead: "dead",
  order: (row) => `${row}at, length(${row}id), ${row}id`,
  alone: ["agent", "channel", "address"],
  tryIs: "taken",
  maxTries: 3,
};

export function createUpdates({ home, now, newId }: StoreDeps): ChannelUpdates {
  return {
    put: async ({ scope, channel, id, address, body, at, linked = false }) => {
      checkScope(scope);
      checkName("channel", channel);
      checkName("message", id);
      checkName("chat", address);
      const sentAt = at === undefined ? undefined : timeOf(at);
      return home.write(scope, async (db) => {
        const { agent } = scope;
        if (linked) {
          await lockAgainstErasure(db);
          const link = await findLink(db, agent, channel, address);
          if (link?.scope.user !== scope.user) return false;
        }
        await requireAgent(db, agent);
        const current = now();
        // Update times follow those that are open in the same chat.
        const last = sentAt ?? (await lastOpenAt(db, updateWork, { agent, channel, address }));
        const arrivedAt = sentAt ?? (last < current ? current : last);
        const given = { scope, channel, id, address, body, at: arrivedAt, state: "waiting", tries: 0 } as const;
        const added = await db.run(sql`${insertInto(updates, given)} on conflict (agent, channel, id) do nothing`);
        return added === 1;
      });
    },
    claim: (agent, channel, { limit = 10, leaseMs = 300_000, dispatchesForDead = () => [] } = {}) =>
      home.write("everything", async (db) => {
        await lockAgainstErasure(db);
        // Two processes at the same moment would each find an address free.
        await lockNamed(db, ["updates", agent, channel]);
        const at = now();
        const rows = await claim(db, updateWork, {
          ...{ among: matching({ agent, channel }), at, limit, leaseMs },
          abandoned: { failure: "nobody who took it came back" },
          onDead: async (row) => {
            recordDead(db, at, row);
            await writeDispatches(db, { now, newId }, dispatchesForDead(updateOf(row)));
          },
        });
        return rows.map(updateOf);
      }),
    renew: async (agent, channel, id, leaseMs, tries) => {
      const until = endOfLease(now(), leaseMs);
      await home.write("everything", (db) =>
        renew(db, updateWork, sql`${exactly({ agent, channel, id })} and ${matching({ tries })}`, until),
      );
    },
    assignTurn: (agent, channel, id, turn, tries) =>
      home.write("everything", async (db) => {
        const begun = await db.run(sql`update updates set turn = ${turn}
          where ${exactly({ agent, channel, id })} and ${matching({ tries })} and state = 'taken'`);
        return begun > 0;
      }),
    complete: (agent, channel, id, dispatches, tries) =>
      home.write("everything", async (db) => {
        await lockAgainstErasure(db);
        const which = sql`${exactly({ agent, channel, id })} and ${matching({ tries })}`;
        const ended = await finish(db, updateWork, which, "done", { body: "", failure: null });
        if (ended) await writeDispatches(db, { now, newId }, dispatches);
      }),
    fail: (agent, channel, id, because, dispatches = [], tries) =>
      home.write("everything", async (db) => {
        await lockAgainstErasure(db);
        const which = sql`${exactly({ agent, channel, id })} and ${matching({ tries })}`;
        const failed = await fail(db, updateWork, which, { set: { failure: because } });
        if (failed?.state === "dead") {
          recordDead(db, now(), failed);
          await writeDispatches(db, { now, newId }, dispatches);
        }
        const row =
          failed ?? (await db.one<UpdateRow>(sql`select * from updates where ${matching({ agent, channel, id })}`));
        return row && updateOf(row);
      }),
    countOpen: (agent, channel) =>
      home.read("everything", (db) => countOpen(db, updateWork, matching({ agent, channel }))),
  };
}

function recordDead(db: Database, at: string, row: UpdateRow): void {
  const { id, channel, tries, turn } = row;
  recordEvent(db, at, { scope: scopeOf(row), kind: "update-dead", turn, detail: { update: id, channel, tries } });
}
