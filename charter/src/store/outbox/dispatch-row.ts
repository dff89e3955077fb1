import type { Scope } from "../../amend/amendment.ts";
import type { StoreDeps } from "../deps.ts";
import { scopeOf } from "../event.ts";
import type { Database } from "../home/database.ts";
import { listOf, sql } from "../home/sql.ts";
import { checkName, checkScope } from "../scope.ts";

/** Where something comes from, or goes to. */
export type ChatAddress = { readonly agent: string; readonly channel: string; readonly address: string };

/** A piece of text to be sent over a channel. */
export type NewDispatch = {
  readonly scope: Scope;
  readonly channel: string;
  readonly address: string;
  readonly body: string;
  /** What the channel needs besides the text, as JSON, such as buttons. */
  readonly extra?: unknown;
  readonly turn?: string;
};

/** A piece of text to be sent, and what happened to it. */
export type Dispatch = NewDispatch & {
  readonly id: string;
  readonly at: string;
  readonly state: "waiting" | "sent" | "dead";
  readonly tries: number;
  readonly nextTryAt: string | null;
  readonly failure: string | null;
  readonly sentAt: string | null;
};

export type DispatchRow = {
  id: string;
  agent: string;
  user_id: string;
  channel: string;
  address: string;
  body: string;
  extra: string | null;
  at: string;
  turn: string | null;
  state: Dispatch["state"];
  tries: number;
  next_try_at: string | null;
  failure: string | null;
  sent_at: string | null;
};

export function dispatchOf(row: DispatchRow): Dispatch {
  const { id, channel, address, body, extra, at, turn, state, tries, failure } = row;
  return {
    id,
    scope: scopeOf(row),
    channel,
    address,
    body,
    ...(extra === null ? {} : { extra: JSON.parse(extra) }),
    ...(turn === null ? {} : { turn }),
    at,
    state,
    tries,
    nextTryAt: row.next_try_at,
    failure,
    sentAt: row.sent_at,
  };
}

/** First of all in a transaction that may write for a user: while it goes on, nobody is erased. */
export async function lockAgainstErasure(db: Database): Promise<void> {
  const kept = db.dialect.lockTableShared("texts");
  if (kept) await db.run(kept);
}

/** Writes pieces in the order in which they are to be sent. What a turn said that was erased meanwhile is not sent. */
export async function writeDispatches(
  db: Database,
  { now, newId }: Pick<StoreDeps, "now" | "newId">,
  dispatches: readonly NewDispatch[],
): Promise<Dispatch[]> {
  const erased = await erasedAmong(db, dispatches);
  const times = new Map<string, string>();
  const written: Dispatch[] = [];
  for (const { scope, channel, address, body, extra, turn } of dispatches) {
    if (turn !== undefined && erased.has(turn)) continue;
    checkScope(scope);
    checkName("channel", channel);
    checkName("chat", address);
    const { agent, user = "" } = scope;
    const chat = JSON.stringify([agent, channel, address]);
    const at = times.get(chat) ?? (await afterLast(db, now(), { agent, channel, address }));
    times.set(chat, at);
    const more = extra === undefined ? null : JSON.stringify(extra);
    const row = await db.one<DispatchRow>(sql`insert into dispatches
      (id, agent, user_id, channel, address, body, extra, at, turn, state, tries)
      values (${newId()}, ${agent}, ${user}, ${channel}, ${address}, ${body}, ${more}, ${at}, ${turn ?? null},
        'waiting', 0) returning *`);
    written.push(dispatchOf(row as DispatchRow));
  }
  return written;
}

async function erasedAmong(db: Database, dispatches: readonly NewDispatch[]): Promise<ReadonlySet<string>> {
  const turns = dispatches.flatMap(({ turn }) => (turn === undefined ? [] : [turn]));
  if (turns.length === 0) return new Set();
  const rows = await db.all<{ id: string }>(
    sql`select id from turns where id in ${listOf(turns)} and state = 'erased'`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Now, but after what already waits for a chat: on another machine's clock it may be earlier than it was when that came. */
async function afterLast(db: Database, at: string, { agent, channel, address }: ChatAddress): Promise<string> {
  const row = await db.one<{ last: string | null }>(sql`select max(at) as last from dispatches
    where agent = ${agent} and channel = ${channel} and address = ${address} and state = 'waiting'`);
  const last = row?.last ?? "";
  return last < at ? at : new Date(Date.parse(last) + 1).toISOString();
}
