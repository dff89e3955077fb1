import type { Pool } from "pg";
import { reasonOf } from "../../../prompt/problem.ts";
import type { Checkup, Integrity } from "../database.ts";

/** Damaged indexes are `XX002`, damaged pages `XX001`. */
const damaged = /^XX00[12]$/;

const unseen = "indexes against their tables (PostgreSQL's extension amcheck is not there, or may not be used)";

/** Every index that is a tree, against its table, with PostgreSQL's own extension for that. */
export async function integrityOf(server: Pick<Pool, "query">): Promise<Integrity> {
  const found = await server.query<{ check: string }>(`select p.oid::regproc::text as check from pg_extension e
    join pg_proc p on p.pronamespace = e.extnamespace and p.proname = 'bt_index_check' and p.pronargs = 2
    where e.extname = 'amcheck' and has_function_privilege(p.oid, 'execute')`);
  const check = found.rows[0]?.check;
  if (check === undefined) return { damages: [], unseen };
  const indexes = await server.query<{ name: string }>(`select c.oid::regclass::text as name from pg_class c
    join pg_am a on a.oid = c.relam and a.amname = 'btree' join pg_index i on i.indexrelid = c.oid
    where c.relnamespace = 'charter'::regnamespace and c.relkind = 'i' and i.indisvalid order by c.relname`);
  const damages: string[] = [];
  for (const { name } of indexes.rows)
    try {
      await server.query(`select ${check}($1::regclass, true)`, [name]);
    } catch (error) {
      if (!damaged.test((error as { code?: string }).code ?? "")) throw error;
      damages.push(reasonOf(error));
    }
  return { damages };
}

export function checkIndexes({ damages, unseen: not }: Integrity): Checkup {
  if (not !== undefined) return { what: `Not looked at: ${not}.`, fine: true };
  if (damages.length === 0) return { what: "Every index agrees with its table.", fine: true };
  const hint = "Look at the server's disk. An index is made anew with `reindex`, a table from a checkpoint.";
  return { what: `The database is damaged: ${damages.join("; ")}.`, fine: false, hint };
}
