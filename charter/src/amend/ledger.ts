import { type Charter, findSection } from "../prompt/charter.ts";
import type { Sha256 } from "../prompt/prompt.ts";
import { amend, type Rules } from "./amend.ts";
import { type Amendment, createAmendment, type Scope } from "./amendment.ts";
import type { TurnFacts } from "./guard.ts";
import type { Proposal } from "./proposal.ts";
import { replay } from "./replay.ts";
import type { Verdict } from "./verdict.ts";

/** Where amendments last. `append` is compare-and-set: it takes an amendment only as the next of its section. */
export type Ledger = {
  readonly history: (scope: Scope, section: string) => Promise<readonly Amendment[]>;
  readonly append: (amendment: Amendment) => Promise<boolean>;
};

/** A ledger that lasts as long as the process. */
export function createMemoryLedger(): Ledger {
  const rows = new Map<string, readonly Amendment[]>();
  const key = (scope: Scope, section: string) => JSON.stringify([scope.agent, scope.user ?? null, section]);
  return {
    async history(scope, section) {
      return rows.get(key(scope, section)) ?? [];
    },
    async append(amendment) {
      const at = key(amendment.scope, amendment.section);
      const before = rows.get(at) ?? [];
      if (amendment.revision !== before.length + 1) return false;
      if (before.length > 0 && before.at(-1)?.digest !== amendment.previous) return false;
      rows.set(at, Object.freeze([...before, amendment]));
      return true;
    },
  };
}

/** What the one write path needs besides the proposal. */
export type Desk = {
  readonly charter: Charter;
  readonly ledger: Ledger;
  readonly scope: Scope;
  readonly rules: (section: string) => Rules;
  readonly turn?: TurnFacts;
  readonly now: () => string;
  readonly sha256: Sha256;
};

/**
 * The one write path: proposal → guards → compare-and-set → amendment.
 *
 * Of several proposals made against one revision exactly one wins; the others are refused as stale, never merged.
 */
export async function propose(desk: Desk, proposal: Proposal): Promise<Verdict & { readonly amendment?: Amendment }> {
  const { section } = findSection(desk.charter, proposal.section);
  const history = await desk.ledger.history(desk.scope, section.name);
  const original = section.original ?? "";
  const { text, revision } = replay(original, history, desk.sha256);
  const revisionText = (asked: number) => (asked === 0 ? original : history[asked - 1]?.after);
  const standing = { text, original, revision, revisionText };
  const verdict = amend(desk.charter, standing, proposal, desk.rules(section.name), desk.turn);
  if (verdict.verdict !== "accepted") return verdict;
  const amendment = createAmendment(
    {
      scope: desk.scope,
      section: section.name,
      revision: verdict.revision,
      operation: proposal.operation.kind,
      actor: proposal.actor,
      turn: proposal.turn ?? null,
      at: desk.now(),
      reason: proposal.reason ?? null,
      before: verdict.before,
      after: verdict.after,
      previous: history.at(-1)?.digest ?? desk.sha256(original),
    },
    desk.sha256,
  );
  if (await desk.ledger.append(amendment)) return { ...verdict, amendment };
  const because = `“${section.name}” was changed by another hand after revision ${revision}. Read it again.`;
  return {
    verdict: "refused",
    before: text,
    proposed: verdict.after,
    refusals: [{ guard: "stale-revision", because }],
  };
}
