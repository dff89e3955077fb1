import { type AgentRecord, findAgent, lockAgentAlone, unknownAgent } from "../agents.ts";
import { disownFees } from "../chain/chain-replies.ts";
import { neverExpires, rememberIds } from "../conversations/post-message.ts";
import type { StoreDeps } from "../deps.ts";
import { recordEvent } from "../event.ts";
import type { Database } from "../home/database.ts";
import { countRows } from "../home/query.ts";
import { joinQueries, type Query, raw, sql } from "../home/sql.ts";
import { ownerColumns, type Table } from "../home/table.ts";
import { checkAllKnown } from "../schema.ts";
import { checkScope, type UserSelector } from "../scope.ts";
import { disown, spending } from "../turns/spending.ts";
import {
  beginAnew,
  findShared,
  placeOf,
  type SharedContext,
  type SharedRevision,
  takeOutShared,
} from "./shared-revisions.ts";
import { eraseRows, lockToErase, stillThere, sweepAttachments, sweepTexts } from "./sweep.ts";

/** Rows that are stored about a user, by table, and the agents they are with. */
export type ErasableData = {
  readonly agents: readonly string[];
  readonly rows: Readonly<Record<string, number>>;
  /** Revisions of text that all users read, and that came of the user's turns. */
  readonly shared: readonly SharedRevision[];
};

/** Result of an erasure. */
export type EraseResult = ErasableData & {
  /** Shows that the deleted text can no longer be found in the database's files either. */
  readonly scrubbed: boolean;
};

/** Finds what `eraseUser` would erase; nothing is changed. */
export function findUser(
  { home, texts }: Pick<StoreDeps, "home" | "texts">,
  { user, agent }: UserSelector,
): Promise<ErasableData> {
  const who = { user, agent };
  return home.read("everything", async (db) => {
    await checkAllKnown(db, home);
    return { ...(await findErasable(db, home.schema.tables, who)), shared: await findShared({ texts }, db, who) };
  });
}

/**
 * What is erased. `shared` also takes what came of the user's turns out of text that all users read, as the operator and in this
 * context, and erases the history of that text.
 */
export type EraseOptions = UserSelector & { readonly shared?: SharedContext };

/**
 * Erases everything about a user. What the hash chains need stays, without any text: that something was sent or amended at some
 * time, the digests, and when it was erased.
 */
export async function eraseUser(
  deps: StoreDeps,
  { shared: contextOf, user, agent }: EraseOptions,
): Promise<EraseResult> {
  const { home, texts, now } = deps;
  const who = { user, agent };
  const reasons = contextOf && (await takeOutShared(deps, who, contextOf));
  const erased = await home.write("everything", async (db) => {
    await checkAllKnown(db, home);
    await lockToErase(db);
    const before = await findErasable(db, home.schema.tables, who);
    const shared = await findShared(deps, db, who);
    const at = now();
    // Receipts of what an agent did for them in its own scope are among the agents' shared texts.
    const common = await countRows(db, "steps", sql`erased_at is null and user_id = '' and ${ofTurns("turn", who)}`);
    await endSessions(db, who, at);
    await disown(db, ofUser(who));
    await disownFees(db, ofUser(who), at);
    await rememberMessages(db, ofUser(who), at);
    await eraseAll(db, home.schema.tables, who, at);
    await sweepAttachments(db);
    if (before.rows.users) await db.run(sql`delete from users where id = ${who.user}`);
    const places = Map.groupBy(shared, placeOf);
    const cleared = [...places].filter(
      ([, some]) => reasons && some.some(({ kept }) => kept) && !some.some(isStanding),
    );
    for (const [, [one]] of cleared) await beginAnew(deps, db, one as SharedRevision, at);
    await sweepTexts(db, texts, who.user);
    if (common > 0 || cleared.length > 0) await sweepTexts(db, texts, "");
    for (const agent of before.agents)
      recordEvent(db, at, { scope: { agent }, kind: "user-erased", detail: { user: who.user } });
    const gone = new Set(cleared.map(([place]) => place));
    const left = shared.map((one): SharedRevision => {
      const because = one.stands ? reasons?.get(placeOf(one)) : undefined;
      return {
        ...one,
        ...(gone.has(placeOf(one)) ? { kept: false } : {}),
        ...(because === undefined ? {} : { because }),
      };
    });
    return { ...before, shared: left };
  });
  return { ...erased, scrubbed: await home.scrub() };
}

const isStanding = ({ stands }: SharedRevision) => stands;

/**
 * Ends the sessions that the user's text was sent or announced in, whosever they are, with their summaries: a new one begins.
 */
async function endSessions(db: Database, who: UserSelector, at: string): Promise<void> {
  for (const column of [raw("session"), raw("told_in")])
    await db.run(sql`update sessions set baseline = 'null', ended_at = coalesce(ended_at, ${at})
      where id in (select ${column} from turns where ${column} is not null and (${ofUser(who)} or ${workedOn("id", who)}))`);
}

/**
 * Erases the rows of all tables. The rows that say which turns worked on the user's text go last: transactions that were just
 * storing text of such a turn have ended by then.
 */
async function eraseAll(db: Database, tables: readonly Table[], who: UserSelector, at: string): Promise<void> {
  const isThrough = (made: Table) => made.erase?.through !== undefined;
  const all = erasedTables(tables);
  for (const made of [...all.filter(isThrough), ...all.filter((one) => !isThrough(one))])
    await eraseRows(db, made, userRows(made, who), at);
}

/** Time in milliseconds for which a signed message can be sent again: its id is remembered that long. */
const signatureMs = 86_400_000;

async function rememberMessages(db: Database, own: Query, at: string): Promise<void> {
  const time = Date.parse(at);
  await db.run(sql`delete from message_ids where until < ${at}`);
  type Named = { agent: string; id: string };
  const recent = sql`select agent, id from inbox where ${own} and at > ${new Date(time - signatureMs).toISOString()}`;
  await rememberIds(db, await db.all<Named>(recent), new Date(time + signatureMs).toISOString());
  const onChains = sql`select agent, message as id from chain_messages where ${own}`;
  await rememberIds(db, await db.all<Named>(onChains), neverExpires);
}

async function findErasable(
  db: Database,
  tables: readonly Table[],
  who: UserSelector,
): Promise<Omit<ErasableData, "shared">> {
  await checkWho(db, who);
  const rows: Record<string, number> = {};
  const agents = new Set<string>();
  for (const [made, where] of rowsOfUser(tables, who)) {
    const agentColumn = raw(ownerColumns(made).agent ?? "null");
    const counts = await db.all<{ agent: string | null; count: number }>(
      sql`select ${agentColumn} as agent, count(*) as count from ${raw(made.name)} where ${where} group by 1`,
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

/** Choice of rows: one agent's, everyone's, or those of all agents `but` one. */
type UserRowSelector = UserSelector & { readonly but?: string };

function withAgent({ agent, but }: UserRowSelector, column = "agent"): Query {
  if (agent !== undefined) return sql` and ${raw(column)} = ${agent}`;
  return but === undefined ? raw("") : sql` and ${raw(column)} <> ${but}`;
}

const ofUser = (who: UserRowSelector): Query => sql`user_id = ${who.user}${withAgent(who)}`;

/** Condition for the user's turns, and those of nobody in which an agent worked on what they had written. */
function ofTurns(column: "id" | "turn", who: UserRowSelector): Query {
  return sql`(${ofUser(who)} or (user_id = ''${withAgent(who)} and ${workedOn(column, who)}))`;
}

/** Condition for turns in which an agent worked on what the user had written: their text was in its prompt. */
function workedOn(column: "id" | "turn", who: UserRowSelector): Query {
  const worked = ["inbox", "outbox", "exchanges", "events"].map(
    (table) => sql`select turn from ${raw(table)} where turn is not null and ${ofUser(who)}`,
  );
  return sql`${raw(column)} in (${joinQueries(worked, " union ")})`;
}

/** Returns the tables of which a user's rows are erased. */
function erasedTables(tables: readonly Table[]): Table[] {
  return tables.filter((made) => ownerColumns(made).user !== undefined && made.erase?.blank !== "keep");
}

/**
 * Condition for a user's rows of a table: their own, and what an agent did for them. Rows without an agent are included only if
 * the user is erased with every agent.
 */
function userRows(made: Table, who: UserRowSelector): Query {
  const { agent, user } = ownerColumns(made);
  if (made.erase?.through !== undefined) return ofTurns(made.erase.through, who);
  if (agent === undefined && who.agent !== undefined) return raw("1 = 0");
  return sql`${raw(user as string)} = ${who.user}${agent === undefined ? raw("") : withAgent(who, agent)}`;
}

/** Returns the tables with a user's readable rows, and the condition for each. */
function rowsOfUser(tables: readonly Table[], who: UserRowSelector): readonly (readonly [made: Table, where: Query])[] {
  const readable = erasedTables(tables).filter(({ proof }) => proof !== "cache");
  return readable.map((made) => [made, stillThere(made, userRows(made, who))]);
}

/** Checks that the user's name is valid and the agent exists. */
export async function checkWho(db: Database, { user, agent }: UserSelector): Promise<void> {
  checkScope({ agent: agent ?? "any", user });
  if (agent === undefined) return;
  const names = (await db.all<{ name: string }>(sql`select name from agents order by name`)).map(({ name }) => name);
  if (!names.includes(agent)) throw unknownAgent(agent, names);
}

/** Result of `store.remove`. */
export type RemoveResult = {
  readonly agent: AgentRecord;
  /** Number of rows whose text was erased, by table; missing if nothing was to be erased. */
  readonly erased?: Readonly<Record<string, number>>;
  /** Shows that the deleted text can no longer be found in the database's files either. */
  readonly scrubbed?: boolean;
};

/**
 * Removes an agent from every list, for good: it is frozen, its schedules end, what waits for a person is rejected, its tokens are
 * revoked. Its row stays, so that its
 * hash chains can be proved and no other agent gets its name.
 *
 * With `erase`, its text and that of everyone about it is deleted, even if it was removed before. What the hash chains need
 * stays.
 */
export async function removeAgent(
  { home, texts, now }: Pick<StoreDeps, "home" | "texts" | "now">,
  name: string,
  { erase = false }: { readonly erase?: boolean } = {},
): Promise<RemoveResult> {
  const result = await home.write("everything", async (db) => {
    if (erase) await checkAllKnown(db, home);
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
  for (const table of ["held", "held_calls", "tool_pins"])
    await db.run(sql`update ${raw(table)} set status = 'rejected', decided_at = ${at}, decision_reason = ${because}
      where agent = ${name} and status = 'waiting'`);
  await db.run(sql`update tokens set revoked_at = ${at} where agent = ${name} and revoked_at is null`);
  await db.run(sql`delete from link_codes where agent = ${name}`);
  recordEvent(db, at, { scope: { agent: name }, kind: "agent-removed", detail: {} });
}

/** Erases an agent with the rows of all its users; what the hash chains need stays, without any text. */
async function eraseAgent(
  db: Database,
  tables: readonly Table[],
  name: string,
  at: string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  await disown(db, sql`agent = ${name} and user_id <> ''`);
  for (const made of tables) {
    const { agent } = ownerColumns(made);
    if (agent === undefined || made.erase?.blank === "keep") continue;
    const isOwn = sql`${raw(agent)} = ${name}`;
    // What it has spent stays spent, for nobody.
    const where = made.name === spending.name ? sql`${isOwn} and user_id <> ''` : isOwn;
    const count = await eraseRows(db, made, where, at);
    if (count > 0) counts[made.name] = count;
  }
  return counts;
}
