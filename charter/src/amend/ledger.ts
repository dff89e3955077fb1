import { badArgument, isFunction, isList, isObject, kindOf } from "../prompt/argument.ts";
import { type Charter, findSection } from "../prompt/charter.ts";
import type { Sha256 } from "../prompt/prompt.ts";
import { amend, checkContext, checkProposal, type Proposal, type Rules, type Verdict } from "./amend.ts";
import { type Amendment, amendmentDigest, createAmendment, type Scope } from "./amendment.ts";
import type { TurnFacts } from "./guard.ts";

/**
 * The newest revision of a section and the current text. `stands` names the revision of that text where it is an
 * earlier one.
 */
export type NewestRevision = {
  readonly revision: number;
  readonly digest: string;
  readonly text: string;
  readonly stands?: number;
};

/**
 * Where amendments are kept. Write your own to keep them in a database of yours; a store has one built in.
 *
 * `append` is a compare-and-set: it takes an amendment only as the next one of its section, and returns false
 * otherwise.
 */
export type Ledger = {
  readonly newest: (scope: Scope, section: string) => Promise<NewestRevision | undefined>;
  readonly textAt: (scope: Scope, section: string, revision: number) => Promise<string | undefined>;
  readonly append: (amendment: Amendment) => Promise<boolean>;
};

/** A ledger in memory that can also list a section's history. */
export type MemoryLedger = Ledger & {
  readonly history: (scope: Scope, section: string) => Promise<readonly Amendment[]>;
};

/** Creates a ledger in memory: for tests, and for programs that need no history after they end. */
export function createMemoryLedger(): MemoryLedger {
  const rows = new Map<string, readonly Amendment[]>();
  const key = (scope: Scope, section: string) => JSON.stringify([scope.agent, scope.user ?? null, section]);
  return {
    async newest(scope, section) {
      const last = rows.get(key(scope, section))?.at(-1);
      return last && { revision: last.revision, digest: last.digest, text: last.after };
    },
    async textAt(scope, section, revision) {
      return rows.get(key(scope, section))?.[revision - 1]?.after;
    },
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

/**
 * What `propose` needs besides the proposal: the charter, the rules of each section, the ledger, a clock and SHA-256.
 */
export type LedgerContext = {
  readonly charter: Charter;
  readonly ledger: Ledger;
  readonly scope: Scope;
  /** The rules of each section. */
  readonly rules: (section: string) => Rules;
  readonly turn?: TurnFacts;
  /** A proposal that is sent again with the same key is not made again. */
  readonly idempotencyKey?: string;
  readonly now: () => string;
  readonly sha256: Sha256;
};

function checkLedgerContext(context: LedgerContext): void {
  checkContext("propose", context);
  const wants = {
    ledger: [isObject(context.ledger), "Give createMemoryLedger(), or a ledger of your own."],
    now: [isFunction(context.now), "Give a function that says the time, as ISO 8601 has it."],
    sha256: [isFunction(context.sha256), "Give a function from a text to its SHA-256, in hex."],
  } as const;
  for (const [name, [fits, hint]] of Object.entries(wants))
    if (!fits)
      throw badArgument(
        `The \`${name}\` that propose was given is ${kindOf(context[name as keyof typeof wants])}.`,
        hint,
      );
}

/**
 * Judges a proposal and, if it is accepted, appends it to a ledger. Of several proposals based on one revision exactly
 * one is accepted; the others are refused as stale.
 *
 * With a store, use `store.propose`: it also keeps what waits for approval.
 */
export async function propose(
  context: LedgerContext,
  proposal: Proposal,
): Promise<Verdict & { readonly amendment?: Amendment }> {
  checkLedgerContext(context);
  checkProposal(proposal);
  const { section } = findSection(context.charter, proposal.section);
  const original = section.original ?? "";
  const newest = await context.ledger.newest(context.scope, section.name);
  const { text, revision } = newest ?? { text: original, revision: 0 };
  const { operation } = proposal;
  const asked = operation.kind === "revert" && operation.to > 0 ? operation.to : undefined;
  const found = asked === undefined ? undefined : await context.ledger.textAt(context.scope, section.name, asked);
  const revisionText = (to: number) => (to === 0 ? original : to === asked ? found : undefined);
  const stands = newest?.stands === undefined ? {} : { stands: newest.stands };
  const standing = { text, original, revision, revisionText, ...stands };
  // Whoever read the words of an earlier revision, because those stand, has read what there is.
  const current = proposal.revision !== undefined && proposal.revision === newest?.stands;
  const asOf = current ? { ...proposal, revision } : proposal;
  const verdict = amend(context.charter, standing, asOf, context.rules(section.name), context.turn);
  if (verdict.verdict !== "accepted") return verdict;
  const amendment = createAmendment(
    {
      scope: context.scope,
      section: section.name,
      revision: verdict.revision,
      operation: operation.kind,
      actor: proposal.actor,
      turn: proposal.turn ?? null,
      at: context.now(),
      reason: proposal.reason ?? null,
      before: verdict.before,
      after: verdict.after,
      previous: newest?.digest ?? context.sha256(original),
      ...(context.idempotencyKey === undefined ? {} : { key: context.idempotencyKey }),
    },
    context.sha256,
  );
  if (await context.ledger.append(amendment)) return { ...verdict, amendment };
  const because = `“${section.name}” was changed by another hand after revision ${revision}. Read it again.`;
  return {
    verdict: "refused",
    before: text,
    proposed: verdict.after,
    refusals: [{ guard: "stale-revision", because }],
  };
}

/** The text a history comes to, and the first revision that does not follow from the one before, if there is one. */
export type ReplayResult = {
  readonly text: string;
  readonly revision: number;
  readonly fault?: { readonly revision: number; readonly what: "missing" | "edited" | "reordered" };
};

/**
 * Replays a section's history from its original and checks every digest. It stops at the first amendment that does not
 * follow from the one before.
 */
export function replay(original: string, history: readonly Amendment[], sha256: Sha256): ReplayResult {
  if (!isList(history) || typeof sha256 !== "function")
    throw badArgument(
      "replay was given no history, or no sha256.",
      "Give replay(original, amendments, sha256), oldest first.",
    );
  let text = original;
  let previous = sha256(original);
  for (const [index, amendment] of history.entries()) {
    const revision = index + 1;
    const stop = (what: "missing" | "edited" | "reordered") => ({ text, revision: index, fault: { revision, what } });
    if (amendment.revision > revision && history.every((other) => other.revision !== revision)) return stop("missing");
    if (amendment.revision !== revision) return stop("reordered");
    if (amendment.digest !== amendmentDigest(amendment, sha256)) return stop("edited");
    if (amendment.previous !== previous || amendment.before !== text) return stop("edited");
    text = amendment.after;
    previous = amendment.digest;
  }
  return { text, revision: history.length };
}

/** The newest words that are still valid: what stands when the newest are not (a tampered row, a lowered limit). */
export function newestValid(
  original: string,
  history: readonly Amendment[],
  valid: (text: string) => boolean,
): { readonly text: string; readonly revision: number } {
  const good = history.findLast(({ after }) => valid(after));
  return good ? { text: good.after, revision: good.revision } : { text: original, revision: 0 };
}
