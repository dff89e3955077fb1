import { storeSchema } from "../home/schema.ts";
import type { Schema } from "../home/table-statements.ts";
import { readCheckpointLines } from "./checkpoint-file.ts";
import {
  type CheckpointHeader,
  type CheckpointLine,
  createLineReader,
  damagedCheckpoint,
  footerOf,
  headerOf,
  notACheckpoint,
  parseLine,
} from "./checkpoint-line.ts";

/** What a checkpoint file contains, once it has been read to its end and verified. */
export type CheckpointProof = {
  readonly header: CheckpointHeader;
  readonly rows: number;
  readonly digest: string;
  readonly content: string;
  /** How many lines there are of each table; texts are under `texts`. */
  readonly tables: Readonly<Record<string, number>>;
};

/**
 * Reads a checkpoint from its first line to its last and hands each on, with nothing but one line in memory. Only when it
 * returns is the file proved: whoever acts on a line before that has to be able to take it back.
 */
export async function readCheckpoint(
  path: string,
  schema: Schema = storeSchema,
  onLine: (line: CheckpointLine) => Promise<void> = async () => {},
): Promise<CheckpointProof> {
  const { createHash } = process.getBuiltinModule("node:crypto");
  const [whole, content] = [createHash("sha256"), createHash("sha256")];
  const tables: Record<string, number> = {};
  const lineOf = createLineReader(schema);
  let header: CheckpointHeader | undefined;
  let proof: CheckpointProof | undefined;
  let rows = 0;
  for await (const bytes of readCheckpointLines(path)) {
    const line = bytes.toString("utf8");
    if (proof) throw damagedCheckpoint(path, "it goes on after its last line");
    if (!header) header = headerOf(line, path, schema);
    else {
      const value = parseLine(line);
      const kept = lineOf(value);
      if (kept) {
        const table = "text" in kept ? "texts" : kept.table;
        tables[table] = (tables[table] ?? 0) + 1;
        rows++;
        content.update(bytes);
        await onLine(kept);
      } else {
        const footer = footerOf(value);
        if (!footer) throw damagedCheckpoint(path, `line ${rows + 2} is not what Charter writes`);
        const digest = whole.digest("hex");
        if (footer.rows !== rows || footer.digest !== digest)
          throw damagedCheckpoint(path, "its lines are not those its digest proves");
        proof = { header, rows, digest, content: content.digest("hex"), tables };
        continue;
      }
    }
    whole.update(bytes);
  }
  if (proof) return proof;
  throw header ? damagedCheckpoint(path, "its end is missing") : notACheckpoint(path);
}
