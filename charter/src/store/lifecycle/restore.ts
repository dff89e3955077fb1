import { checkText } from "../../prompt/argument.ts";
import { listed, Problem } from "../../prompt/problem.ts";
import type { Receipt } from "../../prompt/receipt.ts";
import type { StoreDeps } from "../deps.ts";
import { keyIsNew } from "../event.ts";
import type { Database, Home } from "../home/database.ts";
import { lockAgainstErasure, recordOf } from "../home/query.ts";
import { joinQueries, listOf, type Query, type Row, raw, sql, type Value } from "../home/sql.ts";
import { ownerColumns, type RecordOf, type RowOf, type Table } from "../home/table.ts";
import type { Schema } from "../home/table-statements.ts";
import { searchedColumns } from "../memory/note.ts";
import { heads, writeHead } from "../publications/publications.ts";
import { checkAllKnown, storeSchema } from "../schema.ts";
import { createTexts, type NewText, type Texts } from "../texts/text.ts";
import { keepWordsOf } from "../turns/list-turns.ts";
import { keepStepFacts, summedSteps } from "../turns/step-result.ts";
import type { StepRow } from "../turns/steps.ts";
import type { TurnRow } from "../turns/turn.ts";
import {
  type CheckpointHeader,
  type CheckpointLine,
  createLineReader,
  damagedCheckpoint,
  footerOf,
  headerOf,
  isShared,
  type LineReader,
  notACheckpoint,
  parseLine,
  readCheckpointLines,
} from "./checkpoint.ts";
import { sweepTexts } from "./sweep.ts";

/** Options for restoring a checkpoint. */
export type RestoreOptions = {
  /** Removes agents that are there already first, with everything that belongs to them except the seen heads. */
  readonly replace?: boolean | undefined;
  /** The result of reading the file, if that was done already. */
  readonly proof?: CheckpointProof;
  readonly progress?: (rows: number, of: number | undefined) => void;
};

/**
 * Restores a checkpoint into a store, all of it or nothing.
 *
 * The file is read twice: first to prove it, then to write it in one transaction, which is only committed if the second reading
 * gave the same digest.
 */
export async function restoreCheckpoint(
  { home, texts }: Pick<StoreDeps, "home" | "texts">,
  file: string,
  { replace = false, proof: known, progress = () => {} }: RestoreOptions = {},
): Promise<CheckpointProof> {
  checkText("store.checkpoint.restore", file);
  let seen = 0;
  const proof = known ?? (await readCheckpoint(file, home.schema, async () => progress(++seen, undefined)));
  await home.write("everything", async (db) => {
    await checkAllKnown(db, home);
    const { replaced, heads: kept } = await makeRoom(db, home.schema.tables, proof.header, replace);
    const rows = createRowWriter(db, texts, { replace, file, tables: home.schema.tables });
    let done = 0;
    const again = await readCheckpoint(file, home.schema, async (line) => {
      await rows.add(line);
      progress(++done, proof.rows);
    });
    await rows.end();
    // Seen heads stay seen, whatever was known when the checkpoint was made.
    for (const head of kept) await writeHead(db, head, head, head.at);
    // Events that a key is new were true when the checkpoint was made; since then something may have been written with the key.
    for (const agent of proof.header.agents)
      await db.run(sql`delete from events where agent = ${agent} and kind = ${keyIsNew}`);
    // Search columns are not part of a checkpoint.
    for (const agent of proof.header.agents) await rebuildSearch(db, agent);
    // Texts that only the replaced agents used are unused now.
    if (replaced) await sweepTexts(db, texts);
    if (again.digest !== proof.digest)
      throw new Problem(
        "checkpoint-damaged",
        `The checkpoint ${file} changed while it was restored.`,
        "Nothing was changed; copy the file to a quiet place and try again.",
      );
  });
  return proof;
}

type Room = { readonly replaced: boolean; readonly heads: readonly RecordOf<typeof heads>[] };

async function makeRoom(
  db: Database,
  tables: readonly Table[],
  { agents }: CheckpointHeader,
  replace: boolean,
): Promise<Room> {
  const here = new Set((await db.all<{ name: string }>(sql`select name from agents`)).map(({ name }) => name));
  const present = agents.filter((name) => here.has(name));
  if (present.length > 0 && !replace)
    throw new Problem(
      "agent-exists",
      `This store already has ${listed(present)}.`,
      "Restore into another database, or add --replace: what is there now is then replaced.",
    );
  const seen: RecordOf<typeof heads>[] = [];
  for (const agent of present) {
    const rows = await db.all<RowOf<typeof heads>>(sql`select * from heads where agent = ${agent}`);
    seen.push(...rows.map((row) => recordOf(heads, row)));
    for (const made of tables) {
      const { agent: column } = ownerColumns(made);
      if (column && !isShared(made)) await db.run(sql`delete from ${raw(made.name)} where ${raw(column)} = ${agent}`);
    }
  }
  return { replaced: present.length > 0, heads: seen };
}

/** Number of rows written at once, because each statement costs about as much as a row. */
const maxRowsAtOnce = 100;

type RowWriter = { readonly add: (line: CheckpointLine) => Promise<void>; readonly end: () => Promise<void> };

/** Writes the lines of a checkpoint, in their order, many at a time. */
function createRowWriter(
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
        if (words.length === maxRowsAtOnce) await flushTexts();
        words.push({ owner, text, digest, base: base ?? undefined });
      } else {
        // Rows with bytes are long, so they are written one at a time.
        const isLong = Object.values(line.row).some((value) => value instanceof Uint8Array);
        if (line.table !== table || rows.length === maxRowsAtOnce || isLong) await flushRows();
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

/** Inserts rows. Shared rows that exist stay as they are: a token that was revoked is not brought back. */
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

/** Contents of a checkpoint file, once it has been read to its end and verified. */
export type CheckpointProof = {
  readonly header: CheckpointHeader;
  readonly rows: number;
  readonly digest: string;
  readonly content: string;
  /** Number of lines of each table; texts are under `texts`. */
  readonly tables: Readonly<Record<string, number>>;
};

/**
 * Reads a checkpoint from its first line to its last and passes each on, with only one line in memory. The file is proved only
 * when this returns: a caller that acts on a line before that has to be able to undo it.
 */
export async function readCheckpoint(
  path: string,
  schema: Schema = storeSchema,
  onLine: (line: CheckpointLine) => Promise<void> = async () => {},
): Promise<CheckpointProof> {
  const { createHash } = process.getBuiltinModule("node:crypto");
  const [whole, content] = [createHash("sha256"), createHash("sha256")];
  const tables: Record<string, number> = {};
  let lines: LineReader | undefined;
  let header: CheckpointHeader | undefined;
  let proof: CheckpointProof | undefined;
  let rows = 0;
  for await (const bytes of readCheckpointLines(path)) {
    const line = (bytes as Buffer).toString("utf8");
    if (proof) throw damagedCheckpoint(path, "it goes on after its last line");
    if (!lines) {
      header = headerOf(line, path, schema);
      lines = createLineReader(schema, header);
    } else if (header) {
      const value = parseLine(line);
      const kept = lines.read(value);
      if (kept) {
        const table = "text" in kept ? "texts" : kept.table;
        tables[table] = (tables[table] ?? 0) + 1;
        rows++;
        content.update(bytes);
        const brought = lines.bring(kept);
        if (brought) await onLine(brought);
      } else {
        const footer = footerOf(value);
        if (!footer) throw damagedCheckpoint(path, `line ${rows + 2} is not what Charter writes`);
        const digest = whole.digest("hex");
        if (footer.rows !== rows || footer.digest !== digest)
          throw damagedCheckpoint(path, "its lines are not those its digest proves");
        proof = { header, rows, digest, content: content.digest("hex"), tables };
        continue;
      }
    }
    whole.update(bytes);
  }
  if (proof) return proof;
  throw header ? damagedCheckpoint(path, "its end is missing") : notACheckpoint(path);
}

/** Number of notes and turns that were rebuilt. */
type RebuildResult = { readonly notes: number; readonly turns: number };

/** Maximum number of rows in memory at a time. */
const rowsPerPage = 200;

/**
 * Rebuilds, one agent after the other, what notes and turns are searched and listed by. It has no proof of its own, because it
 * follows from what is proven.
 */
export async function rebuildStore(home: Home): Promise<RebuildResult> {
  const names = await home.read("everything", (db) => db.all<{ name: string }>(sql`select name from agents`));
  const texts = createTexts();
  let [notes, turns] = [0, 0];
  for (const { name } of names)
    await home.write("everything", async (db) => {
      const rebuilt = await rebuildSearch(db, name);
      notes += rebuilt.notes;
      turns += rebuilt.turns;
      await eachRow<TurnRow>(db, "turns", name, (row) => rebuildFacts(db, texts, row));
    });
  return { notes, turns };
}

/** Rebuilds what an agent's notes and turns are searched by, in the caller's transaction: no checkpoint has it. */
export async function rebuildSearch(db: Database, agent: string): Promise<RebuildResult> {
  // Lock against erasure: an earlier one shows in the turn.
  await lockAgainstErasure(db);
  type NoteRow = { id: string; key: string | null; text: string };
  const notes = await eachRow<NoteRow>(db, "memories", agent, async ({ id, key, text }) => {
    const { stems } = await searchedColumns(key, text);
    await db.run(sql`update memories set stems = ${stems} where id = ${id}`);
  });
  await db.run(sql`delete from turn_words where agent = ${agent}`);
  const turns = await eachRow<TurnRow>(db, "turns", agent, async (row) => {
    if (row.state !== "erased" && row.state !== "running") await keepWordsOf(db, [row]);
  });
  return { notes, turns };
}

async function eachRow<Row extends { id: string }>(
  db: Database,
  table: "memories" | "turns",
  agent: string,
  work: (row: Row) => Promise<void>,
): Promise<number> {
  let done = 0;
  for (let last = "", found = rowsPerPage; found === rowsPerPage; ) {
    const rows = await db.all<Row>(
      sql`select * from ${raw(table)} where agent = ${agent} and id > ${last} order by id limit ${rowsPerPage}`,
    );
    for (const row of rows) await work(row);
    found = rows.length;
    done += found;
    last = rows.at(-1)?.id ?? last;
  }
  return done;
}

/** Rebuilds what lists show of a turn. The counts of erased steps stay as they are. */
async function rebuildFacts(db: Database, texts: Texts, row: TurnRow): Promise<void> {
  const { id, started_at, ended_at } = row;
  const steps = await db.all<StepRow>(sql`select * from steps where turn = ${id} order by step`);
  for (const { step, result } of steps)
    if (result !== null) await keepStepFacts(db, { turn: id, step, result: JSON.parse(result) });
  const model = (await modelAsked(db, texts, steps)) ?? row.model;
  const duration = ended_at === null ? null : Date.parse(ended_at) - Date.parse(started_at);
  await db.run(sql`update turns set model = ${model}, duration_ms = ${duration}, ${summedSteps(id)} where id = ${id}`);
}

/** Returns the model of the last step whose receipt is there. */
async function modelAsked(db: Database, texts: Texts, steps: readonly StepRow[]): Promise<string | null> {
  for (const { user_id, receipt, erased_at } of steps.toReversed()) {
    const text = erased_at === null ? await texts.get(db, user_id, receipt) : undefined;
    const { receiver = null } = text === undefined ? {} : (JSON.parse(text) as Partial<Receipt>);
    if (receiver !== null) return receiver;
  }
  return null;
}
