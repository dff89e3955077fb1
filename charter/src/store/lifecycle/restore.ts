import { listed, Problem } from "../../prompt/problem.ts";
import type { StoreDeps } from "../deps.ts";
import { keyIsNew } from "../event.ts";
import type { Database } from "../home/database.ts";
import { raw, sql } from "../home/sql.ts";
import { ownerColumns, type Table } from "../home/table.ts";
import { type PublishedPlace, type SeenHead, writeHead } from "../publications/publications.ts";
import type { CheckpointHeader } from "./checkpoint-line.ts";
import { type CheckpointProof, readCheckpoint } from "./checkpoint-proof.ts";
import { createRowWriter } from "./checkpoint-rows.ts";
import { rebuildCaches } from "./rebuild.ts";
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
    const { replaced, heads } = await makeRoom(db, home.schema.tables, proof.header, replace);
    const rows = createRowWriter(db, texts, { replace, file });
    let done = 0;
    const again = await readCheckpoint(file, home.schema, async (line) => {
      await rows.add(line);
      progress(++done, proof.rows);
    });
    await rows.end();
    // What was seen elsewhere stays seen, whatever was known when the checkpoint was made.
    for (const head of heads) await writeHead(db, head, { ...head, createdAt: head.created_at }, head.at);
    // That a key is new was true where the checkpoint was made; since then it may have been written with there.
    for (const agent of proof.header.agents)
      await db.run(sql`delete from events where agent = ${agent} and kind = ${keyIsNew}`);
    // What they are searched by is no part of a checkpoint.
    for (const agent of proof.header.agents) await rebuildCaches(db, texts, agent);
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

type KeptHead = PublishedPlace & Omit<SeenHead, "createdAt"> & { readonly created_at: number; readonly at: string };
type Room = { readonly replaced: boolean; readonly heads: readonly KeptHead[] };

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
  const heads: KeptHead[] = [];
  for (const agent of there) {
    heads.push(...(await db.all<KeptHead>(sql`select * from heads where agent = ${agent}`)));
    for (const made of tables.filter(({ name }) => name !== "tokens" && name !== "seals")) {
      const { agent: column } = ownerColumns(made);
      if (column) await db.run(sql`delete from ${raw(made.name)} where ${raw(column)} = ${agent}`);
    }
  }
  return { replaced: there.length > 0, heads };
}
