import type { Pool } from "pg";
import { reasonOf } from "../../../prompt/problem.ts";
import type { Checkup, Database, Integrity } from "../database.ts";
import { listOf, sql } from "../sql.ts";
import type { Table } from "../table.ts";
import { fenceOf, type Schema } from "../table-statements.ts";
import { role } from "./postgres-schema.ts";

export async function checkServer(db: Database, { tables }: Schema, found: Integrity): Promise<Checkup[]> {
  return [await checkRole(db), await checkMember(db), await checkRows(db, tables), checkIndexes(found)];
}

async function checkRole(db: Database): Promise<Checkup> {
  const found = await db.one<{ strong: boolean }>(
    sql`select rolsuper or rolbypassrls as strong from pg_roles where rolname = ${role}`,
  );
  if (found && !found.strong) return { what: `The role ${role} sees only what it may.`, fine: true };
  const what = found ? `The role ${role} may bypass row-level security.` : `There is no role ${role}.`;
  const hint = found
    ? `As an administrator: alter role ${role} nosuperuser nobypassrls.`
    : `As an administrator: create role ${role} nologin, and grant it to Charter's user.`;
  return { what, fine: false, hint };
}

async function checkMember(db: Database): Promise<Checkup> {
  const found = await db.one<{ member: boolean; name: string }>(
    sql`select current_user as name, coalesce((select pg_has_role(current_user, oid, 'member') from pg_roles
      where rolname = ${role}), false) as member`,
  );
  if (found?.member) return { what: `${found.name} can act as ${role}.`, fine: true };
  const hint = `As an administrator: grant ${role} to ${found?.name}.`;
  return { what: `${found?.name} cannot act as ${role}, so nobody can look through a scope.`, fine: false, hint };
}

async function checkRows(db: Database, tables: readonly Table[]): Promise<Checkup> {
  const names = tables.map(({ name }) => name);
  const closed = tables.filter((made) => fenceOf(made, "", "").see === "false").map(({ name }) => name);
  const rows = await db.all<{ name: string }>(sql`select relname as name from pg_class
    where relnamespace = 'charter'::regnamespace and relkind = 'r' and relrowsecurity
      and relname in ${listOf(names)}
      and (relname in ${listOf(closed)} or exists (select 1 from pg_policy where polrelid = pg_class.oid))`);
  const open = names.filter((table) => rows.every(({ name }) => name !== table));
  if (open.length === 0) return { what: "Row-level security keeps every user's rows apart.", fine: true };
  const hint = "Save a checkpoint and restore it into a new database, or put the policies back by hand.";
  return { what: `Row-level security is off, or has no rules, for ${open.join(", ")}.`, fine: false, hint };
}

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

function checkIndexes({ damages, unseen: not }: Integrity): Checkup {
  if (not !== undefined) return { what: `Not looked at: ${not}.`, fine: true };
  if (damages.length === 0) return { what: "Every index agrees with its table.", fine: true };
  const hint = "Look at the server's disk. An index is made anew with `reindex`, a table from a checkpoint.";
  return { what: `The database is damaged: ${damages.join("; ")}.`, fine: false, hint };
}
