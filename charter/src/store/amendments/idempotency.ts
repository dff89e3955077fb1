import type { Rules } from "../../amend/amend.ts";
import { applyOperation } from "../../amend/operation.ts";
import type { Proposal } from "../../amend/proposal.ts";
import { findSection } from "../../prompt/charter.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Section } from "../../prompt/section.ts";
import type { Database } from "../home/database.ts";
import { matching, ownRows } from "../home/query.ts";
import { sql } from "../home/sql.ts";
import type { Texts } from "../texts/text.ts";
import { type AmendmentRow, amendmentAt, amendmentEntryOf } from "./amendments.ts";
import type { AmendmentContext, ProposalOutcome } from "./context.ts";
import { findHeld } from "./held-proposal.ts";

/** What became of a proposal that was sent under this key before. */
export async function findIdempotentOutcome(
  db: Database,
  texts: Texts,
  {
    charter,
    scope,
    idempotencyKey,
    rules,
  }: Omit<AmendmentContext, "rules"> & { readonly idempotencyKey: string; readonly rules: Rules },
  proposal: Proposal,
): Promise<ProposalOutcome | undefined> {
  const { agent, user = "" } = scope;
  const [held] = await findHeld(db, matching({ "h.agent": agent, "h.user_id": user, "h.key": idempotencyKey }));
  const row = held?.revision
    ? await amendmentAt(db, scope, held.section, held.revision)
    : await db.one<AmendmentRow>(sql`select * from amendments where ${ownRows(scope)} and key = ${idempotencyKey}`);
  const same = (section: string, operation: string, words: boolean) => {
    if (section === proposal.section && operation === proposal.operation.kind && words) return;
    throw new Problem(
      "key-reused",
      `The key “${idempotencyKey}” was used for another proposal (${operation} of “${section}”).`,
      "Give every proposal a key of its own.",
    );
  };
  if (row) {
    if (row.erased_at !== null)
      throw new Problem(
        "erased",
        `What was proposed under the key “${idempotencyKey}” was erased ${row.erased_at}.`,
        "To propose it anew, give it another key.",
      );
    const before = (await texts.get(db, row.user_id, row.before_digest)) ?? "";
    const after = (await texts.get(db, row.user_id, row.after_digest)) ?? "";
    const { section } = findSection(charter, proposal.section);
    const words = held ? isSameOperation(held.proposal, proposal) : makes(proposal, rules, section, before, after);
    same(row.section, row.operation, words);
    const { erasedAt: _, ...entry } = amendmentEntryOf(row);
    const amendment = { ...entry, before, after };
    return { verdict: "accepted", before, after, revision: row.revision, amendment, repeated: true };
  }
  if (!held) return undefined;
  same(held.section, held.proposal.operation.kind, isSameOperation(held.proposal, proposal));
  const { before, after, refusals, id, status, decisionReason } = held;
  if (status === "rejected") {
    const refusal = { guard: "needs-approval", because: decisionReason ?? "A person said no." };
    return { verdict: "refused", before, proposed: after, refusals: [refusal], held: id, repeated: true };
  }
  // Approved when every word of it stood already, it became no revision.
  if (status === "approved" && held.revision === null) {
    const revision = held.proposal.revision ?? 0;
    return { verdict: "unchanged", before: after, after, revision, held: id, repeated: true };
  }
  return { verdict: "held", before, after, refusals, held: id, repeated: true };
}

function isSameOperation({ operation: one }: Proposal, { operation: other }: Proposal): boolean {
  const fields = (operation: object) => JSON.stringify(Object.entries(operation).sort());
  return fields(one) === fields(other);
}

/** Whether a proposal makes of the words before it what was made of them; one without words of its own does. */
function makes({ operation }: Proposal, rules: Rules, section: Section, before: string, after: string): boolean {
  if (!("content" in operation)) return true;
  const { opening = 0, normalise: inOrder = (text: string) => text } = rules;
  const { original = "", compact } = section;
  const context = { text: before, original, opening, lined: compact === "line", revisionText: () => undefined };
  const made = applyOperation(operation, context);
  return "after" in made && inOrder(made.after) === after;
}
