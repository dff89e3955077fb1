import type { Table } from "../table.ts";
import { ownerWords, sealedColumns } from "../table-statements.ts";

/** What a transaction says in which the seals follow what is written. */
export const sealWrites = "set local charter.sealed = 'on';";

/** A row as a number: half of the SHA-256 of its words. */
export const rowSealFunction = `create function row_seal(words text) returns numeric language sql immutable as $$
  select ('x' || substr(digest, 1, 16))::bit(64)::bigint::numeric * 18446744073709551616
    + ('x' || substr(digest, 17, 16))::bit(64)::bigint
  from (select encode(sha256(convert_to(words, 'UTF8')), 'hex') as digest) hashed $$`;

/** A row's seal as an expression. */
export const rowSealOf = (columns: readonly string[]) => `row_seal(cast(row(${columns.join(", ")}) as text))`;

const changes = {
  insert: { named: "new table as added", rows: "select 1 as by, * from added" },
  update: {
    named: "old table as removed new table as added",
    rows: "select 1 as by, * from added union all select -1 as by, * from removed",
  },
  delete: { named: "old table as removed", rows: "select -1 as by, * from removed" },
} as const;

/**
 * Triggers by which the seals follow what Charter writes, in the same commit. Whoever writes by another way leaves them as
 * they were. Owners are taken in order, so that two who write for the same do not wait for each other.
 */
export function sealTriggers(made: Table): string[] {
  const { name } = made;
  const owner = ownerWords(made);
  return Object.entries(changes).flatMap(([event, { named, rows }]) => [
    `create function seal_${name}_${event}() returns trigger language plpgsql security definer
      set search_path = charter, pg_temp as $$ begin
        with changed as (select ${owner[0]} as agent, ${owner[1]} as user_id, sum(by) as count,
            sum(by * ${rowSealOf(sealedColumns(made))}) as digest from (${rows}) rows group by 1, 2)
        insert into seals as s (agent, user_id, what, count, digest)
          select agent, user_id, '${name}', count, digest from changed
          where count <> 0 or digest <> 0 order by agent, user_id
          on conflict (agent, user_id, what) do update set count = s.count + excluded.count,
            digest = s.digest + excluded.digest;
        ${event === "insert" ? "" : emptied(made)}
        return null;
      end $$`,
    `create trigger sealed_${event} after ${event} on ${name} referencing ${named} for each statement
      when (current_setting('charter.sealed', true) = 'on') execute function seal_${name}_${event}()`,
  ]);
}

/** Of whom nothing is left, not even the name is. */
function emptied(made: Table): string {
  const [agent, user] = ownerWords(made);
  return `delete from seals where what = '${made.name}' and count = 0 and digest = 0
    and (agent, user_id) in (select ${agent}, ${user} from removed);`;
}
