import type { Refusal } from "../../amend/refusal.ts";
import type { Database } from "../home/database.ts";
import { recordOf } from "../home/query.ts";
import { type Query, sql } from "../home/sql.ts";
import type { RecordOf } from "../home/table.ts";
import { held } from "./amendment-tables.ts";

/** A proposal that waits for a person's approval, or did. */
export type HeldProposal = RecordOf<typeof held> & {
  /** While it waits: the section has changed since it was proposed, so it can only be applied to the current text. */
  readonly stale: boolean;
  /** The section's current text, where it is stale. */
  readonly standing: { readonly text: string; readonly revision: number } | null;
};

/**
 * What a model took for an override is the operator's to let pass: whoever asked for it, or had their agent ask, does not
 * approve it themselves.
 */
export function isForOperator({ refusals }: HeldProposal): boolean {
  return refusals.some(({ guard }) => guard === "second-opinion");
}

/** Held proposals, each with the text its section has now: one question for all of them. */
export async function findHeld(db: Database, which: Query): Promise<HeldProposal[]> {
  const rows = await db.all<StandingRow>(sql`select h.*, s.revision as standing_revision, s.words as standing_words
    from held h left join standings s on s.agent = h.agent and s.user_id = h.user_id and s.section = h.section
    where ${which}`);
  return rows.map((row) => {
    const proposal = recordOf(held, row);
    const { standing_revision: now, standing_words: text } = row;
    const { revision: base } = proposal.proposal;
    const stale = proposal.status === "waiting" && base !== undefined && base !== (now ?? 0);
    const standing = stale && now !== null && text !== null ? { text, revision: now } : null;
    return { ...proposal, stale, standing };
  });
}

/** Where the section stands now; null where it was never amended. */
type StandingRow = { readonly standing_revision: number | null; readonly standing_words: string | null };

/** One more reason why it waits. */
export async function addObjection(
  db: Database,
  { id, refusals }: HeldProposal,
  objection: Refusal,
): Promise<Refusal[]> {
  const all = [...refusals, objection];
  await db.run(sql`update held set refusals = ${JSON.stringify(all)} where id = ${id}`);
  return all;
}
