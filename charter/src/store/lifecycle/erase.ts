import { disownFees } from "../chain/chain-fees.ts";
import { forGood, rememberIds } from "../conversations/message-ids.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { countRows } from "../home/query.ts";
import { type Query, raw, sql } from "../home/sql.ts";
import { ownerColumns, type Table } from "../home/table.ts";
import { disown } from "../turns/spending.ts";
import { lockToErase, sweepAttachments, sweepTexts } from "./sweep.ts";
import {
  checkWho,
  erasedTables,
  eraseRows,
  ofTurns,
  ofUser,
  rowsOfUser,
  type UserSelector,
  userRows,
} from "./user-rows.ts";

/** What is stored about a user, by table, and with which agents. */
export type ErasableData = { readonly agents: readonly string[]; readonly rows: Readonly<Record<string, number>> };

/** What was erased. */
export type EraseResult = ErasableData & {
  /** The deleted text can no longer be found in the database's files either. */
  readonly scrubbed: boolean;
};

/** What `eraseUser` would take; nothing is changed. */
export function findUser({ home }: Pick<StoreDeps, "home">, who: UserSelector): Promise<ErasableData> {
  return home.read("everything", (db) => found(db, home.schema.tables, who));
}

/**
 * Everything that is a user's is gone. What the chains need stays, without a word of it: that something was sent or
 * amended then, the digests, and when it was erased.
 */
export async function eraseUser(
  { home, texts, now }: Pick<StoreDeps, "home" | "texts" | "now">,
  who: UserSelector,
): Promise<EraseResult> {
  const gone = await home.write("everything", async (db) => {
    await lockToErase(db);
    const before = await found(db, home.schema.tables, who);
    const at = now();
    // Receipts of what an agent did for them by itself are kept among the agents' common texts.
    const common = await countRows(db, "steps", sql`erased_at is null and user_id = '' and ${ofTurns("turn", who)}`);
    await endSessions(db, who, at);
    await disown(db, ofUser(who));
    await disownFees(db, ofUser(who), at);
    await rememberMessages(db, ofUser(who), at);
    await eraseAll(db, home.schema.tables, who, at);
    await sweepAttachments(db);
    if (before.rows.users) await db.run(sql`delete from users where id = ${who.user}`);
    await sweepTexts(db, texts, who.user);
    if (common > 0) await sweepTexts(db, texts, "");
    for (const agent of before.agents)
      await recordEvent(db, at, { scope: { agent }, kind: "user-erased", detail: { user: who.user } });
    return before;
  });
  return { ...gone, scrubbed: await home.scrub() };
}

/** What was sent or told in their sessions, and any summary of it, is not gone on with: another session begins. */
async function endSessions(db: Database, who: UserSelector, at: string): Promise<void> {
  for (const column of [raw("session"), raw("told_in")])
    await db.run(sql`update sessions set baseline = 'null', ended_at = coalesce(ended_at, ${at})
      where id in (select ${column} from turns where ${column} is not null and ${ofTurns("id", who)})`);
}

/** What says which turns worked on their words goes last: whoever was just keeping words of one that ended was waited for. */
async function eraseAll(db: Database, tables: readonly Table[], who: UserSelector, at: string): Promise<void> {
  const isThrough = (made: Table) => made.erase?.through !== undefined;
  const all = erasedTables(tables);
  for (const made of [...all.filter(isThrough), ...all.filter((one) => !isThrough(one))])
    await eraseRows(db, made, userRows(made, who), at);
}

/** So long someone may send a message once more that was signed: its id is known that long. */
const signedMs = 86_400_000;

async function rememberMessages(db: Database, own: Query, at: string): Promise<void> {
  const time = Date.parse(at);
  await db.run(sql`delete from message_ids where until < ${at}`);
  type Named = { agent: string; id: string };
  const recent = sql`select agent, id from inbox where ${own} and at > ${new Date(time - signedMs).toISOString()}`;
  await rememberIds(db, await db.all<Named>(recent), new Date(time + signedMs).toISOString());
  const onChains = sql`select agent, message as id from chain_messages where ${own}`;
  await rememberIds(db, await db.all<Named>(onChains), forGood);
}

async function found(db: Database, tables: readonly Table[], who: UserSelector): Promise<ErasableData> {
  await checkWho(db, who);
  const rows: Record<string, number> = {};
  const agents = new Set<string>();
  for (const [made, where] of rowsOfUser(tables, who)) {
    const whose = raw(ownerColumns(made).agent ?? "null");
    const counts = await db.all<{ agent: string | null; count: number }>(
      sql`select ${whose} as agent, count(*) as count from ${raw(made.name)} where ${where} group by 1`,
    );
    for (const { agent, count } of counts) {
      rows[made.name] = (rows[made.name] ?? 0) + count;
      if (agent !== null) agents.add(agent);
    }
  }
  if (!(await knownElsewhere(db, tables, who)) && (await countRows(db, "users", sql`id = ${who.user}`)) > 0)
    rows.users = 1;
  return { agents: [...agents].sort(), rows };
}

async function knownElsewhere(db: Database, tables: readonly Table[], { user, agent }: UserSelector): Promise<boolean> {
  if (agent === undefined) return false;
  for (const [made, where] of rowsOfUser(tables, { user, but: agent }))
    if ((await countRows(db, made.name, where)) > 0) return true;
  return false;
}
