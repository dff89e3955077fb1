import type { Database } from "./database.ts";
import { raw, sql } from "./sql.ts";
import type { Table } from "./table.ts";
import { ownerWords, sealedColumns } from "./table-statements.ts";

/** Whose rows a seal covers, how many there are, and the sum of their digests. */
export type Seal = {
  readonly agent: string;
  readonly user_id: string;
  readonly count: number;
  readonly digest: string;
};

/** The seals that the rows of a table would have, by owner: all, or those of one agent. */
export async function sealsOf(db: Database, made: Table, only?: string): Promise<Map<string, Seal>> {
  const [agent, user] = ownerWords(made);
  const found = new Map<string, { agent: string; user_id: string; count: number; digest: bigint }>();
  const whose = only === undefined ? raw("") : sql`where ${raw(agent)} = ${only}`;
  const rows = db.each<{ agent: string; user_id: string; seal: string }>(sql`select ${raw(agent)} as agent,
    ${raw(user)} as user_id, ${db.dialect.rowSeal(sealedColumns(made))} as seal from ${raw(made.name)} ${whose}`);
  for await (const { agent, user_id, seal } of rows) {
    const key = ownerKey({ agent, user_id });
    const one = found.get(key) ?? { agent, user_id, count: 0, digest: 0n };
    one.count++;
    one.digest += BigInt(seal);
    found.set(key, one);
  }
  return new Map([...found].map(([key, one]) => [key, { ...one, digest: String(one.digest) }]));
}

export function ownerKey({ agent, user_id }: Pick<Seal, "agent" | "user_id">): string {
  return JSON.stringify([agent, user_id]);
}
