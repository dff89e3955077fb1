import type { Scope } from "../../amend/amendment.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { listOf, sql } from "../home/sql.ts";
import { insertInto, type RowOf, recordOf, type Stored } from "../home/table.ts";
import { checkName, checkScope } from "../scope.ts";
import { dispatches } from "./channel-tables.ts";

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
export type Dispatch = Stored<typeof dispatches>;

export type DispatchRow = RowOf<typeof dispatches>;

export const dispatchOf = (row: DispatchRow): Dispatch => recordOf(dispatches, row);

/** Writes pieces in the order in which they are to be sent. What a turn said that was erased meanwhile is not sent. */
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
