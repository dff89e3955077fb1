import { Problem } from "../../prompt/problem.ts";
import type { Database } from "../home/database.ts";
import { checkSoundText } from "../home/sound-text.ts";
import type { Query, Row, Value } from "../home/sql.ts";
import type { NewText, Texts } from "../texts/text.ts";
import type { CheckpointLine } from "./checkpoint-line.ts";

/** So many at once: one question to the database costs about as much as a row. */
const batch = 100;

type RowWriter = { readonly add: (line: CheckpointLine) => Promise<void>; readonly end: () => Promise<void> };

/** Writes the lines of a checkpoint, in their order, many at a time. */
export function createRowWriter(
  db: Database,
  texts: Texts,
  { replace, file }: { readonly replace: boolean; readonly file: string },
): RowWriter {
  let table = "";
  let rows: Row[] = [];
  let owner = "";
  let words: NewText[] = [];
  const flushRows = async () => {
    if (rows.length === 0) return;
    const written = await db.run(insertRows(table, rows, replace));
    if (written < rows.length && table !== "users" && table !== "tokens") throw inTheWay(file, table);
    rows = [];
  };
  const flushTexts = async () => {
    await texts.putAll(db, owner, words);
    words = [];
  };
  return {
    add: async (line) => {
      if ("text" in line) {
        const { owner: whose, digest, base, words: text } = line.text;
        if (whose !== owner || words.length === batch) await flushTexts();
        owner = whose;
        words.push({ text, digest, ...(base === null ? {} : { base }) });
      } else {
        // Those that hold bytes are long: one at a time.
        if (line.table !== table || rows.length === batch || table === "attachments") await flushRows();
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

/** Users and tokens are everyone's: those who are there stay, and a token that was revoked is not brought back. */
function insertRows(table: string, rows: readonly Row[], replace: boolean): Query {
  const names = Object.keys(rows[0] as Row);
  const texts: string[] = [];
  const values: Value[] = [];
  let text = `insert into ${table} (${names.join(", ")}) values `;
  for (const [index, row] of rows.entries()) {
    text += index === 0 ? "(" : ", (";
    for (const [at, name] of names.entries()) {
      const value = row[name] as Value;
      if (typeof value === "string") checkSoundText(value);
      values.push(value);
      texts.push(at === 0 ? text : ", ");
      text = "";
    }
    text = ")";
  }
  const clash = table === "users" && replace ? "(id) do update set zone = excluded.zone" : "do nothing";
  return { texts: [...texts, `) on conflict ${clash}`], values };
}

function inTheWay(file: string, table: string): Problem {
  return new Problem(
    "row-exists",
    `A row of “${table}” in ${file} has the id of one that is here already, of another agent.`,
    "Restore into a database of its own; nothing was changed.",
  );
}
