import { Problem } from "../../prompt/problem.ts";
import { counterpartKey } from "../conversations/counterpart.ts";
import { schemaVersion } from "../home/schema.ts";
import type { Row } from "../home/sql.ts";
import { digestOfBytes, sha256 } from "../texts/sha256.ts";
import { checkpointTables, columnsAt } from "./checkpoint-tables.ts";

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

export function headerOf(line: string, path: string): CheckpointHeader {
  const value = parseLine(line);
  if (!isRecord(value) || typeof value["charter-checkpoint"] !== "number") throw notACheckpoint(path);
  const { "charter-checkpoint": version, schema, agents, from, madeAt } = value;
  if (version > 1 || Number(schema) > schemaVersion)
    throw new Problem(
      "newer-checkpoint",
      `The checkpoint ${path} was made by a newer Charter (format ${version}, schema ${schema}).`,
      "Upgrade Charter; nothing was changed.",
    );
  const named = Array.isArray(agents) && agents.every((name) => typeof name === "string");
  const known = Number.isSafeInteger(schema) && Number(schema) >= 1;
  if (version === 1 && known && named && typeof from === "string" && typeof madeAt === "string")
    return value as CheckpointHeader;
  throw damagedCheckpoint(path, "its first line is not what Charter writes");
}

const tables = new Map(checkpointTables.map((kept) => [kept.table, kept]));

/**
 * A line between the first and the last, as this Charter writes it: what an older schema did not have is empty.
 * `undefined` when it is not a line that a Charter with that schema writes.
 */
export function checkpointLineOf(value: unknown, schema: number): CheckpointLine | undefined {
  if (!isRecord(value)) return undefined;
  if (isRecord(value.text)) {
    const { owner, digest, base, words } = value.text;
    const whole = typeof owner === "string" && typeof words === "string" && (base === null || typeof base === "string");
    return whole && sha256(words) === digest ? (value as CheckpointLine) : undefined;
  }
  const { table, row } = value;
  const kept = typeof table === "string" ? tables.get(table) : undefined;
  const names = kept ? columnsAt(kept, schema) : [];
  if (!kept || names.length === 0 || !isRecord(row) || Object.keys(row).length !== names.length) return undefined;
  const sound = (field: unknown) => field === null || typeof field === "string" || typeof field === "number";
  if (!names.every((name) => Object.hasOwn(row, name) && sound(row[name]))) return undefined;
  const older = (name: string) => (names.includes(name) ? null : (kept.usual[name] ?? null));
  const whole = Object.fromEntries(kept.columns.map((name) => [name, row[name] ?? older(name)])) as Row;
  if (kept.table === "attachments") return withBytes(whole);
  return { table: kept.table, row: schema < 5 ? withCounterpart(kept.table, whole) : whole };
}

/** The bytes of an attachment stand in a line as base64, and are proved by their digest. */
function withBytes(row: Row): CheckpointLine | undefined {
  const body = Buffer.from(String(row.body), "base64");
  const isProved = row.erased_at !== null || (digestOfBytes(body) === row.digest && body.length === row.size);
  return isProved ? { table: "attachments", row: { ...row, body } } : undefined;
}

const addressed = new Set(["conversations", "exchanges", "inbox", "outbox"]);
const addressedEvents = new Set(["message-taken", "message-answered", "message-dead"]);

/** Before schema 5 whoever wrote to an agent stood in the rows as a user does. */
function withCounterpart(table: string, row: Row): Row {
  const { user_id: user, kind } = row;
  const theirs = addressed.has(table) || (table === "events" && addressedEvents.has(kind as string) && user !== "");
  return theirs ? { ...row, user_id: counterpartKey(user as string) } : row;
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
