import { listed, Problem } from "../../prompt/problem.ts";
import { heads } from "../agent-tables.ts";
import type { StoreDeps } from "../deps.ts";
import { keyIsNew } from "../event.ts";
import type { Database } from "../home/database.ts";
import { recordOf } from "../home/query.ts";
import { raw, sql } from "../home/sql.ts";
import { ownerColumns, type RecordOf, type RowOf, type Table } from "../home/table.ts";
import { writeHead } from "../publications/publications.ts";
import type { CheckpointHeader } from "./checkpoint-line.ts";
import { type CheckpointProof, readCheckpoint } from "./checkpoint-proof.ts";
import { createRowWriter } from "./checkpoint-rows.ts";
import { isShared } from "./checkpoint-tables.ts";
import { rebuildSearch } from "./rebuild.ts";
import { sweepTexts } from "./sweep.ts";

/** How a checkpoint is restored. */
export type RestoreOptions = {
  /** Agents that are there already are removed first, with everything that belongs to them but what they have seen. */
  readonly replace?: boolean | undefined;
  /** The result of reading the file, if that was done already. */
  readonly proof?: CheckpointProof;
  readonly progress?: (rows: number, of: number | undefined) => void;
};

/**
 * Puts what a checkpoint holds into a store, all of it or nothing.
 *
 * The file is read twice: first to prove it, then to write it in one transaction, which is only kept when the second
 * reading came to the same digest.
 */
export async function restoreCheckpoint(
  { home, texts }: Pick<StoreDeps, "home" | "texts">,
  file: string,
  { replace = false, proof: known, progress = () => {} }: RestoreOptions = {},
): Promise<CheckpointProof> {
  let seen = 0;
  const proof = known ?? (await readCheckpoint(file, home.schema, async () => progress(++seen, undefined)));
  await home.write("everything", async (db) => {
    const { replaced, heads: kept } = await makeRoom(db, home.schema.tables, proof.header, replace);
    const rows = createRowWriter(db, texts, { replace, file, tables: home.schema.tables });
    let done = 0;
    const again = await readCheckpoint(file, home.schema, async (line) => {
      await rows.add(line);
      progress(++done, proof.rows);
    });
    await rows.end();
    // What was seen elsewhere stays seen, whatever was known when the checkpoint was made.
    for (const head of kept) await writeHead(db, head, head, head.at);
    // That a key is new was true where the checkpoint was made; since then it may have been written with there.
    for (const agent of proof.header.agents)
      await db.run(sql`delete from events where agent = ${agent} and kind = ${keyIsNew}`);
    // What they are searched by is no part of a checkpoint.
    for (const agent of proof.header.agents) await rebuildSearch(db, agent);
    // What only those named who were taken out is nobody's now.
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
  const there = agents.filter((name) => here.has(name));
  if (there.length > 0 && !replace)
    throw new Problem(
      "agent-exists",
      `This store already has ${listed(there)}.`,
      "Restore into another database, or add --replace: what is there now is then replaced.",
    );
  const seen: RecordOf<typeof heads>[] = [];
  for (const agent of there) {
    const rows = await db.all<RowOf<typeof heads>>(sql`select * from heads where agent = ${agent}`);
    seen.push(...rows.map((row) => recordOf(heads, row)));
    for (const made of tables) {
      const { agent: column } = ownerColumns(made);
      if (column && !isShared(made)) await db.run(sql`delete from ${raw(made.name)} where ${raw(column)} = ${agent}`);
    }
  }
  return { replaced: there.length > 0, heads: seen };
}
