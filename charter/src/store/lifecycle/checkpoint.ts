import { checkText } from "../../prompt/argument.ts";
import { createBoundedMap } from "../../prompt/bounds.ts";
import { Problem, reasonOf, rethrowUnlessProblem } from "../../prompt/problem.ts";
import { type Receipt, textsNamed } from "../../prompt/receipt.ts";
import { unknownAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database } from "../home/database.ts";
import { joinQueries, type Query, type Row, raw, sql, type Value } from "../home/sql.ts";
import { ownerColumns, type Table } from "../home/table.ts";
import { defaultOf, partVersion, type Schema, type SchemaStep, tablesAt } from "../home/table-statements.ts";
import { checkAllKnown, storeSchema, versionOf } from "../schema.ts";
import { digestOfBytes, sha256 } from "../texts/packing.ts";
import type { Texts } from "../texts/text.ts";

/** A checkpoint that was saved. */
export type CheckpointResult = {
  readonly file: string;
  readonly agents: readonly string[];
  /** Number of rows and texts together. */
  readonly rows: number;
  readonly digest: string;
  /** Digest of its content alone: two stores with the same content have the same. */
  readonly content: string;
  readonly bytes: number;
  /** Texts that are missing from the store, or are not what their digests say. */
  readonly lost: readonly { readonly owner: string; readonly digest: string }[];
};

/** Options of a checkpoint: what it contains, and whether it may replace a file. */
export type CheckpointOptions = {
  /** Limits it to this agent, and its users. */
  readonly agent?: string | undefined;
  /** Allows it to replace a file that is not a checkpoint. */
  readonly force?: boolean | undefined;
  readonly progress?: (rows: number) => void;
};

/** Writes everything, or everything of one agent, as it was at one moment, into one file. */
export async function saveCheckpoint(
  { home, texts, now }: Pick<StoreDeps, "home" | "texts" | "now">,
  file: string,
  { agent, force = false, progress = () => {} }: CheckpointOptions = {},
): Promise<CheckpointResult> {
  checkText("store.checkpoint.save", file);
  if (!force) await checkReplaceable(file);
  const { createHash } = process.getBuiltinModule("node:crypto");
  return home.read("everything", async (db) => {
    await checkAllKnown(db, home);
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
        ...ownVersions(home.schema),
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

/** Versions of tables that others than the store brought. */
function ownVersions({ parts }: Schema): Pick<CheckpointHeader, "owners"> {
  const own = parts.slice(1).map((part) => [part.owner, partVersion(part)] as const);
  return own.length === 0 ? {} : { owners: Object.fromEntries(own) };
}

async function agentNames(db: Database, agent: string | undefined): Promise<string[]> {
  const rows = await db.all<{ name: string }>(sql`select name from agents order by name${db.dialect.bytewise}`);
  const names = rows.map(({ name }) => name);
  if (agent === undefined) return names;
  if (names.includes(agent)) return [agent];
  throw unknownAgent(agent, names);
}

/** Yields the rows in a fixed order, each text before the first row that names it. */
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
      // Drivers may return other fields or another order; a line has the table's.
      yield { table: made.name, row: Object.fromEntries(columns.map((name) => [name, written(row[name])])) };
    }
  }
}

/** Converts bytes to base64, as they are in a line. */
function written(value: Value | undefined): Value {
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : (value ?? null);
}

/**
 * Maximum number of texts that are remembered as written. One that comes again after that is written again, which does no harm.
 */
const maxRecentTexts = 100_000;

/**
 * Creates the function that yields the texts a row names, as lines of a checkpoint, each once and after the one it is packed
 * against.
 *
 * They come in the order in which they were made, so that a store that restores them has the base at hand.
 */
function createTextLines(db: Database, texts: Texts, lost: (owner: string, digest: string) => void) {
  const written = createBoundedMap<string, true>(maxRecentTexts);
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

/** Maximum length of a header, more than any that Charter writes: a longer first line is something else. */
const maxHeaderBytes = 16_000_000;

/**
 * Writes lines into a compressed file, as fast as the disk takes them. The file gets its name only when it is complete and on the
 * disk.
 */
async function writeCheckpointLines(path: string, lines: AsyncIterable<string>): Promise<void> {
  const { createWriteStream, renameSync, rmSync } = process.getBuiltinModule("node:fs");
  const { createGzip } = process.getBuiltinModule("node:zlib");
  const { pipeline } = process.getBuiltinModule("node:stream/promises");
  const unfinished = `${path}.new`;
  try {
    await pipeline(inPieces(lines), createGzip(), createWriteStream(unfinished, { flush: true, mode: 0o600 }));
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw fileProblem(error, path, "written");
  }
}

async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = "";
  for await (const line of lines) {
    piece += line;
    if (piece.length < 65_536) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

/** Yields the lines of a compressed file, as buffers, each with its line end, however long the file is. */
export async function* readCheckpointLines(path: string): AsyncGenerator<Uint8Array> {
  const { createReadStream } = process.getBuiltinModule("node:fs");
  const { createGunzip } = process.getBuiltinModule("node:zlib");
  if (!isPacked(path)) throw notACheckpoint(path);
  const file = createReadStream(path);
  const unpacked = createGunzip();
  file.on("error", (error) => unpacked.destroy(error));
  let rest: Buffer[] = [];
  let first = true;
  let waiting = 0;
  try {
    for await (const chunk of file.pipe(unpacked) as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        yield Buffer.concat([...rest, chunk.subarray(start, end + 1)]);
        rest = [];
        waiting = 0;
        first = false;
        start = end + 1;
      }
      if (start === chunk.length) continue;
      rest.push(chunk.subarray(start));
      waiting += chunk.length - start;
      if (first && waiting > maxHeaderBytes) throw notACheckpoint(path);
    }
    if (rest.length > 0) yield Buffer.concat(rest);
  } catch (error) {
    const code = (error as { code?: string }).code ?? "";
    throw /^Z_/.test(code)
      ? damagedCheckpoint(path, `it cannot be unpacked (${reasonOf(error)})`)
      : fileProblem(error, path, "read");
  } finally {
    file.destroy();
    unpacked.destroy();
  }
}

function isPacked(path: string): boolean {
  const { closeSync, openSync, readSync } = process.getBuiltinModule("node:fs");
  const opening = Buffer.alloc(2);
  try {
    const file = openSync(path, "r");
    try {
      readSync(file, opening);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw fileProblem(error, path, "read");
  }
  return opening[0] === 0x1f && opening[1] === 0x8b;
}

/** Refuses to replace a file that is not a checkpoint, unless it is empty. */
async function checkReplaceable(path: string): Promise<void> {
  const { existsSync, statSync } = process.getBuiltinModule("node:fs");
  if (!existsSync(path) || (statSync(path).isFile() && statSync(path).size === 0)) return;
  try {
    for await (const line of readCheckpointLines(path)) {
      headerOf((line as Buffer).toString("utf8"), path, storeSchema);
      return;
    }
  } catch (error) {
    rethrowUnlessProblem(error);
    if (["newer-checkpoint", "older-checkpoint"].includes(error.code) || error.code === "checkpoint-damaged") return;
  }
  throw new Problem(
    "file-exists",
    `${path} is there already, and is no checkpoint.`,
    "Name another file, or add --force to replace it.",
  );
}

function fileProblem(error: unknown, path: string, done: "read" | "written"): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof Problem || code === undefined || syscall === undefined) return error;
  if (code === "ENOENT" && done === "read")
    return new Problem("no-such-file", `There is no checkpoint at ${path}.`, "Check the path.");
  if (code === "ENOSPC" || code === "EDQUOT")
    return new Problem(
      "disk-full",
      `There is no room left on the disk for ${path}.`,
      "Make room, or name another place.",
    );
  const hint = "Check the path and its rights; nothing was changed.";
  return new Problem(done === "read" ? "unreadable" : "unwritable", `${path} could not be ${done}: ${code}.`, hint);
}

/** The first line of a checkpoint file. */
export type CheckpointHeader = {
  readonly "charter-checkpoint": 1;
  readonly schema: number;
  readonly madeAt: string;
  readonly agents: readonly string[];
  readonly from: "sqlite" | "postgres";
  /** Versions of tables that others than the store brought, by owner. */
  readonly owners?: Readonly<Record<string, number>>;
};

/**
 * A line with a row, or with a text, which comes before the first row that names it. Texts are whole: how one is packed is up to
 * the store that keeps it.
 */
export type CheckpointLine =
  | { readonly table: string; readonly row: Row }
  | { readonly text: { owner: string; digest: string; base: string | null; words: string } };

/** The last line: the number of lines between the first and this one, and the digest of everything before it. */
type CheckpointFooter = { readonly rows: number; readonly digest: string };

export function damagedCheckpoint(path: string, what: string): Problem {
  return new Problem(
    "checkpoint-damaged",
    `The checkpoint ${path} is damaged: ${what}.`,
    "Take another copy of it; nothing was changed.",
  );
}

export function notACheckpoint(path: string): Problem {
  return new Problem(
    "not-a-checkpoint",
    `${path} is no checkpoint of Charter.`,
    "Check the path; nothing was changed.",
  );
}

export function headerOf(line: string, path: string, known: Schema): CheckpointHeader {
  const value = parseLine(line);
  if (!isRecord(value) || typeof value["charter-checkpoint"] !== "number") throw notACheckpoint(path);
  const { "charter-checkpoint": version, schema, agents, from, madeAt } = value;
  if (version > 1 || Number(schema) > versionOf(known))
    throw new Problem(
      "newer-checkpoint",
      `The checkpoint ${path} was made by a newer Charter (format ${version}, schema ${schema}).`,
      "Upgrade Charter; nothing was changed.",
    );
  const hasNames = Array.isArray(agents) && agents.every((name) => typeof name === "string");
  const first = known.parts[0]?.first ?? 0;
  if (version === 1 && Number(schema) < first)
    throw new Problem(
      "older-checkpoint",
      `The checkpoint ${path} was made with schema ${schema}; this Charter reads ${first} and later.`,
      "Restore it with the Charter that made it; nothing was changed.",
    );
  if (version === 1 && Number.isInteger(schema) && hasNames && typeof from === "string" && typeof madeAt === "string")
    return value as CheckpointHeader;
  throw damagedCheckpoint(path, "its first line is not what Charter writes");
}

/** Reads lines as the schema that wrote them had them. `bring`: brings a line on; `undefined`: its table was dropped since. */
export type LineReader = {
  /** Returns `undefined` for a line that no Charter with that schema writes. */
  readonly read: (value: unknown) => CheckpointLine | undefined;
  readonly bring: (line: CheckpointLine) => CheckpointLine | undefined;
};

/** Creates the parser of the lines between the first and the last. */
export function createLineReader({ parts }: Schema, { schema, owners = {} }: CheckpointHeader): LineReader {
  const versions = parts.map((part, at) => (at === 0 ? schema : (owners[part.owner] ?? part.first)));
  const then = parts.flatMap((part, at) => tablesAt(part, versions[at] as number));
  const carried = new Map(carriedTables(then).map((made) => [made.name, { made, columns: carriedColumns(made) }]));
  const steps = parts.flatMap(({ steps }, at) => steps.filter(({ to }) => to > (versions[at] as number)));
  const now = new Map(carriedTables(parts.flatMap(({ tables }) => tables)).map((made) => [made.name, made]));
  return {
    read: (value) => {
      if (!isRecord(value)) return undefined;
      if (isRecord(value.text)) {
        const { owner, digest, base, words } = value.text;
        const whole =
          typeof owner === "string" && typeof words === "string" && (base === null || typeof base === "string");
        return whole && sha256(words) === digest ? (value as CheckpointLine) : undefined;
      }
      const { table, row } = value;
      const { made, columns } = carried.get(table as string) ?? {};
      if (!made || !columns || !isRecord(row) || Object.keys(row).length !== columns.length) return undefined;
      const sound = (field: unknown) => field === null || typeof field === "string" || typeof field === "number";
      if (!columns.every((name) => Object.hasOwn(row, name) && sound(row[name]))) return undefined;
      const kept = { table: made.name, row: withBytes(made, row as Row) };
      return made.name === "attachments" && !isProved(kept.row) ? undefined : kept;
    },
    bring: (line) => {
      if ("text" in line || steps.length === 0) return line;
      const made = now.get(line.table);
      return made && { table: line.table, row: broughtRow(made, line.row, steps) };
    },
  };
}

/** Brings a row on: what was added has its default, what was dropped is gone. */
function broughtRow(made: Table, before: Row, steps: readonly SchemaStep[]): Row {
  const defaults = made.all.map((column) => [column.column, defaultOf(column) ?? null]);
  let row: Row = { ...Object.fromEntries(defaults), ...before };
  for (const { rewrite = {} } of steps) row = { ...row, ...rewrite[made.name]?.(row) };
  return Object.fromEntries(carriedColumns(made).map((column) => [column, row[column] as Value]));
}

/** Converts base64 in a line to bytes. */
function withBytes({ all }: Table, row: Row): Row {
  const bytes = all.filter(({ type, column }) => type === "bytes" && typeof row[column] === "string");
  if (bytes.length === 0) return row;
  return {
    ...row,
    ...Object.fromEntries(bytes.map(({ column }) => [column, Buffer.from(`${row[column]}`, "base64")])),
  };
}

function isProved({ body, digest, size, erased_at }: Row): boolean {
  return erased_at !== null || (digestOfBytes(body as Uint8Array) === digest && (body as Uint8Array).length === size);
}

export function footerOf(value: unknown): CheckpointFooter | undefined {
  if (!isRecord(value) || typeof value.rows !== "number" || typeof value.digest !== "string") return undefined;
  return { rows: value.rows, digest: value.digest };
}

export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns the columns of a table that a checkpoint has. Numbers that the database counts itself are left out: the order of the
 * rows preserves their order, and the checkpoint fits into a store that has counted on.
 */
export function carriedColumns({ all }: Table): string[] {
  return all.filter(({ type, isDerived }) => type !== "counted" && !isDerived).map(({ column }) => column);
}

/**
 * Returns the tables that checkpoints have, in their order; of the store's own, a checkpoint of one agent has that agent and its
 * users.
 */
export function carriedTables(tables: readonly Table[], agent?: string): Table[] {
  const carried = tables.filter(({ isLeftOut }) => !isLeftOut);
  return agent === undefined ? carried : carried.filter((made) => !isShared(made) || made.name === "users");
}

/** Tells whether a table's rows belong to no single agent: existing ones stay when a checkpoint is restored. */
export function isShared({ of, name }: Table): boolean {
  return of === "store" && name !== "agents";
}

/** Returns the query for the rows of a table: everyone's, or one agent's and the users it knows. */
function carriedRows({ dialect }: Database, tables: readonly Table[], made: Table, agent?: string): Query {
  const by = made.key.map((column) =>
    made.all.some((one) => one.column === column && one.type === "text")
      ? sql`${raw(column)}${dialect.bytewise}`
      : raw(column),
  );
  const filter = agent === undefined ? raw("") : sql`where ${ofAgent(tables, made, agent)}`;
  return sql`select ${raw(carriedColumns(made).join(", "))} from ${raw(made.name)} ${filter} order by ${joinQueries(by, ", ")}`;
}

function ofAgent(tables: readonly Table[], made: Table, agent: string): Query {
  const { agent: column, user } = ownerColumns(made);
  if (column !== undefined) return sql`${raw(column)} = ${agent}`;
  const known = tables
    .filter(({ of }) => of === "user")
    .map(({ name }) => sql`select user_id from ${raw(name)} where agent = ${agent}`);
  return sql`${raw(user as string)} in (${joinQueries(known, " union ")})`;
}
