import type { Database } from "../home/database.ts";
import { type Query, raw, sql } from "../home/sql.ts";

type SweptAttachments = { readonly count: number; readonly bytes: number };

/** A turn of the same scope came with it. A digest has no letter that `like` knows. */
const named = raw(`exists (select 1 from turns t where t.agent = attachments.agent and t.user_id = attachments.user_id
  and t.attachments is not null and t.attachments like '%' || attachments.digest || '%')`);

/** Deletes the attachments of agents' own turns that none of them names any more. A user's go with all that is theirs. */
export function sweepAttachments(db: Database): Promise<SweptAttachments> {
  return dropped(db, sql`user_id = '' and not ${named}`, (gone) => sql`delete from attachments where ${gone}`);
}

/** Lets go of the bytes of those that no turn since then came with. That they were there is still known. */
export function letGoAttachments(db: Database, until: string, at: string): Promise<SweptAttachments> {
  const old = sql`erased_at is null and not exists (select 1 from turns t where t.agent = attachments.agent
    and t.user_id = attachments.user_id and t.attachments is not null and t.started_at >= ${until}
    and t.attachments like '%' || attachments.digest || '%')`;
  const empty = new Uint8Array();
  return dropped(db, old, (gone) => sql`update attachments set body = ${empty}, erased_at = ${at} where ${gone}`);
}

async function dropped(db: Database, which: Query, drop: (which: Query) => Query): Promise<SweptAttachments> {
  const row = await db.one<SweptAttachments>(
    sql`select count(*) as count, coalesce(sum(octet_length(body)), 0) as bytes from attachments where ${which}`,
  );
  await db.run(drop(which));
  return { count: Number(row?.count), bytes: Number(row?.bytes) };
}
