import type { Database } from "../home/database.ts";
import { putInto } from "../home/query.ts";
import { sql } from "../home/sql.ts";
import { sha256 } from "../texts/sha256.ts";
import { messageIds } from "./conversation-tables.ts";

/** Names a message that was erased, for as long as someone might send it once more. */
export function messageDigest(agent: string, id: string): string {
  return sha256(JSON.stringify([agent, id]));
}

/** What came by a chain is told there for good. */
export const forGood = "9999-12-31T23:59:59.999Z";

/** Keeps the ids of messages that go, as digests: until then they do not come again. */
export async function rememberIds(
  db: Database,
  messages: readonly { readonly agent: string; readonly id: string }[],
  until: string,
): Promise<void> {
  for (const { agent, id } of messages)
    await db.run(sql`${putInto(messageIds, { agent, digest: messageDigest(agent, id), until })}
      where message_ids.until < excluded.until`);
}
