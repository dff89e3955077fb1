import { Problem, reasonOf } from "../../prompt/problem.ts";
import { storeSchema, versionOf } from "../home/schema.ts";
import type { Row } from "../home/sql.ts";
import type { Table } from "../home/table.ts";
import type { Schema } from "../home/table-statements.ts";
import { digestOfBytes, sha256 } from "../texts/packing.ts";
import { carriedColumns, carriedTables } from "./checkpoint-tables.ts";

/** Longer than any first line we write: whatever goes on and on is something else. */
const longestHeader = 16_000_000;

/** Puts lines into a packed file, as fast as the disk takes them. It has its name only when it is whole and on the disk. */
export async function writeCheckpointLines(path: string, lines: AsyncIterable<string>): Promise<void> {
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

/** The lines of a packed file, as buffers, each with its line end, however long the file is. */
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
      if (first && waiting > longestHeader) throw notACheckpoint(path);
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

/** What is there may be replaced when it is a checkpoint, or nothing at all. */
export async function checkReplaceable(path: string): Promise<void> {
  const { existsSync, statSync } = process.getBuiltinModule("node:fs");
  if (!existsSync(path) || (statSync(path).isFile() && statSync(path).size === 0)) return;
  try {
    for await (const line of readCheckpointLines(path)) {
      headerOf((line as Buffer).toString("utf8"), path, storeSchema);
      return;
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
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
};

/** A text stands whole, before the first row that names it; how it is packed is the business of whoever keeps it. */
export type CheckpointLine =
  | { readonly table: string; readonly row: Row }
  | { readonly text: { owner: string; digest: string; base: string | null; words: string } };

/** The last line: how many lines stand between the first and this one, and the digest of all before it. */
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
  const named = Array.isArray(agents) && agents.every((name) => typeof name === "string");
  if (version === 1 && Number(schema) < versionOf(known))
    throw new Problem(
      "older-checkpoint",
      `The checkpoint ${path} was made with schema ${schema}; this Charter reads ${versionOf(known)}.`,
      "Restore it with the Charter that made it; nothing was changed.",
    );
  if (version === 1 && schema === versionOf(known) && named && typeof from === "string" && typeof madeAt === "string")
    return value as CheckpointHeader;
  throw damagedCheckpoint(path, "its first line is not what Charter writes");
}

/** How lines between the first and the last are read; `undefined`: no line that a Charter with this schema writes. */
export function createLineReader({ tables }: Schema): (value: unknown) => CheckpointLine | undefined {
  const carried = new Map(carriedTables(tables).map((made) => [made.name, { made, columns: carriedColumns(made) }]));
  return (value) => {
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
  };
}

/** Bytes stand in a line as base64. */
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
