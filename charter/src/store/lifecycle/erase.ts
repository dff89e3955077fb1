import { disownFees } from "../chain/chain-fees.ts";
import { forGood, rememberIds } from "../conversations/message-ids.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { type Query, raw, sql } from "../home/sql.ts";
import { disown } from "../turns/spending.ts";
import { sweepTexts } from "./sweep.ts";
import { sweepAttachments } from "./sweep-attachments.ts";
import { checkWho, deletedTables, ofTurns, ofUser, rowsOfUser, type UserSelector } from "./user-rows.ts";

/** What is stored about a user, by table, and with which agents. */
export type ErasableData = { readonly agents: readonly string[]; readonly rows: Readonly<Record<string, number>> };

/** What was erased. */
export type EraseResult = ErasableData & {
  /** The deleted text can no longer be found in the database's files either. */
  readonly scrubbed: boolean;
};

/** What `eraseUser` would take; nothing is changed. */
export function findUser({ home }: Pick<StoreDeps, "home">, who: UserSelector): Promise<ErasableData> {
  return home.read("everything", (db) => found(db, who));
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
    // First of all, so that nobody who waits for this table holds what we need next.
    for (const words of [db.dialect.secureDelete, db.dialect.lockTable("texts")]) if (words) await db.run(words);
    const before = await found(db, who);
    const at = now();
    const common = await blankTurns(db, who, at);
    await blankRows(db, who, at);
    await sweepAttachments(db);
    if (before.rows.users) await db.run(sql`delete from users where id = ${who.user}`);
    await sweepTexts(db, texts, who.user);
    if (common) await sweepTexts(db, texts, "");
    for (const agent of before.agents)
      await recordEvent(db, at, { scope: { agent }, kind: "user-erased", detail: { user: who.user } });
    return before;
  });
  return { ...gone, scrubbed: await home.scrub() };
}

/** Receipts and turns keep their place; the calls they asked for do not. Says whether some of those receipts are kept among the agents' common words. */
async function blankTurns(db: Database, who: UserSelector, at: string): Promise<boolean> {
  const steps = sql`erased_at is null and ${ofTurns("turn", who)}`;
  const common = await count(db, "steps", sql`${steps} and user_id = ''`);
  await db.run(sql`update steps set erased_at = ${at}, came = ${null}, came_digest = ${at} where ${steps}`);
  await db.run(sql`delete from held_calls where ${ofTurns("turn", who)}`);
  // What was sent or told in their sessions, and any summary of it, is not gone on with: another session begins.
  for (const column of [raw("session"), raw("told_in")])
    await db.run(sql`update sessions set baseline = 'null', ended_at = coalesce(ended_at, ${at})
      where id in (select ${column} from turns where ${column} is not null and ${ofTurns("id", who)})`);
  await db.run(sql`update turns set input = '', attachments = ${null}, reply = ${null}, because = ${null}, told_as = ${null}, context = ${null}, state = 'erased'
    where ${ofTurns("id", who)}`);
  // After it: whoever was just keeping words of a turn that ended was waited for.
  await db.run(sql`delete from turn_words where ${ofTurns("turn", who)}`);
  return common > 0;
}

async function blankRows(db: Database, who: UserSelector, at: string): Promise<void> {
  const own = ofUser(who);
  // When it was erased stands where the reason stood as well, so that it shows when someone changes the one.
  await db.run(sql`update amendments set erased_at = ${at}, reason = ${at} where erased_at is null and ${own}`);
  // The row stays and says where the chain ends; the words that stood beside it do not.
  await db.run(sql`update standings set words = '' where ${own}`);
  await db.run(sql`update events set detail = '{}' where ${own}`);
  await disown(db, own);
  await disownFees(db, own, at);
  await rememberMessages(db, own, at);
  for (const table of deletedTables) await db.run(sql`delete from ${raw(table)} where ${own}`);
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

async function found(db: Database, who: UserSelector): Promise<ErasableData> {
  await checkWho(db, who);
  const rows: Record<string, number> = {};
  const agents = new Set<string>();
  for (const [table, where] of rowsOfUser(who)) {
    const counts = await db.all<{ agent: string | null; count: number }>(
      sql`select agent, count(*) as count from ${raw(table)} where ${where} group by agent`,
    );
    for (const { agent, count: more } of counts) {
      rows[table] = (rows[table] ?? 0) + more;
      if (agent !== null) agents.add(agent);
    }
  }
  if (!(await knownElsewhere(db, who)) && (await count(db, "users", sql`id = ${who.user}`)) > 0) rows.users = 1;
  return { agents: [...agents].sort(), rows };
}

async function knownElsewhere(db: Database, { user, agent }: UserSelector): Promise<boolean> {
  if (agent === undefined) return false;
  for (const [table, where] of rowsOfUser({ user, but: agent })) if ((await count(db, table, where)) > 0) return true;
  return false;
}

async function count(db: Database, table: string, where: Query): Promise<number> {
  const row = await db.one<{ count: number }>(sql`select count(*) as count from ${raw(table)} where ${where}`);
  return row?.count ?? 0;
}
