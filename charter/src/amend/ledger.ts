import { badArgument, isFunction, isList, isObject, kindOf } from "../prompt/argument.ts";
import { type Charter, findSection } from "../prompt/charter.ts";
import { differences, type Effort } from "../prompt/diff.ts";
import type { Sha256 } from "../prompt/prompt.ts";
import { amend, checkContext, checkProposal, type Proposal, type Rules, type Verdict } from "./amend.ts";
import { type Amendment, amendmentDigest, createAmendment, type Scope } from "./amendment.ts";
import type { TurnFacts } from "./guard.ts";

/** The newest revision of a section and the current text. `stands` is the revision of that text where it is an earlier one. */
export type NewestRevision = {
  readonly revision: number;
  readonly digest: string;
  readonly text: string;
  readonly stands?: number;
};

/**
 * Storage for amendments. Write your own to keep them in a database of yours; a store has one built in.
 *
 * `append` is a compare-and-set: it takes an amendment only as the next one of its section, and returns false otherwise.
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

/** The surroundings that `propose` needs besides the proposal: charter, rules of each section, ledger, clock and SHA-256. */
export type LedgerContext = {
  readonly charter: Charter;
  readonly ledger: Ledger;
  readonly scope: Scope;
  readonly rules: (section: string) => Rules;
  readonly turn?: TurnFacts;
  /** Idempotency key: a proposal that is sent again with the same key is not made again. */
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
  const revertText = asked === undefined ? undefined : await context.ledger.textAt(context.scope, section.name, asked);
  const revisionText = (to: number) => (to === 0 ? original : to === asked ? revertText : undefined);
  const stands = newest?.stands === undefined ? {} : { stands: newest.stands };
  const standing = { text, original, revision, revisionText, ...stands };
  // Accepts the revision of a fallback text: a reader of the current text has read all that is valid.
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

/** The final text of a history, and the first revision that does not follow from the one before, if there is one. */
export type ReplayResult = {
  readonly text: string;
  readonly revision: number;
  readonly fault?: { readonly revision: number; readonly what: "missing" | "edited" | "reordered" };
};

/**
 * Replays a section's history from its original and checks every digest. Replay stops at the first amendment that does not follow
 * from the one before.
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

/** A range of a section's current text and the revision that wrote it; 0 is the original. The ranges cover the whole text. */
export type AuthoredSpan = { readonly start: number; readonly end: number; readonly revision: number };

/** Text that stands in one version and in the next. */
type KeptStretch = { readonly from: number; readonly to: number; readonly length: number };

/** A range, and its place in the text of the revision that wrote it. */
type TracedSpan = AuthoredSpan & { readonly at: number };

const effort: Effort = { edits: 1000, steps: 2_000_000 };

/**
 * Says which revision wrote which part of a section's text. Each amendment is compared with the text before it, line by line, and
 * changed lines word by word. Where that would take too long the comparison is coarser, never wrong.
 *
 * `amendments` come oldest first. `original` is the text they start from, with its revision.
 */
export function blame(
  original: { readonly text: string; readonly revision: number },
  amendments: readonly { readonly revision: number; readonly after: string }[],
): readonly AuthoredSpan[] {
  if (!isObject(original) || !isList(amendments))
    throw badArgument(
      "blame was given no words to begin with, or no amendments.",
      "Give blame({ text, revision: 0 }, amendments), oldest first.",
    );
  let { text } = original;
  let traced = wholly(text, original.revision);
  for (const { revision, after } of amendments) {
    if (after === text) continue;
    traced = carried(traced, keptIn(text, after), after.length, revision);
    text = after;
  }
  return traced.map(({ start, end, revision }) => ({ start, end, revision }));
}

function wholly({ length }: string, revision: number): TracedSpan[] {
  return length === 0 ? [] : [{ start: 0, end: length, revision, at: 0 }];
}

/** Carries authorship over one amendment: kept text stays its author's, and text between is the new revision's. */
function carried(
  before: readonly TracedSpan[],
  kept: readonly KeptStretch[],
  length: number,
  revision: number,
): TracedSpan[] {
  const out: TracedSpan[] = [];
  const add = (one: TracedSpan) => {
    const last = out.at(-1);
    const goesOn = last?.revision === one.revision && last.at + (last.end - last.start) === one.at;
    if (last && goesOn) out[out.length - 1] = { ...last, end: one.end };
    else if (one.end > one.start) out.push(one);
  };
  let done = 0;
  let first = 0;
  for (const { from, to, length: keptLength } of kept) {
    add({ start: done, end: to, revision, at: done });
    while ((before[first]?.end ?? from + keptLength) <= from) first++;
    for (let index = first; index < before.length; index++) {
      const one = before[index] as TracedSpan;
      if (one.start >= from + keptLength) break;
      const start = Math.max(one.start, from);
      const end = Math.min(one.end, from + keptLength);
      add({ start: start - from + to, end: end - from + to, revision: one.revision, at: one.at + start - one.start });
    }
    done = to + keptLength;
  }
  add({ start: done, end: length, revision, at: done });
  return out;
}

const word = /[\p{L}\p{N}]/u;
const lines = /[^\n]*\n|[^\n]+/g;
/** Words and what separates them. In scripts without spaces, each character is a word. */
const words =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]\p{M}*|[\p{L}\p{N}][\p{L}\p{M}\p{N}_'’]*|[^\p{L}\p{N}]+/gu;
/** Words, white space, and single signs. None is split: a flag or a family emoji is one sign. */
const signs = /\n|[^\S\n]+|[\p{L}\p{M}\p{N}_'’]+|\p{RI}\p{RI}?|.(?:[\p{M}\p{EMod}]|\u200d.)*/gsu;

/**
 * Compares lines first, then words, then what separates them: a blank line or a comma that both texts share must not keep a word
 * from being found again.
 */
function keptIn(before: string, after: string): KeptStretch[] {
  const kept: KeptStretch[] = [];
  const add = (from: number, to: number, length: number) => {
    const last = kept.at(-1);
    if (last && last.from + last.length === from && last.to + last.length === to)
      kept[kept.length - 1] = { ...last, length: last.length + length };
    else if (length > 0) kept.push({ from, to, length });
  };
  /** Compares a stretch of one text with a stretch of the other. */
  const compare = (one: Stretch, other: Stretch, by: "lines" | "words" | "signs") => {
    if (one.start === one.end || other.start === other.end) return;
    if (by === "signs") return compareSigns(one, other);
    const finer = by === "lines" ? "words" : "signs";
    const [own, others] = [unitsOf(before, one, by), unitsOf(after, other, by)];
    let [from, to] = [one.start, other.start];
    for (const [index, place] of matches(own.texts, others.texts)) {
      const [start, next] = [own.starts[index] as number, others.starts[place] as number];
      const { length } = own.texts[index] as string;
      compare({ start: from, end: start }, { start: to, end: next }, finer);
      add(start, next, length);
      from = start + length;
      to = next + length;
    }
    compare({ start: from, end: one.end }, { start: to, end: other.end }, finer);
  };
  /** Compares the two ends only: the middle is between words that are all new. */
  const compareSigns = (one: Stretch, other: Stretch) => {
    const first = sameFirst(opening(before, one), opening(after, other));
    const rest = ({ start, end }: Stretch) => ({ start: start + first, end });
    const last = sameFirst(ending(before, rest(one)), ending(after, rest(other)));
    add(one.start, other.start, first);
    add(one.end - last, other.end - last, last);
  };
  compare({ start: 0, end: before.length }, { start: 0, end: after.length }, "lines");
  return kept;
}

type Stretch = { readonly start: number; readonly end: number };

/** Splits a stretch into its non-empty lines or words, with the start of each. */
function unitsOf(text: string, { start, end }: Stretch, by: "lines" | "words") {
  const texts: string[] = [];
  const starts: number[] = [];
  let at = start;
  for (const unit of text.slice(start, end).match(by === "lines" ? lines : words) ?? []) {
    if (word.test(unit)) {
      texts.push(unit);
      starts.push(at);
    }
    at += unit.length;
  }
  return { texts, starts };
}

/** Yields each index of one list that is found again in the other, with its index there. */
function* matches(one: readonly string[], other: readonly string[]): Generator<readonly [number, number]> {
  let [index, place] = [0, 0];
  for (const { kind, lines: units } of differences(one, other, effort)) {
    if (kind === "same") for (let at = 0; at < units.length; at++) yield [index + at, place + at];
    if (kind !== "added") index += units.length;
    if (kind !== "removed") place += units.length;
  }
}

/** Maximum number of UTF-16 units compared at each end: no text has longer runs of signs. */
const maxComparedChars = 1000;

function opening(text: string, { start, end }: Stretch): readonly string[] {
  return text.slice(start, Math.min(end, start + maxComparedChars)).match(signs) ?? [];
}

/** Lists the signs of a stretch from its end backwards. */
function ending(text: string, { start, end }: Stretch): readonly string[] {
  const units = text.slice(Math.max(start, end - maxComparedChars), end).match(signs) ?? [];
  return (end - start > maxComparedChars ? units.slice(1) : [...units]).reverse();
}

/** Returns the length of the beginning that two lists of signs share. */
function sameFirst(one: readonly string[], other: readonly string[]): number {
  let [count, length] = [0, 0];
  while (count < one.length && one[count] === other[count]) length += (one[count++] as string).length;
  return length;
}
