import type { Database, Home } from "../../src/store/home/database.ts";
import { joinQueries, type Row, raw, sql, type Value } from "../../src/store/home/sql.ts";
import { ownerColumns, type Table, type TableColumn } from "../../src/store/home/table.ts";
import { saidColumns } from "../../src/store/home/table-statements.ts";
import { digestOfBytes } from "../../src/store/texts/packing.ts";
import { createTexts } from "../../src/store/texts/text.ts";
import { keepWordsOf } from "../../src/store/turns/list-turns.ts";

/** Whose a row is. An agent's own row may be about a user: `about` says whose words are in it. */
type RowOwner = { readonly agent: string; readonly user: string; readonly about?: string };

/** Words that stand in one column of one owner's rows, and nowhere else. */
export function canary({ agent, user, about = user }: RowOwner, table: string, column: string): string {
  return `canaryof${about}with${agent} ${table}.${column}`;
}

let count = 0;

/** A row as the declaration of its table has it, with a canary wherever someone's words can be. */
export function rowFor(made: Table, owner: RowOwner, over: Row = {}): Row {
  const unique = ++count;
  const row: Record<string, Value> = {};
  for (const one of made.all) if (one.type !== "counted") row[one.column] = valueFor(made, one, owner, unique);
  if (row.body instanceof Uint8Array) Object.assign(row, { digest: digestOfBytes(row.body), size: row.body.length });
  return { ...row, ...over };
}

function valueFor(made: Table, one: TableColumn, owner: RowOwner, unique: number): Value {
  const { column, type, isSaid, isNullable, reads } = one;
  const { agent, user } = ownerColumns(made);
  if (column === agent) return owner.agent;
  if (column === user) return owner.user;
  const words = canary(owner, made.name, column);
  if (isSaid) return type === "bytes" ? Buffer.from(words) : reads === "json" ? JSON.stringify({ words }) : words;
  if (isNullable) return null;
  if (type === "number") return made.key.includes(column) ? unique : 1;
  if (reads === "json") return "[]";
  if (/(?:^|_)(?:at|until|day)$/.test(column)) return new Date(Date.UTC(2026, 1, 18, 0, 0, unique)).toISOString();
  return `${made.name}-${column}-${unique}`;
}

export async function insertRow(db: Database, made: Table, row: Row): Promise<void> {
  const values = joinQueries(
    Object.values(row).map((value) => sql`${value}`),
    ", ",
  );
  await db.run(sql`insert into ${raw(made.name)} (${raw(Object.keys(row).join(", "))}) values (${values})`);
}

/** Made by what is written elsewhere: packed, in a home's own way, or by triggers. */
const madeOtherwise = ["texts", "turn_words", "seals"];

/** A row in every table that has rows of users, for each of them with each agent; and in every table of agents. */
export async function fillDeclared(home: Home, agents: readonly string[], users: readonly string[]): Promise<void> {
  const tables = home.schema.tables.filter(({ name }) => !madeOtherwise.includes(name));
  await home.write("everything", async (db) => {
    for (const made of tables.filter(({ name }) => name === "users"))
      for (const user of users) await insertRow(db, made, rowFor(made, { agent: "", user }));
    for (const agent of agents) {
      const own = tables.filter((made) => ownerColumns(made).agent && !ownerColumns(made).user);
      for (const made of own) await insertRow(db, made, rowFor(made, { agent, user: "", about: "itself" }));
      for (const user of users) await fillScope(db, tables, { agent, user });
    }
  });
}

async function fillScope(db: Database, tables: readonly Table[], owner: RowOwner): Promise<void> {
  const texts = createTexts();
  const kept = await texts.put(db, owner.user, canary(owner, "texts", "body"));
  const receipt = await texts.put(db, owner.user, JSON.stringify({ slots: [], words: canary(owner, "texts", "body") }));
  // The turn in which the agent itself worked on what they had written.
  const working = `turn-for-${owner.user}-of-${owner.agent}`;
  const over: Readonly<Record<string, Row>> = {
    amendments: { before_digest: kept, after_digest: kept },
    steps: { receipt },
    inbox: { turn: working },
    // What it cost stays known for a while.
    chain_replies: { fee: "5", at: new Date().toISOString() },
  };
  for (const made of tables) {
    const { agent, user } = ownerColumns(made);
    if (agent === undefined || user === undefined) continue;
    const about = { agent: owner.agent, user: "", about: owner.user };
    const { through } = made.erase ?? {};
    const rows = [rowFor(made, owner, over[made.name])];
    if (through) rows.push(rowFor(made, about, { [through]: working, ...(made.name === "steps" ? { receipt } : {}) }));
    for (const row of rows) {
      await insertRow(db, made, row);
      if (made.name !== "turns") continue;
      const scope = { agent: owner.agent, ...(row.user_id === "" ? {} : { user: owner.user }) };
      await keepWordsOf(db, [
        {
          id: `${row.id}`,
          agent: scope.agent,
          user_id: scope.user ?? "",
          input: `${row.input}`,
          reply: `${row.reply}`,
        },
      ]);
    }
  }
}

/** Every canary that can stand in these tables' rows of an owner. */
export function canariesOf(tables: readonly Table[], owner: RowOwner): string[] {
  return tables
    .filter((made) => ownerColumns(made).agent && ownerColumns(made).user && !madeOtherwise.includes(made.name))
    .flatMap((made) => saidColumns(made).map((column) => canary(owner, made.name, column)));
}

type FoundRow = { readonly table: string; readonly row: Row; readonly words: string };

/** Every row of every table there is in a database, declared or not; texts as they read. */
export function everyRow(home: Home): Promise<FoundRow[]> {
  return home.read("everything", async (db) => {
    const tables = raw(
      home.name === "sqlite"
        ? "select name from sqlite_master where type = 'table' and name not like '%s_search%'"
        : "select tablename as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
    );
    const out: FoundRow[] = [];
    for (const { name: table } of await db.all<{ name: string }>(tables))
      for (const row of await db.all<Row>(raw(`select * from ${table}`))) {
        const text = table === "texts" ? await createTexts().get(db, `${row.owner}`, `${row.digest}`) : "";
        const values = Object.values(row).map((one) => (one instanceof Uint8Array ? Buffer.from(one).toString() : one));
        out.push({ table, row, words: `"${values.join('" "')}" ${text}` });
      }
    return out;
  });
}
