import type { DatabaseSync } from "node:sqlite";
import { ownerOf, type SealedTable, sealedTables } from "../sealed-tables.ts";

type SqlValue = null | string | bigint | Uint8Array;

/** The functions that seals are made with. */
export function addSealFunctions(handle: DatabaseSync): void {
  const how = { deterministic: true, useBigIntArguments: true } as const;
  handle.function("row_seal", { ...how, varargs: true }, ((...values: SqlValue[]) => String(rowSeal(values))) as never);
  // What somebody made of a digest stays as it is: that is for verify to say, and nobody is kept from writing.
  handle.function("seal_sum", how, ((digest: string, by: bigint, seal: string) =>
    /^-?\d+$/.test(digest) ? String(BigInt(digest) + by * BigInt(seal)) : digest) as never);
}

/** A row as a number: half of the SHA-256 of its values, each with its kind and its length. */
function rowSeal(values: readonly SqlValue[]): bigint {
  const words = values.map((value) => {
    if (value === null) return "-";
    const word = typeof value === "object" ? Buffer.from(value).toString("hex") : String(value);
    return `${typeof value} ${word.length}:${word}`;
  });
  const digest = process.getBuiltinModule("node:crypto").hash("sha256", words.join(""), "hex");
  return BigInt(`0x${digest.slice(0, 32)}`);
}

/** How the seals follow what one connection writes. */
export type ConnectionSeals = {
  /** Called once the tables are there: what makes or alters them is not followed. */
  readonly start: () => void;
  /** A statement is about to be prepared. */
  readonly notice: (statement: string) => void;
  /** Something was undone, and with it the triggers that were made meanwhile. */
  readonly renew: () => void;
};

/**
 * Seals follow what a connection writes, in the same commit, by triggers of that connection alone: whoever writes by another
 * way leaves them as they were. To make all takes some milliseconds, so those of a table are made when it is first written.
 */
export function createSeals(handle: DatabaseSync): ConnectionSeals {
  const sealed = new Map<string, string>();
  let starts = false;
  return {
    start: () => {
      starts = true;
    },
    notice: (statement) => {
      if (!starts || /^\s*select\b/i.test(statement)) return;
      // Whatever writes a table names it.
      for (const word of statement.match(/\w+/g) ?? []) {
        const table = sealed.has(word) ? undefined : tables.get(word);
        if (table === undefined) continue;
        const triggers = triggersOf(table);
        handle.exec(triggers);
        sealed.set(word, triggers);
      }
    },
    renew: () => {
      for (const triggers of sealed.values()) handle.exec(triggers);
    },
  };
}

const tables: ReadonlyMap<string, SealedTable> = new Map(sealedTables.map((one) => [one.table, one]));

function triggersOf(sealed: SealedTable): string {
  const { table } = sealed;
  const trigger = (event: string, ...changes: readonly string[]) =>
    `create temp trigger if not exists sealed_${table}_${event.slice(0, 6)} after ${event} on main.${table} begin ${changes.join("")} end;`;
  return [
    trigger("insert", counted(sealed, "new", 1)),
    trigger(
      `update of ${sealed.columns.join(", ")}`,
      counted(sealed, "old", -1),
      counted(sealed, "new", 1),
      emptied(sealed),
    ),
    trigger("delete", counted(sealed, "old", -1), emptied(sealed)),
  ].join("");
}

function counted(sealed: SealedTable, row: "old" | "new", by: 1 | -1): string {
  const [agent, user] = ownerOf(sealed, `${row}.`);
  const seal = `row_seal(${sealed.columns.map((column) => `${row}.${column}`).join(", ")})`;
  return `insert into seals (agent, user_id, what, count, digest)
    values (${agent}, ${user}, '${sealed.table}', ${by}, seal_sum('0', ${by}, ${seal}))
    on conflict (agent, user_id, what) do update set count = count + ${by}, digest = seal_sum(digest, 1, excluded.digest);`;
}

/** Of whom nothing is left, not even the name is. */
function emptied(sealed: SealedTable): string {
  const [agent, user] = ownerOf(sealed, "old.");
  return `delete from seals where agent = ${agent} and user_id = ${user} and what = '${sealed.table}'
    and count = 0 and digest = '0';`;
}
