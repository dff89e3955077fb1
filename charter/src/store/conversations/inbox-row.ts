import { Problem } from "../../prompt/problem.ts";
import type { Database } from "../home/database.ts";
import { matching, recordOf } from "../home/query.ts";
import { type Query, raw, sql } from "../home/sql.ts";
import type { RecordOf, RowOf } from "../home/table.ts";
import type { Work } from "../work.ts";
import { inbox, outbox } from "./conversation-tables.ts";
import { counterpartOf } from "./counterpart.ts";

/** A message to an agent, and what happened to it. */
export type InboxMessage = Omit<RecordOf<typeof inbox>, "scope"> & {
  readonly agent: string;
  /** What was paid with it on its chain, in wei; null where it came another way, or its block is gone. */
  readonly paid: string | null;
};

/** How many messages may wait: of one counterpart, and of all. */
export type InboxLimits = {
  readonly counterpart: number;
  readonly agent: number;
  /** These lanes, taken together, never hold more than they leave free: however full they are, others still write. */
  readonly lanes?: readonly string[];
  /** They leave so many times as much free as they hold; as much, unless given. */
  readonly leave?: number;
};

/** A message to be put into an agent's inbox. */
export type NewInboxMessage = {
  readonly agent: string;
  readonly sender: string;
  /** 1 to 4,096 bytes of UTF-8. */
  readonly body: string;
  readonly id?: string;
  readonly channel?: string;
  /** Lanes are served in turn, so that a flood in one delays no other. */
  readonly lane?: string;
  readonly limits?: InboxLimits;
  /** What opens the reply to this message, as a digest; one that is valid longer replaces an earlier one. */
  readonly secret?: { readonly digest: string; readonly until: string };
};

/** A reply that was sent, or waits to be. */
export type OutboxReply = Omit<RecordOf<typeof outbox>, "scope"> & {
  readonly agent: string;
  /** The counterpart's name. */
  readonly to: string;
};

/** How messages are worked off. Whose are taken next is told by lanes and rounds (see `claim-messages.ts`). */
export const inboxWork = {
  ...{ table: inbox, column: "status", taken: "taken", dead: "dead", discarded: "withdrawn" },
  ...{ order: (row) => `${row}at, ${row}id`, tryIs: "taken", maxTries: 3 },
} satisfies Work<typeof inbox>;

export type InboxRow = RowOf<typeof inbox> & { paid?: string | null };

export type OutboxRow = RowOf<typeof outbox>;

export function messageOf(row: InboxRow): InboxMessage {
  const { scope, ...message } = recordOf(inbox, row);
  return { ...message, agent: scope.agent, paid: row.paid ?? null };
}

export function replyOf(row: OutboxRow): OutboxReply {
  const { scope, ...reply } = recordOf(outbox, row);
  return { ...reply, agent: scope.agent, to: counterpartOf(row.user_id) };
}

/** Oldest first. */
export async function listMessages(db: Database, where: Query, page = raw("")): Promise<InboxMessage[]> {
  const rows = await db.all<InboxRow>(sql`select *, (select c.value from chain_messages c where c.agent = inbox.agent
      and c.message = inbox.id and c.state = 'included') as paid
    from inbox where ${where} order by at, id ${page}`);
  return rows.map(messageOf);
}

export async function findMessage(db: Database, agent: string, id: string): Promise<InboxMessage | undefined> {
  return (await listMessages(db, matching({ agent, id })))[0];
}

export async function getMessage(db: Database, agent: string, id: string): Promise<InboxMessage> {
  const message = await findMessage(db, agent, id);
  if (message) return message;
  throw new Problem("unknown-message", `There is no message “${id}” for “${agent}”.`, "Check the id.");
}
