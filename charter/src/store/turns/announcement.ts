import { lockAgentAlone } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { sql } from "../home/sql.ts";
import { scopeOf } from "../home/table.ts";
import { insertSession, latestSession } from "./session.ts";
import type { TurnRow } from "./turn.ts";
import type { Announcement } from "./turn-tables.ts";

/** Within the transaction that writes what is to be sent: once any of it is sent, it was said in that chat. */
export async function planAnnouncement(db: Database, turn: string, { schedule, at }: Announcement): Promise<void> {
  await db.run(sql`update turns set told_as = ${JSON.stringify({ schedule, at })}
    where id = ${turn} and state = 'answered' and told_in is null`);
}

/** Which conversation goes on where a piece was sent. */
export type SentInto = {
  /** The user's channels share one session. */
  readonly across?: boolean | undefined;
  /** A session that was last used before then does not go on. */
  readonly idleSince?: string | undefined;
};

type SentPiece = SentInto & { readonly turn: string; readonly channel: string };

/**
 * A piece of a turn's reply was sent over a channel, with the transaction that records it. The first one puts the reply
 * into the conversation that goes on there, or begins one: after every turn that was begun by then, so that what those
 * were sent does not change.
 */
export async function announceSent(
  db: Database,
  { now, newId }: Pick<StoreDeps, "now" | "newId">,
  { turn, channel, across = false, idleSince = "" }: SentPiece,
): Promise<void> {
  const unsaid = sql`id = ${turn} and told_as is not null and told_in is null and state = 'answered'`;
  const row = await db.one<TurnRow>(sql`select * from turns where ${unsaid}`);
  if (!row) return;
  // Until it is said, nobody opens a turn that would have to know of it.
  await lockAgentAlone(db, row.agent);
  const place = across ? null : channel;
  const scope = scopeOf(row);
  const found = await latestSession(db, scope, place);
  const session = found && found.lastAt >= idleSince ? found.id : undefined;
  const last = session && (await lastBegun(db, session));
  const time = now();
  const at = last && last > time ? last : time;
  const into = session ?? newId();
  if (session === undefined) {
    const own = await db.one<{ receiver: string }>(sql`select receiver from sessions where id = ${row.session}`);
    const receiver = own?.receiver ?? "";
    const because = found ? "idle" : null;
    await insertSession(db, { id: into, scope, receiver, channel: place, because, at, endedAt: null });
  }
  const said = await db.run(sql`update turns set told_in = ${into}, told_at = ${at} where ${unsaid}`);
  if (said > 0) await db.run(sql`update sessions set last_at = ${at} where id = ${into} and last_at < ${at}`);
}

/** On another machine's clock it may be later than it is here. */
async function lastBegun(db: Database, session: string): Promise<string | undefined> {
  const row = await db.one<Pick<TurnRow, "started_at">>(sql`select started_at from turns where session = ${session}
    and length(session) <= 200 order by started_at desc limit 1`);
  return row?.started_at;
}
