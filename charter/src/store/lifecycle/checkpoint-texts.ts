import { createBoundedMap } from "../../prompt/bounded-map.ts";
import type { Receipt } from "../../prompt/receipt.ts";
import { textsNamed } from "../../prompt/sent-history.ts";
import type { Database } from "../home/database.ts";
import { type Row, sql } from "../home/sql.ts";
import type { Texts } from "../texts/text.ts";
import type { CheckpointLine } from "./checkpoint-line.ts";

/** So many texts are remembered as written. One that comes again after that is written again, which harms nobody. */
const remembered = 100_000;

/**
 * The texts a row names, as lines of a checkpoint, each once and after the one it is packed against.
 *
 * They come in the order in which they were made, so that whoever keeps them again has the base at hand.
 */
export function createTextLines(db: Database, texts: Texts, lost: (owner: string, digest: string) => void) {
  const written = createBoundedMap<string, true>(remembered);
  async function* lineOf(owner: string, digest: string): AsyncGenerator<CheckpointLine> {
    const key = `${digest}${owner}`;
    const known = written.has(key);
    written.set(key, true);
    if (known) return;
    const row = await db.one<{ base: string | null }>(
      sql`select base from texts where owner = ${owner} and digest = ${digest}`,
    );
    if (row && row.base !== null) yield* lineOf(owner, row.base);
    const words = row && (await texts.get(db, owner, digest));
    if (row && words !== undefined) yield { text: { owner, digest, base: row.base, words } };
    else lost(owner, digest);
  }
  return async function* textsOf(table: string, row: Row): AsyncGenerator<CheckpointLine> {
    if ((table !== "amendments" && table !== "steps") || row.erased_at !== null) return;
    const owner = row.user_id as string;
    if (table === "amendments") {
      yield* lineOf(owner, row.before_digest as string);
      yield* lineOf(owner, row.after_digest as string);
      return;
    }
    const receipt = await texts.get(db, owner, row.receipt as string);
    const sent: Pick<Receipt, "slots"> = receipt === undefined ? { slots: [] } : JSON.parse(receipt);
    for (const { whose, digest } of textsNamed(sent)) yield* lineOf(whose === "agent" ? "" : owner, digest);
    yield* lineOf(owner, row.receipt as string);
  };
}
