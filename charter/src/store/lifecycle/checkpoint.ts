import { checkText } from "../../prompt/argument.ts";
import { createBoundedMap } from "../../prompt/bounds.ts";
import { type Receipt, textsNamed } from "../../prompt/receipt.ts";
import { unknownAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { versionOf } from "../home/schema.ts";
import { type Row, sql, type Value } from "../home/sql.ts";
import type { Table } from "../home/table.ts";
import type { Texts } from "../texts/text.ts";
import {
  type CheckpointHeader,
  type CheckpointLine,
  checkReplaceable,
  writeCheckpointLines,
} from "./checkpoint-file.ts";
import { carriedColumns, carriedRows, carriedTables } from "./checkpoint-tables.ts";

/** A checkpoint that was saved. */
export type CheckpointResult = {
  readonly file: string;
  readonly agents: readonly string[];
  /** Rows and texts together. */
  readonly rows: number;
  readonly digest: string;
  /** The digest of its content alone: two stores with the same content have the same. */
  readonly content: string;
  readonly bytes: number;
  /** Texts that are missing from the store, or are not what their digests say. */
  readonly lost: readonly { readonly owner: string; readonly digest: string }[];
};

/** What a checkpoint contains, and whether it may replace a file. */
export type CheckpointOptions = {
  /** Only this agent, and its users. */
  readonly agent?: string | undefined;
  /** Also replaces a file that is not a checkpoint. */
  readonly force?: boolean | undefined;
  readonly progress?: (rows: number) => void;
};

/** One file that holds everything, or everything of one agent, as it was at one moment. */
export async function saveCheckpoint(
  { home, texts, now }: Pick<StoreDeps, "home" | "texts" | "now">,
  file: string,
  { agent, force = false, progress = () => {} }: CheckpointOptions = {},
): Promise<CheckpointResult> {
  checkText("store.checkpoint.save", file);
  if (!force) await checkReplaceable(file);
  const { createHash } = process.getBuiltinModule("node:crypto");
  return home.read("everything", async (db) => {
    const agents = await agentNames(db, agent);
    const [whole, content] = [createHash("sha256"), createHash("sha256")];
    const lost: { owner: string; digest: string }[] = [];
    let rows = 0;
    let digest = "";
    async function* lines(): AsyncGenerator<string> {
      const from = home.name;
      const header: CheckpointHeader = {
        "charter-checkpoint": 1,
        schema: versionOf(home.schema),
        madeAt: now(),
        agents,
        from,
      };
      const first = `${JSON.stringify(header)}\n`;
      whole.update(first);
      yield first;
      for await (const kept of linesOf(db, home.schema.tables, texts, agent, lost)) {
        const line = `${JSON.stringify(kept)}\n`;
        whole.update(line);
        content.update(line);
        yield line;
        progress(++rows);
      }
      digest = whole.digest("hex");
      yield `${JSON.stringify({ rows, digest })}\n`;
    }
    await writeCheckpointLines(file, lines());
    const bytes = process.getBuiltinModule("node:fs").statSync(file).size;
    return { file, agents, rows, digest, content: content.digest("hex"), bytes, lost };
  });
}

async function agentNames(db: Database, agent: string | undefined): Promise<string[]> {
  const rows = await db.all<{ name: string }>(sql`select name from agents order by name${db.dialect.bytewise}`);
  const names = rows.map(({ name }) => name);
  if (agent === undefined) return names;
  if (names.includes(agent)) return [agent];
  throw unknownAgent(agent, names);
}

/** Row by row in a settled order, each text before the first row that names it. */
async function* linesOf(
  db: Database,
  tables: readonly Table[],
  texts: Texts,
  agent: string | undefined,
  lost: { owner: string; digest: string }[],
): AsyncGenerator<CheckpointLine> {
  const textsOf = createTextLines(db, texts, (owner, digest) => lost.push({ owner, digest }));
  for (const made of carriedTables(tables, agent)) {
    const columns = carriedColumns(made);
    for await (const row of db.each<Row>(carriedRows(db, tables, made, agent))) {
      yield* textsOf(made.name, row);
      // What a driver gives may have other fields or another order; a line has the table's.
      yield { table: made.name, row: Object.fromEntries(columns.map((name) => [name, written(row[name])])) };
    }
  }
}

/** Bytes stand in a line as base64. */
function written(value: Value | undefined): Value {
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : (value ?? null);
}

/** So many texts are remembered as written. One that comes again after that is written again, which harms nobody. */
const remembered = 100_000;

/**
 * The texts a row names, as lines of a checkpoint, each once and after the one it is packed against.
 *
 * They come in the order in which they were made, so that whoever keeps them again has the base at hand.
 */
function createTextLines(db: Database, texts: Texts, lost: (owner: string, digest: string) => void) {
  const written = createBoundedMap<string, true>(remembered);
  async function* lineOf(owner: string, digest: string): AsyncGenerator<CheckpointLine> {
    const key = `${digest}${owner}`;
    const known = written.has(key);
    written.set(key, true);
    if (known) return;
    const row = await db.one<{ base: string | null }>(
      sql`select base from texts where owner = ${owner} and digest = ${digest}`,
    );
    if (row && row.base !== null) yield* lineOf(owner, row.base);
    const words = row && (await texts.get(db, owner, digest));
    if (row && words !== undefined) yield { text: { owner, digest, base: row.base, words } };
    else lost(owner, digest);
  }
  return async function* textsOf(table: string, row: Row): AsyncGenerator<CheckpointLine> {
    if ((table !== "amendments" && table !== "steps") || row.erased_at !== null) return;
    const owner = row.user_id as string;
    if (table === "amendments") {
      yield* lineOf(owner, row.before_digest as string);
      yield* lineOf(owner, row.after_digest as string);
      return;
    }
    const receipt = await texts.get(db, owner, row.receipt as string);
    const sent: Pick<Receipt, "slots"> = receipt === undefined ? { slots: [] } : JSON.parse(receipt);
    for (const { whose, digest } of textsNamed(sent)) yield* lineOf(whose === "agent" ? "" : owner, digest);
    yield* lineOf(owner, row.receipt as string);
  };
}
