import { expect, onTestFinished, test } from "vitest";
import { joinQueries, type Row, raw, sql, type Value } from "../../../src/store/home/sql.ts";
import { storeTables } from "../../../src/store/schema.ts";
import { unprovenIn } from "../../../src/store/verify/verify.ts";
import { bothHomes, newPlace } from "../../homes.ts";
import { randomFrom, seed, times } from "../../tiers/search.ts";
import { fillAll } from "./emptied.ts";
import { afterOutsider, type Outside } from "./outside.ts";
import { edited, equal, pick, type Random } from "./tamper.ts";

type Damage = {
  readonly kind: "change" | "delete" | "swap";
  readonly table: string;
  readonly columns: readonly string[];
};

/** Whether what verify says it does not look at has all of it. */
function isUnproven({ table, columns, kind }: Damage): boolean {
  return unprovenIn(storeTables).some(
    ({ columns: { [table]: known } }) =>
      known === "all" ||
      (kind !== "delete" && known !== undefined && columns.every((column) => known.includes(column))),
  );
}

/** Tables and the columns of their keys. What a search keeps for itself is no table of ours. */
async function tablesOf(db: Outside, name: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const words =
    name === "sqlite"
      ? `select m.name as table_name, c.name as column_name from sqlite_master m, pragma_table_info(m.name) c
          where m.type = 'table' and c.pk > 0 and m.name not like '%\\_search%' escape '\\' order by m.name, c.pk`
      : `select c.relname as table_name, a.attname as column_name from pg_index i join pg_class c on c.oid = i.indrelid
          join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
          where i.indisprimary and c.relnamespace = 'charter'::regnamespace order by c.relname, a.attnum`;
  const keys = new Map<string, string[]>();
  for (const { table_name, column_name } of await db.all<{ table_name: string; column_name: string }>(raw(words)))
    keys.set(table_name, [...(keys.get(table_name) ?? []), column_name]);
  return keys;
}

/** Changes, deletes or swaps something somewhere; nothing where that changed nothing. */
async function damage(db: Outside, name: string, random: Random): Promise<Damage | undefined> {
  const tables = await tablesOf(db, name);
  const table = pick(random, [...tables.keys()]);
  const key = tables.get(table) as readonly string[];
  const rows = await db.all<Row>(raw(`select * from ${table} order by ${key.join(", ")}`));
  if (rows.length === 0) return undefined;
  const [row, other] = [pick(random, rows), pick(random, rows)];
  const at = (one: Row) =>
    joinQueries(
      key.map((column) => sql`${raw(column)} = ${one[column] as Value}`),
      " and ",
    );
  const set = (one: Row, column: string, value: Value) =>
    db.run(sql`update ${raw(table)} set ${raw(column)} = ${value} where ${at(one)}`);
  const kind = pick(random, ["change", "change", "delete", "swap"] as const);
  if (kind === "delete") {
    await db.run(sql`delete from ${raw(table)} where ${at(row)}`);
    return { kind, table, columns: Object.keys(row) };
  }
  const column = pick(random, Object.keys(row));
  if (kind === "change") {
    const value = edited(random, row[column] as Value, other[column] as Value);
    if (equal(value, row[column])) return undefined;
    await set(row, column, value);
    return { kind, table, columns: [column] };
  }
  // A cell, or all of them but the key.
  const columns = random() < 0.5 ? [column] : Object.keys(row).filter((one) => !key.includes(one));
  const differ = columns.filter((one) => !key.includes(one) && !equal(row[one], other[one]));
  for (const one of differ) {
    await set(row, one, other[one] as Value);
    await set(other, one, row[one] as Value);
  }
  return differ.length === 0 ? undefined : { kind, table, columns: differ };
}

const bySealAlone = /^(?:\d+ rows? |the rows are not those)/;

test.each(bothHomes)(
  "of damages anywhere in a database on %s, what is not found is among what verify says it did not look at",
  async (name) => {
    const place = await newPlace(name);
    onTestFinished(place.remove);
    await (await fillAll(place.open())).close();
    const random = randomFrom(seed);
    const wrong: Damage[] = [];
    const counts = { found: 0, bySeals: 0, unproven: 0 };
    for (let done = 0; done < times(400); ) {
      let made: Damage | undefined;
      // What the database refuses, or what changed nothing, is no damage.
      const nothing = new Error("Nothing was changed.");
      const found = await afterOutsider(place, async (db) => {
        made = await damage(db, name, random).catch(() => undefined);
        if (!made) throw nothing;
      }).catch((error) => {
        if (error !== nothing) throw error;
      });
      if (!made || !found) continue;
      done++;
      if (found.faults.length > 0) {
        counts.found++;
        if (found.faults.every(({ reason }) => bySealAlone.test(reason))) counts.bySeals++;
      } else if (isUnproven(made)) counts.unproven++;
      else wrong.push(made);
    }
    console.log(`${times(400)} damages on ${name}: ${JSON.stringify(counts)}`);
    expect(wrong).toEqual([]);
  },
);
