import type { DatabaseSync } from "node:sqlite";
import { digestOfBytes } from "../../texts/sha256.ts";
import { ownerOf, type SealedTable, sealedTables } from "../sealed-tables.ts";

type SqlValue = null | string | bigint | Uint8Array;

/** The functions that seals are made with. */
export function addSealFunctions(handle: DatabaseSync): void {
  const how = { deterministic: true, useBigIntArguments: true } as const;
  handle.function("row_seal", { ...how, varargs: true }, ((...values: SqlValue[]) => String(rowSeal(values))) as never);
  handle.function("seal_sum", how, ((digest: string, by: bigint, seal: string) =>
    String(BigInt(digest) + by * BigInt(seal))) as never);
}

/** A row as a number: half of the SHA-256 of its values, each with its kind and its length. */
function rowSeal(values: readonly SqlValue[]): bigint {
  const parts = values.flatMap((value) => {
    if (value === null) return [Buffer.from("-")];
    const bytes = typeof value === "object" ? value : Buffer.from(String(value));
    return [Buffer.from(`${typeof value} ${bytes.length}:`), bytes];
  });
  return BigInt(`0x${digestOfBytes(Buffer.concat(parts)).slice(0, 32)}`);
}

/**
 * From now on the seals follow what this connection writes, in the same commit, and what it undoes. They are triggers of
 * this connection alone: whoever writes by another way leaves them as they were.
 */
export function sealWrites(handle: DatabaseSync): void {
  handle.exec(sealedTables.flatMap(triggersOf).join(""));
}

function triggersOf(sealed: SealedTable): string[] {
  const { table } = sealed;
  const trigger = (event: string, ...changes: readonly string[]) =>
    `create temp trigger sealed_${table}_${event.slice(0, 6)} after ${event} on main.${table} begin ${changes.join("")} end;`;
  return [
    trigger("insert", counted(sealed, "new", 1)),
    trigger(
      `update of ${sealed.columns.join(", ")}`,
      counted(sealed, "old", -1),
      counted(sealed, "new", 1),
      emptied(sealed),
    ),
    trigger("delete", counted(sealed, "old", -1), emptied(sealed)),
  ];
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
