import { type AgentRecord, findAgent, lockAgentAlone, unknownAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { raw, sql } from "../home/sql.ts";
import { ownerColumns, type Table } from "../home/table.ts";
import { eraseRows } from "./erase.ts";
import { lockToErase, sweepTexts } from "./sweep.ts";

/** What `store.remove` did. */
export type RemoveResult = {
  readonly agent: AgentRecord;
  /** How many rows had words that are gone now, by table; none, where nothing was to be erased. */
  readonly erased?: Readonly<Record<string, number>>;
  /** The deleted text can no longer be found in the database's files either. */
  readonly scrubbed?: boolean;
};

/**
 * Takes an agent out of every list, for good: it is frozen, its schedules end, its tokens are revoked. Its row stays, so
 * that its chains can be proved and nobody else gets its name.
 *
 * With `erase`, also one that was removed before loses its words, and everyone's with it. What the chains need stays.
 */
export async function removeAgent(
  { home, texts, now }: Pick<StoreDeps, "home" | "texts" | "now">,
  name: string,
  { erase = false }: { readonly erase?: boolean } = {},
): Promise<RemoveResult> {
  const result = await home.write("everything", async (db) => {
    if (erase) await lockToErase(db);
    await lockAgentAlone(db, name);
    const before = await findAgent(db, name);
    if (!before) throw unknownAgent(name);
    const at = now();
    if (before.removedAt === undefined) await markRemoved(db, name, at);
    const erased = erase ? await eraseAgent(db, home.schema.tables, name, at) : undefined;
    if (erased) await sweepTexts(db, texts);
    return { agent: (await findAgent(db, name)) as AgentRecord, ...(erased ? { erased } : {}) };
  });
  return erase ? { ...result, scrubbed: await home.scrub() } : result;
}

async function markRemoved(db: Database, name: string, at: string): Promise<void> {
  const because = "Its agent was removed.";
  await db.run(sql`update agents set frozen = 'agent', removed_at = ${at}, updated_at = ${at} where name = ${name}`);
  await db.run(
    sql`update schedules set next_at = ${null}, ended_at = ${at} where agent = ${name} and ended_at is null`,
  );
  await db.run(sql`update runs set state = 'skipped', reason = ${because}, ended_at = ${at}, next_try_at = ${null},
    leased_until = ${null} where agent = ${name} and ended_at is null`);
  await db.run(sql`update tokens set revoked_at = ${at} where agent = ${name} and revoked_at is null`);
  await db.run(sql`delete from link_codes where agent = ${name}`);
  await recordEvent(db, at, { scope: { agent: name }, kind: "agent-removed", detail: {} });
}

/** As for a user, but of everyone: what the hash chains need stays, without a word of it. */
async function eraseAgent(
  db: Database,
  tables: readonly Table[],
  name: string,
  at: string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const made of tables) {
    const { agent } = ownerColumns(made);
    if (agent === undefined || made.erase?.blank === "keep") continue;
    const count = await eraseRows(db, made, sql`${raw(agent)} = ${name}`, at);
    if (count > 0) counts[made.name] = count;
  }
  return counts;
}
