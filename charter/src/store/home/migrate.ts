import { recordEvents, schemaBrought } from "../event.ts";
import { checkKnown } from "../schema.ts";
import type { Database, Look } from "./database.ts";
import { exactly, setting } from "./query.ts";
import { ownerName, type Seal, sealFaults, sealsOf } from "./seals.ts";
import { joinQueries, type Query, type Row, raw, sql, type Value } from "./sql.ts";
import { type Table, table } from "./table.ts";
import {
  type ColumnTypes,
  columnWords,
  indexStatements,
  isSealed,
  partVersion,
  type Schema,
  type SchemaPart,
  type SchemaStep,
  sealedColumns,
  tablesAt,
} from "./table-statements.ts";

/** What a home gives to be brought on, inside the transaction it opened for it. */
type Migration = {
  readonly place: string;
  readonly schema: Schema;
  readonly look: Look;
  readonly types: ColumnTypes;
  /** Returns the statements that make a table, with what keeps and proves its rows. */
  readonly statementsOf: (made: Table) => readonly string[];
  readonly run: (statement: string) => unknown;
  /** Query for the names of the indexes there. */
  readonly indexes: Query;
  /** Computes a row's seal as it was before step 13. */
  readonly sealByPosition: (columns: readonly string[]) => Query;
  /** Returns the statements that come before columns are dropped from a table, or the table itself. */
  readonly beforeDrop?: (name: string) => readonly string[];
};

/** A part that is behind its declarations, and its tables as they are in the home. */
type Behind = {
  readonly part: SchemaPart;
  readonly from: number;
  readonly steps: readonly SchemaStep[];
  readonly tables: readonly Table[];
};

/**
 * Brings a home on to its declarations, and puts in place what is missing of them. Every seal of a row that changes is verified
 * first: what does not hold is never sealed anew, so `verify` goes on naming it.
 */
export async function bringOn(db: Database, migration: Migration): Promise<void> {
  const { place, schema, look } = migration;
  const behind = schema.parts.flatMap((part): Behind[] => {
    // Tables that were declared without an owner were made as of the first version.
    const isThere = part.tables.some(({ name }) => look.tables.has(name));
    const seen = look.versions.get(part.owner) ?? { version: isThere ? part.first : partVersion(part), leastReader: 0 };
    checkKnown(place, seen, part);
    const steps = part.steps.filter(({ to }) => to > seen.version);
    return steps.length === 0 ? [] : [{ part, from: seen.version, steps, tables: tablesAt(part, seen.version) }];
  });
  const changed = behind.flatMap(changedTables).filter(({ made }) => look.tables.has(made.name));
  const sound = new Map<string, readonly Seal[]>();
  const faults: FaultyRows[] = [];
  for (const { made, isByPosition } of changed.filter(({ made }) => isSealed(made))) {
    const seal = isByPosition ? sealByPosition(migration, made) : db.dialect.rowSeal(made);
    const [found, owners] = await provenOwners(db, made, seal);
    sound.set(made.name, owners);
    faults.push(...found);
  }
  await expand(db, migration);
  for (const { steps } of behind) for (const step of steps) await rewrite(db, schema, step);
  for (const { steps } of behind) for (const step of steps) await contract(db, migration, step);
  for (const made of schema.tables) await reseal(db, made, sound.get(made.name) ?? []);
  await record(db, behind, faults);
}

/** Returns the tables whose rows, or their seals, change with the missing steps. */
function changedTables({ steps, tables }: Behind): { readonly made: Table; readonly isByPosition: boolean }[] {
  const isByPosition = steps.some(({ seals }) => seals !== undefined);
  const named = new Set(
    steps.flatMap(({ rewrite = {}, drop = {} }) => [...Object.keys(rewrite), ...Object.keys(drop)]),
  );
  return tables.filter(({ name }) => isByPosition || named.has(name)).map((made) => ({ made, isByPosition }));
}

/** The catalogue has the columns in the order in which the table was made. */
function sealByPosition({ look, sealByPosition: sealOf }: Migration, made: Table): Query {
  const sealed = new Set(sealedColumns(made).map(({ column }) => column));
  return sealOf(look.tables.get(made.name)?.filter((column) => sealed.has(column)) ?? []);
}

type FaultyRows = { readonly agent: string; readonly table: string; readonly row: string; readonly what: string };

/** Compares the rows of a table with their seals. Returns the faults, and the owners whose rows are as they were written. */
async function provenOwners(db: Database, made: Table, seal: Query): Promise<[FaultyRows[], Seal[]]> {
  const present = await sealsOf(db, made, seal);
  const faults = await sealFaults(db, made.name, present);
  const faulty = new Set(faults.map(({ owner }) => owner));
  return [
    faults.map(({ owner, what }) => ({ agent: owner.agent, table: made.name, row: ownerName(owner), what })),
    [...present.values()].filter((owner) => !faulty.has(owner)),
  ];
}

/** Makes the tables, columns and indexes that are missing. */
async function expand(db: Database, { schema, look, types, statementsOf, run, indexes }: Migration): Promise<void> {
  const existing = new Set((await db.all<{ name: string }>(indexes)).map(({ name }) => name));
  for (const made of schema.tables) {
    const columns = look.tables.get(made.name);
    if (columns === undefined) {
      for (const statement of statementsOf(made)) await run(statement);
      continue;
    }
    for (const column of made.all)
      if (!columns.includes(column.column))
        await run(`alter table ${made.name} add column ${columnWords(column, types)}`);
    for (const [name, statement] of indexStatements(made)) if (!existing.has(name)) await run(statement);
  }
}

const rowsPerPage = 500;

/** Rewrites the rows of a step's tables, some at a time. */
async function rewrite(db: Database, { tables }: Schema, { rewrite = {} }: SchemaStep): Promise<void> {
  for (const [name, change] of Object.entries(rewrite)) {
    const made = tables.find((one) => one.name === name);
    if (made === undefined) continue;
    const key = raw(made.key.join(", "));
    const keyOf = (row: Row) => made.key.map((column) => row[column] as Value);
    let rows: Row[] = [];
    do {
      const last = rows.at(-1);
      const after = last
        ? sql`where (${key}) > (${joinQueries(
            keyOf(last).map((one) => sql`${one}`),
            ", ",
          )})`
        : raw("");
      rows = await db.all<Row>(sql`select * from ${raw(name)} ${after} order by ${key} limit ${rowsPerPage}`);
      for (const row of rows) {
        const which = exactly(Object.fromEntries(made.key.map((column) => [column, row[column] as Value])));
        const set = Object.entries(change(row)).filter(([column, value]) => value !== row[column]);
        if (set.length > 0)
          await db.run(sql`update ${raw(name)} set ${setting(Object.fromEntries(set))} where ${which}`);
      }
    } while (rows.length === rowsPerPage);
  }
}

/** Drops what a step drops, if it is there and not declared again since. */
async function contract(
  db: Database,
  { schema, look, run, beforeDrop = () => [] }: Migration,
  { drop = {}, dropTables = [] }: SchemaStep,
): Promise<void> {
  for (const [name, columns] of Object.entries(drop)) {
    const there = look.tables.get(name) ?? [];
    const declared = schema.tables.find((made) => made.name === name)?.columns ?? {};
    const gone = table(name, { of: "store", key: [] }, columns).all.filter(
      ({ column, field }) => there.includes(column) && !(field in declared),
    );
    if (gone.length > 0) for (const statement of beforeDrop(name)) await run(statement);
    for (const { column } of gone) await run(`alter table ${name} drop column ${column}`);
  }
  for (const { name } of dropTables) {
    if (!look.tables.has(name) || schema.tables.some((made) => made.name === name)) continue;
    await run(`drop table ${name}`);
    for (const statement of beforeDrop(name)) await run(statement);
    await db.run(sql`delete from seals where what = ${name}`);
  }
}

/** Seals the rows of owners anew. */
async function reseal(db: Database, made: Table, owners: readonly Seal[]): Promise<void> {
  if (owners.length === 0) return;
  const now = await sealsOf(db, made, db.dialect.rowSeal(made));
  for (const { agent, user_id } of owners) {
    const seal = [...now.values()].find((one) => one.agent === agent && one.user_id === user_id);
    if (seal)
      await db.run(sql`update seals set digest = ${seal.digest}
        where ${exactly({ agent, user_id, what: made.name })}`);
  }
}

/** Maximum number of faults that an event names. */
const maxNamed = 20;

/** Records with every agent what was brought on, and which of its rows were not as they were written. */
async function record(db: Database, behind: readonly Behind[], faults: readonly FaultyRows[]): Promise<void> {
  if (behind.length === 0) return;
  const at = new Date().toISOString();
  const agents = await db.all<{ name: string }>(sql`select name from agents order by name`);
  for (const { name } of agents) {
    const own = faults.filter(({ agent }) => agent === name || agent === "");
    const named = own.slice(0, maxNamed).map(({ table, row, what }) => ({ table, row, what }));
    recordEvents(
      db,
      behind.map(({ part, from }) => {
        const brought = { owner: part.owner, from, to: partVersion(part) };
        const detail = { ...brought, ...(own.length > 0 && { faults: named, further: own.length - named.length }) };
        return { scope: { agent: name }, kind: schemaBrought, detail, at };
      }),
    );
  }
}
