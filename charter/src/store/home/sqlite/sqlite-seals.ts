import type { DatabaseSync } from "node:sqlite";
import type { Table } from "../table.ts";
import { ownerWords, type RowChange, sealedColumns } from "../table-statements.ts";

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

/**
 * Seals follow what a connection writes, in the same commit, by triggers of that connection alone: whoever writes by another
 * way leaves them as they were.
 */
export function sealTriggers(made: Table): Readonly<Record<RowChange, string>> {
  const { name } = made;
  const trigger = (event: string, ...changes: readonly string[]) =>
    `create temp trigger if not exists sealed_${name}_${event.slice(0, 6)} after ${event} on main.${name} begin ${changes.join("")} end;`;
  const changed = `update of ${sealedColumns(made).join(", ")}`;
  return {
    insert: trigger("insert", counted(made, "new", 1)),
    update: trigger(changed, counted(made, "old", -1), counted(made, "new", 1), emptied(made)),
    delete: trigger("delete", counted(made, "old", -1), emptied(made)),
  };
}

function counted(made: Table, row: "old" | "new", by: 1 | -1): string {
  const [agent, user] = ownerWords(made, `${row}.`);
  const seal = `row_seal(${sealedColumns(made)
    .map((column) => `${row}.${column}`)
    .join(", ")})`;
  return `insert into seals (agent, user_id, what, count, digest)
    values (${agent}, ${user}, '${made.name}', ${by}, seal_sum('0', ${by}, ${seal}))
    on conflict (agent, user_id, what) do update set count = count + ${by}, digest = seal_sum(digest, 1, excluded.digest);`;
}

/** Of whom nothing is left, not even the name is. */
function emptied(made: Table): string {
  const [agent, user] = ownerWords(made, "old.");
  return `delete from seals where agent = ${agent} and user_id = ${user} and what = '${made.name}'
    and count = 0 and digest = '0';`;
}
