import type { Database } from "../home/database.ts";
import { sql } from "../home/sql.ts";

/**
 * What a schedule sent into a chat, in the history of that chat: by which schedule, and the time as its user read it
 * then. What was sent is the reply of its turn.
 */
export type Announcement = { readonly schedule: string; readonly at: string };

export function announcementOf(kept: string | null): Announcement | undefined {
  return kept === null ? undefined : (JSON.parse(kept) as Announcement);
}

/** Within the transaction that writes what is to be sent: once any of it is sent, it was said in that chat. */
export async function planAnnouncement(db: Database, turn: string, { schedule, at }: Announcement): Promise<void> {
  await db.run(sql`update turns set told_as = ${JSON.stringify({ schedule, at })}
    where id = ${turn} and state = 'answered' and told_in is null`);
}
