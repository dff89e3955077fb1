import { readLines } from "./checkpoint-file.ts";
import {
  damaged,
  footerOf,
  type Header,
  headerOf,
  type KeptLine,
  keptLineOf,
  notACheckpoint,
  parsed,
} from "./checkpoint-line.ts";

/** What a checkpoint turned out to hold, when it was read to its end. */
export type Proof = {
  readonly header: Header;
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
  take: (line: KeptLine) => Promise<void> = async () => {},
): Promise<Proof> {
  const { createHash } = process.getBuiltinModule("node:crypto");
  const [whole, content] = [createHash("sha256"), createHash("sha256")];
  const tables: Record<string, number> = {};
  let header: Header | undefined;
  let proof: Proof | undefined;
  let rows = 0;
  for await (const bytes of readLines(path)) {
    const line = bytes.toString("utf8");
    if (proof) throw damaged(path, "it goes on after its last line");
    if (!header) header = headerOf(line, path);
    else {
      const value = parsed(line);
      const kept = keptLineOf(value, header.schema);
      if (kept) {
        const table = "text" in kept ? "texts" : kept.table;
        tables[table] = (tables[table] ?? 0) + 1;
        rows++;
        content.update(bytes);
        await take(kept);
      } else {
        const footer = footerOf(value);
        if (!footer) throw damaged(path, `line ${rows + 2} is not what Charter writes`);
        const digest = whole.digest("hex");
        if (footer.rows !== rows || footer.digest !== digest)
          throw damaged(path, "its lines are not those its digest proves");
        proof = { header, rows, digest, content: content.digest("hex"), tables };
        continue;
      }
    }
    whole.update(bytes);
  }
  if (proof) return proof;
  throw header ? damaged(path, "its end is missing") : notACheckpoint(path);
}
