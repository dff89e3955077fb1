import { createBoundedMap } from "../../prompt/bounded-map.ts";
import type { Receipt } from "../../prompt/receipt.ts";
import { textsNamed } from "../../prompt/sent-history.ts";
import type { Database } from "../home/database.ts";
import { joinQueries, type Query, raw, sql } from "../home/sql.ts";
import { maxDepth, type Texts } from "../texts/text.ts";
import type { StepRow } from "../turns/steps.ts";

type SweepResult = { readonly texts: number; readonly bytes: number };

/**
 * Deletes the texts that no amendment and no receipt names any more: of one owner, or of all.
 *
 * A text that stays may be packed against one that goes. It is packed anew, so that what goes is really gone. Nobody else
 * may look for a text meanwhile: who finds one that is about to go would name it in vain.
 */
export async function sweepTexts(db: Database, texts: Texts, owner?: string): Promise<SweepResult> {
  const alone = db.dialect.lockTable("texts");
  if (alone) await db.run(alone);
  await db.run(
    raw("create temp table named_texts (owner text not null, digest text not null, primary key (owner, digest))"),
  );
  await nameAmended(db, owner);
  await nameSent(db, texts, owner);
  await packAnew(db, texts, owner);
  await recountDepths(db, owner);
  const gone = sql`from texts where not exists (select 1 from named_texts n
    where n.owner = texts.owner and n.digest = texts.digest) ${ofOwner("texts.owner", owner)}`;
  const swept = await db.one<SweepResult>(
    sql`select count(*) as texts, coalesce(sum(octet_length(body)), 0) as bytes ${gone}`,
  );
  await db.run(sql`delete ${gone}`);
  await db.run(raw("drop table named_texts"));
  return { texts: Number(swept?.texts), bytes: Number(swept?.bytes) };
}

function ofOwner(column: string, owner: string | undefined): Query {
  return owner === undefined ? raw("") : sql`and ${raw(column)} = ${owner}`;
}

async function nameAmended(db: Database, owner: string | undefined): Promise<void> {
  for (const column of ["before_digest", "after_digest"])
    await db.run(sql`insert into named_texts (owner, digest) select user_id, ${raw(column)} from amendments
      where erased_at is null ${ofOwner("user_id", owner)} on conflict do nothing`);
}

/** What a receipt names is only in the receipt, so each one is read. The common words may be in anyone's. */
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
    ${owner ? ofOwner("user_id", owner) : raw("")} order by agent, number`;
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
 * How deep a text lies follows from what it is packed against, which may have changed under it. It is never far down:
 * texts that someone packed against each other in a ring are left as they are.
 */
async function recountDepths(db: Database, owner: string | undefined): Promise<void> {
  const under = sql`(select b.depth + 1 from texts b where b.owner = texts.owner and b.digest = texts.base)`;
  const settle = sql`update texts set depth = ${under} where base is not null and depth <> ${under} ${ofOwner("texts.owner", owner)}`;
  for (let deep = 0; deep <= maxDepth && (await db.run(settle)) > 0; deep++);
}

type Packed = { owner: string; digest: string; base: string };

async function packAnew(db: Database, texts: Texts, owner: string | undefined): Promise<void> {
  const named = (text: string, digest: string) =>
    sql`exists (select 1 from named_texts n where n.owner = ${raw(text)}.owner and n.digest = ${raw(text)}.${raw(digest)})`;
  const standing = await db.all<Packed>(sql`select t.owner, t.digest, t.base from texts t
    where t.base is not null and ${named("t", "digest")} and not ${named("t", "base")} ${ofOwner("t.owner", owner)}`);
  const nearest = async (whose: string, from: string): Promise<string | undefined> => {
    let digest: string | null = from;
    for (let deep = 0; digest !== null && deep <= maxDepth; deep++) {
      const row: { base: string | null; named: number } | undefined = await db.one(sql`select t.base,
        case when ${named("t", "digest")} then 1 else 0 end as named from texts t where t.owner = ${whose} and t.digest = ${digest}`);
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
    await texts.putAll(db, whose, [{ text, digest, ...(under === undefined ? {} : { base: under }) }]);
  }
}
