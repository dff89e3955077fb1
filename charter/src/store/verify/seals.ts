import { matching } from "../home/query.ts";
import { ownerKey, type Seal, sealsOf } from "../home/seals.ts";
import { sql } from "../home/sql.ts";
import { isSealed } from "../home/table-statements.ts";
import { ownerName, type StoreFault } from "./faults.ts";
import type { Walk } from "./walk.ts";

/** What is in no hash chain: by its owners, as many rows as were written, and each as it was. Says how many rows there are. */
export async function walkSeals({ db, tables, agent, faults, breathe }: Walk): Promise<number> {
  let rows = 0;
  for (const sealed of tables.filter(isSealed)) {
    const there = await sealsOf(db, sealed, agent);
    const kept = await db.all<Seal>(
      sql`select agent, user_id, count, digest from seals where ${matching({ what: sealed.name, agent })}`,
    );
    const written = new Map(kept.map((seal) => [ownerKey(seal), { ...seal, count: Number(seal.count) }]));
    for (const seal of there.values()) rows += seal.count;
    for (const key of new Set([...written.keys(), ...there.keys()])) {
      const owner = (there.get(key) ?? written.get(key)) as Seal;
      const wrong = difference(written.get(key), there.get(key));
      if (wrong) faults.add({ table: sealed.name, row: ownerName(owner), ...wrong });
    }
    await breathe();
  }
  return rows;
}

function difference(
  written: Seal | undefined,
  there: Seal | undefined,
): Pick<StoreFault, "what" | "reason"> | undefined {
  const [before, now] = [written?.count ?? 0, there?.count ?? 0];
  if (before !== now) {
    const reason = `${before} ${before === 1 ? "row was" : "rows were"} written, and ${now} ${now === 1 ? "is" : "are"} there`;
    return { what: before > now ? "missing" : "extra", reason };
  }
  if ((written?.digest ?? "0") === (there?.digest ?? "0")) return undefined;
  return { what: "edited", reason: "the rows are not those their digest was made of" };
}
