import type { Checkup, Database } from "../database.ts";

import { listOf, sql } from "../sql.ts";
import type { Table } from "../table.ts";
import { fenceOf, type Schema } from "../table-statements.ts";
import { role } from "./postgres-schema.ts";

export async function checkServer(db: Database, { tables }: Schema): Promise<Checkup[]> {
  return [await checkRole(db), await checkMember(db), await checkRows(db, tables)];
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
