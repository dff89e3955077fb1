import { Problem } from "../../prompt/problem.ts";
import type { Database } from "../home/database.ts";
import { raw, sql } from "../home/sql.ts";
import { counterpartOf } from "./counterpart.ts";

/** Why a try to answer a message failed. */
export type InboxFailure = { readonly at: string; readonly turn: string | null; readonly because: string };

/** A message to an agent, and what happened to it. */
export type InboxMessage = {
  readonly id: string;
  readonly agent: string;
  /** The counterpart's name: see `counterpart`. */
  readonly sender: string;
  readonly body: string;
  readonly channel: string | null;
  readonly at: string;
  /** `dead`: it was tried three times. `withdrawn`: it will not be answered. */
  readonly status: "waiting" | "taken" | "answered" | "dead" | "withdrawn";
  readonly tries: number;
  /** The last turn that worked on it. */
  readonly turn: string | null;
  /** Of every try that failed, oldest first. */
  readonly failures: readonly InboxFailure[];
  /** The door it came through. Lanes are served in turn. */
  readonly lane: string;
  /** What the turn that has taken it will reply, if it ends well. */
  readonly draft: string | null;
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
export type OutboxReply = {
  readonly id: string;
  readonly agent: string;
  /** The counterpart's name. */
  readonly to: string;
  readonly body: string;
  readonly at: string;
  readonly turn: string;
  readonly message: string | null;
  readonly sentAt: string | null;
};

export type InboxRow = Omit<InboxMessage, "failures"> & {
  user_id: string;
  leased_until: string | null;
  failures: string | null;
  round: number;
  secret: string | null;
  secret_until: string | null;
};

export type OutboxRow = {
  id: string;
  agent: string;
  user_id: string;
  body: string;
  at: string;
  turn: string;
  message: string | null;
  sent_at: string | null;
};

/** What `messageOf` is made of. */
export const inboxColumns = raw(`*, (select c.value from chain_messages c where c.agent = inbox.agent
  and c.message = inbox.id and c.state = 'included') as paid`);

export function messageOf(row: InboxRow): InboxMessage {
  const { id, agent, user_id, body, channel, at, status, tries, turn, lane, draft, paid } = row;
  const sender = counterpartOf(user_id);
  return { id, agent, sender, body, channel, at, status, tries, turn, failures: failuresOf(row), lane, draft, paid };
}

export function replyOf({ id, agent, user_id, body, at, turn, message, sent_at }: OutboxRow): OutboxReply {
  return { id, agent, to: counterpartOf(user_id), body, at, turn, message, sentAt: sent_at };
}

/** Of every try that failed, oldest first. */
export function failuresOf({ failures }: Pick<InboxRow, "failures">): readonly InboxFailure[] {
  return failures === null ? [] : JSON.parse(failures);
}

export async function findMessage(db: Database, agent: string, id: string): Promise<InboxMessage | undefined> {
  const row = await db.one<InboxRow>(sql`select ${inboxColumns} from inbox where agent = ${agent} and id = ${id}`);
  return row && messageOf(row);
}

export async function getMessage(db: Database, agent: string, id: string): Promise<InboxMessage> {
  const message = await findMessage(db, agent, id);
  if (message) return message;
  throw new Problem("unknown-message", `There is no message “${id}” for “${agent}”.`, "Check the id.");
}
