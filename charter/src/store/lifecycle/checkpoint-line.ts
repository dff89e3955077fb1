import { Problem } from "../../prompt/problem.ts";
import { versionOf } from "../home/schema.ts";
import type { Row } from "../home/sql.ts";
import type { Table } from "../home/table.ts";
import type { Schema } from "../home/table-statements.ts";
import { digestOfBytes, sha256 } from "../texts/sha256.ts";
import { carriedColumns, carriedTables } from "./checkpoint-tables.ts";

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
