import type { Database } from "./database.ts";
import { matching } from "./query.ts";
import { type Query, raw, sql } from "./sql.ts";
import type { Table } from "./table.ts";
import { ownerWords } from "./table-statements.ts";

/** Seal of an owner's rows: their number, and the sum of their digests. */
export type Seal = {
  readonly agent: string;
  readonly user_id: string;
  readonly count: number;
  readonly digest: string;
};

/** Computes the seals of a table's rows, each row's by an expression, by owner: all, or those of one agent. */
export async function sealsOf(db: Database, made: Table, seal: Query, only?: string): Promise<Map<string, Seal>> {
  const [agent, user] = ownerWords(made);
  const seals = new Map<string, { agent: string; user_id: string; count: number; digest: bigint }>();
  const ofOwner = only === undefined ? raw("") : sql`where ${raw(agent)} = ${only}`;
  const rows = db.each<{ agent: string; user_id: string; seal: string }>(sql`select ${raw(agent)} as agent,
    ${raw(user)} as user_id, ${seal} as seal from ${raw(made.name)} ${ofOwner}`);
  for await (const { agent, user_id, seal } of rows) {
    const key = ownerKey({ agent, user_id });
    const one = seals.get(key) ?? { agent, user_id, count: 0, digest: 0n };
    one.count++;
    one.digest += BigInt(seal);
    seals.set(key, one);
  }
  return new Map([...seals].map(([key, one]) => [key, { ...one, digest: String(one.digest) }]));
}

function ownerKey({ agent, user_id }: Pick<Seal, "agent" | "user_id">): string {
  return JSON.stringify([agent, user_id]);
}

/** Rows of an owner that are not those that were written. */
type SealFault = { readonly owner: Seal; readonly what: "missing" | "extra" | "edited"; readonly reason: string };

/** Compares the seals that a table's rows have now with those that were written. */
export async function sealFaults(
  db: Database,
  what: string,
  present: ReadonlyMap<string, Seal>,
  agent?: string,
): Promise<SealFault[]> {
  const kept = await db.all<Seal>(
    sql`select agent, user_id, count, digest from seals where ${matching({ what, agent })}`,
  );
  const written = new Map(kept.map((seal) => [ownerKey(seal), { ...seal, count: Number(seal.count) }]));
  return [...new Set([...written.keys(), ...present.keys()])].flatMap((key) => {
    const owner = (present.get(key) ?? written.get(key)) as Seal;
    const wrong = difference(written.get(key), present.get(key));
    return wrong ? [{ owner, ...wrong }] : [];
  });
}

function difference(written: Seal | undefined, there: Seal | undefined): Omit<SealFault, "owner"> | undefined {
  const [before, now] = [written?.count ?? 0, there?.count ?? 0];
  if (before !== now) {
    const reason = `${before} ${before === 1 ? "row was" : "rows were"} written, and ${now} ${now === 1 ? "is" : "are"} there`;
    return { what: before > now ? "missing" : "extra", reason };
  }
  if ((written?.digest ?? "0") === (there?.digest ?? "0")) return undefined;
  return { what: "edited", reason: "the rows are not those their digest was made of" };
}

type RowOwner = { readonly agent: string; readonly user_id?: string; readonly section?: string };

/** Names an owner as “agent ada, user bo, section wishes”. A hash chain, and the row that ends it, have this name. */
export function ownerName({ agent, user_id, section }: RowOwner): string {
  const names = [
    ...(agent === "" ? [] : [`agent ${agent}`]),
    ...(user_id === undefined || user_id === "" ? [] : [`user ${user_id}`]),
    ...(section === undefined ? [] : [`section ${section}`]),
  ];
  return names.join(", ") || "of no agent";
}
