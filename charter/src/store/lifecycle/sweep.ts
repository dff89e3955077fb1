import { createBoundedMap } from "../../prompt/bounds.ts";
import { type Receipt, textsNamed } from "../../prompt/receipt.ts";
import type { Database } from "../home/database.ts";
import { matching } from "../home/query.ts";
import { joinQueries, type Query, raw, sql, type Value } from "../home/sql.ts";
import type { Table, TableColumn } from "../home/table.ts";
import { maxDepth, type Texts } from "../texts/text.ts";
import type { StepRow } from "../turns/steps.ts";

/** Number of rows, and the size of their longest column. */
export type RowSize = { readonly count: number; readonly bytes: number };

export async function sizeOf(db: Database, table: string, column: string, where: Query): Promise<RowSize> {
  const row =
    await db.one<RowSize>(sql`select count(*) as count, coalesce(sum(octet_length(${raw(column)})), 0) as bytes
    from ${raw(table)} where ${where}`);
  return { count: Number(row?.count), bytes: Number(row?.bytes) };
}

/**
 * Takes the locks of a deletion of texts. They come first in the transaction, so that nobody who waits for the table holds what
 * the transaction needs next.
 */
export async function lockToErase(db: Database): Promise<void> {
  for (const words of [db.dialect.secureDelete, db.dialect.lockTable("texts")]) if (words) await db.run(words);
}

/**
 * Deletes the texts that no amendment and no receipt uses any more: of one owner, or of all.
 *
 * A text that stays may be packed against one that is deleted. It is packed again, so that the other one is really gone. Nobody
 * else may read texts meanwhile: a transaction that finds one about to be deleted would refer to it in vain.
 */
export async function sweepTexts(db: Database, texts: Texts, owner?: string): Promise<RowSize> {
  await lockToErase(db);
  await db.run(
    raw("create temp table named_texts (owner text not null, digest text not null, primary key (owner, digest))"),
  );
  await nameAmended(db, owner);
  await nameSent(db, texts, owner);
  await packAnew(db, texts, owner);
  await recountDepths(db, owner);
  const unused = sql`not exists (select 1 from named_texts n
    where n.owner = texts.owner and n.digest = texts.digest) and ${matching({ "texts.owner": owner })}`;
  const swept = await sizeOf(db, "texts", "body", unused);
  await db.run(sql`delete from texts where ${unused}`);
  await db.run(raw("drop table named_texts"));
  return swept;
}

/** Deletes the attachments of agents' own turns that no turn uses any more. A user's are deleted with all their rows. */
export async function sweepAttachments(db: Database): Promise<void> {
  await db.run(sql`delete from attachments where user_id = '' and not ${namedByTurn(raw("1 = 1"))}`);
}

/** Condition: a turn of the same scope came with the attachment. A digest contains no wildcard of `like`. */
export function namedByTurn(since: Query): Query {
  return sql`exists (select 1 from turns t where t.agent = attachments.agent and t.user_id = attachments.user_id
    and t.attachments is not null and t.attachments like '%' || attachments.digest || '%' and ${since})`;
}

async function nameAmended(db: Database, owner: string | undefined): Promise<void> {
  for (const column of ["before_digest", "after_digest"])
    await db.run(sql`insert into named_texts (owner, digest) select user_id, ${raw(column)} from amendments
      where erased_at is null and ${matching({ user_id: owner })} on conflict do nothing`);
}

/**
 * Collects the texts that receipts name. Each receipt is read, because nothing else lists its texts; any user's receipt may name
 * the agents' shared ones.
 */
async function nameSent(db: Database, texts: Texts, owner: string | undefined): Promise<void> {
  let names: Query[] = [];
  const write = async () => {
    if (names.length === 0) return;
    await db.run(
      sql`insert into named_texts (owner, digest) values ${joinQueries(names, ", ")} on conflict do nothing`,
    );
    names = [];
  };
  const steps = sql`select user_id, receipt from steps where erased_at is null
    and ${matching({ user_id: owner || undefined })} order by agent, number`;
  const lately = createBoundedMap<string, true>(10_000);
  const name = (whose: string, digest: string) => {
    const key = `${digest}${whose}`;
    if ((owner !== undefined && whose !== owner) || lately.has(key)) return;
    lately.set(key, true);
    names.push(sql`(${whose}, ${digest})`);
  };
  for await (const { user_id, receipt } of db.each<Pick<StepRow, "user_id" | "receipt">>(steps)) {
    name(user_id, receipt);
    const body = await texts.get(db, user_id, receipt);
    const sent: Pick<Receipt, "slots"> = body === undefined ? { slots: [] } : JSON.parse(body);
    for (const { whose, digest } of textsNamed(sent)) name(whose === "agent" ? "" : user_id, digest);
    if (names.length >= 100) await write();
  }
  await write();
}

/**
 * Recomputes the depths of texts whose base was packed again. The loop is limited, so that texts which someone packed against
 * each other in a ring are left as they are.
 */
async function recountDepths(db: Database, owner: string | undefined): Promise<void> {
  const under = sql`(select b.depth + 1 from texts b where b.owner = texts.owner and b.digest = texts.base)`;
  const settle = sql`update texts set depth = ${under} where base is not null and depth <> ${under} and ${matching({ "texts.owner": owner })}`;
  for (let deep = 0; deep <= maxDepth && (await db.run(settle)) > 0; deep++);
}

type Packed = { owner: string; digest: string; base: string };

async function packAnew(db: Database, texts: Texts, owner: string | undefined): Promise<void> {
  const isNamed = (text: string, digest: string) =>
    sql`exists (select 1 from named_texts n where n.owner = ${raw(text)}.owner and n.digest = ${raw(text)}.${raw(digest)})`;
  const standing = await db.all<Packed>(sql`select t.owner, t.digest, t.base from texts t
    where t.base is not null and ${isNamed("t", "digest")} and not ${isNamed("t", "base")} and ${matching({ "t.owner": owner })}`);
  const nearest = async (whose: string, from: string): Promise<string | undefined> => {
    let digest: string | null = from;
    for (let deep = 0; digest !== null && deep <= maxDepth; deep++) {
      const row: { base: string | null; named: number } | undefined = await db.one(sql`select t.base,
        case when ${isNamed("t", "digest")} then 1 else 0 end as named from texts t where t.owner = ${whose} and t.digest = ${digest}`);
      if (row?.named === 1) return digest;
      digest = row?.base ?? null;
    }
    return undefined;
  };
  for (const { owner: whose, digest, base } of standing) {
    const text = await texts.get(db, whose, digest);
    if (text === undefined) continue;
    const under = await nearest(whose, base);
    await db.run(sql`delete from texts where owner = ${whose} and digest = ${digest}`);
    await texts.putAll(db, [{ owner: whose, text, digest, base: under }]);
  }
}

/** Narrows a condition to rows that were not erased before. */
export function stillThere({ erase }: Table, where: Query): Query {
  const blank = erase?.blank;
  return typeof blank === "object" ? sql`not (${raw(blank.unless)}) and ${where}` : where;
}

/** Erases rows of a table, and returns how many: they are deleted, or stay with their text removed. */
export function eraseRows(db: Database, made: Table, where: Query, at: string): Promise<number> {
  const blank = made.erase?.blank;
  if (typeof blank !== "object") return db.run(sql`delete from ${raw(made.name)} where ${where}`);
  const emptied = made.all
    .filter(({ isSaid, column }) => isSaid && blank.set?.[column] === undefined)
    .map((column) => sql`${raw(column.column)} = ${emptyOf(column)}`);
  const set = Object.entries(blank.set ?? {}).map(([column, value]) =>
    value === "{at}" ? sql`${raw(column)} = ${at}` : raw(`${column} = ${value}`),
  );
  return db.run(sql`update ${raw(made.name)} set ${joinQueries([...emptied, ...set], ", ")}
    where ${stillThere(made, where)}`);
}

function emptyOf({ type, isNullable, reads }: TableColumn): Value {
  if (isNullable) return null;
  return type === "bytes" ? new Uint8Array() : reads === "json" ? "{}" : "";
}
