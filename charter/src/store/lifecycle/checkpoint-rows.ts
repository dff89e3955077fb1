import { Problem } from "../../prompt/problem.ts";
import type { Database } from "../home/database.ts";
import { joinQueries, listOf, type Query, type Row, raw, sql, type Value } from "../home/sql.ts";
import type { Table } from "../home/table.ts";
import type { NewText, Texts } from "../texts/text.ts";
import type { CheckpointLine } from "./checkpoint-line.ts";
import { isShared } from "./checkpoint-tables.ts";

/** So many at once: one question to the database costs about as much as a row. */
const batch = 100;

type RowWriter = { readonly add: (line: CheckpointLine) => Promise<void>; readonly end: () => Promise<void> };

/** Writes the lines of a checkpoint, in their order, many at a time. */
export function createRowWriter(
  db: Database,
  texts: Texts,
  { replace, file, tables }: { readonly replace: boolean; readonly file: string; readonly tables: readonly Table[] },
): RowWriter {
  const shared = new Set(tables.filter(isShared).map(({ name }) => name));
  let table = "";
  let rows: Row[] = [];
  let words: NewText[] = [];
  const flushRows = async () => {
    if (rows.length === 0) return;
    const written = await db.run(insertRows(table, rows, replace));
    if (written < rows.length && !shared.has(table)) throw inTheWay(file, table);
    rows = [];
  };
  const flushTexts = async () => {
    await texts.putAll(db, words);
    words = [];
  };
  return {
    add: async (line) => {
      if ("text" in line) {
        const { owner, digest, base, words: text } = line.text;
        if (words.length === batch) await flushTexts();
        words.push({ owner, text, digest, base: base ?? undefined });
      } else {
        // Those that hold bytes are long: one at a time.
        const isLong = Object.values(line.row).some((value) => value instanceof Uint8Array);
        if (line.table !== table || rows.length === batch || isLong) await flushRows();
        table = line.table;
        rows.push(line.row);
      }
    },
    end: async () => {
      await flushTexts();
      await flushRows();
    },
  };
}

/** What is shared stays as it is: a token that was revoked is not brought back. */
function insertRows(table: string, rows: readonly Row[], replace: boolean): Query {
  const names = Object.keys(rows[0] as Row);
  const values = rows.map((row) => listOf(names.map((name) => row[name] as Value)));
  const clash = raw(table === "users" && replace ? "(id) do update set zone = excluded.zone" : "do nothing");
  return sql`insert into ${raw(table)} (${raw(names.join(", "))}) values ${joinQueries(values, ", ")} on conflict ${clash}`;
}

function inTheWay(file: string, table: string): Problem {
  return new Problem(
    "row-exists",
    `A row of “${table}” in ${file} has the id of one that is here already, of another agent.`,
    "Restore into a database of its own; nothing was changed.",
  );
}
