import type { Attachment } from "../../prompt/attachment.ts";
import { matching } from "../home/query.ts";
import { sql } from "../home/sql.ts";
import { digestOfBytes } from "../texts/sha256.ts";
import { ownerName } from "./faults.ts";
import type { Walk } from "./walk.ts";

type Row = { agent: string; user_id: string; digest: string; size: number; body: Uint8Array; erased_at: string | null };

/** Every attachment is what its digest says, and each that a turn came with is there. */
export async function walkAttachments(walk: Walk): Promise<number> {
  const { db, agent, faults, breathe } = walk;
  let attachments = 0;
  for await (const row of db.each<Row>(sql`select * from attachments where ${matching({ agent })}`)) {
    attachments++;
    if (isWhole(row)) continue;
    const reason = row.erased_at === null ? "it is not what its digest was made of" : "it was let go, and has bytes";
    faults.add({ table: "attachments", row: nameOf(row, row.digest), what: "edited", reason });
    await breathe();
  }
  const named = sql`select agent, user_id, id, attachments from turns
    where attachments is not null and ${matching({ agent })}`;
  for (const turn of await db.all<{ agent: string; user_id: string; id: string; attachments: string }>(named))
    for (const { digest } of JSON.parse(turn.attachments) as readonly Attachment[]) {
      const there = await db.one(sql`select 1 from attachments
        where agent = ${turn.agent} and user_id = ${turn.user_id} and digest = ${digest}`);
      const reason = `the turn ${turn.id} came with it`;
      if (!there) faults.add({ table: "attachments", row: nameOf(turn, digest), what: "missing", reason });
    }
  return attachments;
}

function isWhole({ digest, size, body, erased_at }: Row): boolean {
  if (erased_at !== null) return body.length === 0;
  return body.length === Number(size) && digestOfBytes(body) === digest;
}

function nameOf(whose: { readonly agent: string; readonly user_id: string }, digest: string): string {
  return `${ownerName(whose)}, digest ${digest}`;
}
