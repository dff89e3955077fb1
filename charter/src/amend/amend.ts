import { badArgument, checkNeeded, isList, isNumber, isObject, isPromise, isText, kindOf } from "../prompt/argument.ts";
import { countCharacters } from "../prompt/character.ts";
import { type Charter, findSection, type PlacedSection, sectionMutability } from "../prompt/charter.ts";
import { unified } from "../prompt/diff.ts";
import { grouped, type Problem } from "../prompt/problem.ts";
import { maxCompactChars, splitCompactLine } from "../prompt/rendering.ts";
import type { Actor, Section } from "../prompt/section.ts";
import { operationKinds, type PublicationOutcome, type Publisher } from "./amendment.ts";
import { askGuards, type Change, type Guard, quietTurn, type TurnFacts } from "./guard.ts";
import { needsApproval } from "./guards/needs-approval.ts";
import { allowedHand, approvedBy, isForOperator, reachesOthers } from "./guards/permission.ts";
import { type InertLine, inertLines } from "./guards/text.ts";
import { applyOperation, type Operation, type Refusal } from "./operation.ts";

/** A section's current text, its original, and how to find its earlier revisions: `amend` judges a proposal against these. */
export type StandingText = {
  readonly text: string;
  readonly original: string;
  readonly revision: number;
  /** The revision of this text, where it is not the newest: a newer one was found invalid. */
  readonly stands?: number;
  /** The text of an earlier revision, for `revert`. */
  readonly revisionText?: (revision: number) => string | undefined;
};

/** The rules for amendments of one section: its guards, and how a text is prepared for them. */
export type Rules = {
  readonly guards: readonly Guard[];
  /** The person who has approved the change: objections that would only hold it, and that they may answer, no longer do. */
  readonly approved?: "operator" | "user";
  /** Number of characters at the start of the original that may not change. */
  readonly opening?: number;
  /** Prepares a new text before it is checked; for example trims it. */
  readonly normalise?: (text: string) => string;
  /** Publishes accepted texts of a section that is also kept elsewhere. */
  readonly publisher?: Publisher;
};

/**
 * Judges one proposal by a section's rules and saves nothing. It is pure, so a dry run and the real change agree.
 *
 * Every guard is asked, so all objections come back at once; only a long text that is too large is not read for structure,
 * overrides and room. A change that leaves the text as it is needs no approval and becomes no revision.
 */
export function amend(
  charter: Charter,
  standing: StandingText,
  proposal: Proposal,
  rules: Rules,
  turn: TurnFacts = quietTurn,
): Verdict {
  checkProposal(proposal);
  checkStandingText(standing);
  checkRules(rules);
  const placed = findSection(charter, proposal.section);
  const { text: before, original, revision } = standing;
  const applied = applyOperation(proposal.operation, {
    text: before,
    original,
    opening: rules.opening ?? 0,
    lined: placed.section.compact === "line",
    revisionText:
      standing.revisionText ?? ((asked) => (asked === 0 ? original : asked === revision ? before : undefined)),
  });
  const settle = proposal.operation.kind === "reset" ? undefined : rules.normalise;
  const after = "after" in applied ? (settle ? settle(applied.after) : applied.after) : before;
  const change = {
    placed,
    operation: proposal.operation,
    actor: proposal.actor,
    original,
    before,
    after,
    revision,
    base: proposal.revision,
    turn,
  };
  const spoken = askGuards(guardsOf(placed, rules), change);
  const unfit = "refusal" in applied ? applied.refusal : compactLineRefusal(change);
  const refusals: Refusal[] = unfit ? [unfit, ...spoken] : spoken;
  const against = refusals.filter((refusal) => !refusal.holds);
  if (against.length > 0)
    return { verdict: "refused", before, refusals: against, ...("after" in applied ? { proposed: after } : {}) };
  if (after === before && (standing.stands ?? revision) === revision)
    return { verdict: "unchanged", before, after, revision };
  const unanswered = rules.approved
    ? refusals.filter((one) => rules.approved === "user" && isForOperator(one))
    : refusals;
  if (unanswered.length > 0) return { verdict: "held", before, after, refusals: unanswered };
  const inert = inertLines(charter, placed.section.name, after);
  const unshown = unshownText(placed.section, after);
  return {
    verdict: "accepted",
    before,
    after,
    revision: revision + 1,
    ...(inert.length > 0 ? { inert } : {}),
    ...(unshown ? { unshown } : {}),
  };
}

/**
 * Adds what is asked whichever guards the rules bring: whether a person has to approve. Of a section that nobody may change also
 * `allowedHand`: otherwise an amendment would be recorded that the prompt never shows.
 */
function guardsOf({ section, layer }: PlacedSection, { guards }: Rules): readonly Guard[] {
  const isAmendable = typeof sectionMutability(section, layer) === "object";
  return [...new Set([...(isAmendable ? [] : [allowedHand]), ...guards, needsApproval, approvedBy, reachesOthers])];
}

/** A request to change one section: by whom, how and why. `revision` is the one it is based on, `turn` the turn it comes from. */
export type Proposal = {
  readonly section: string;
  readonly operation: Operation;
  readonly actor: Actor;
  readonly reason?: string;
  readonly revision?: number;
  readonly turn?: string;
};

/**
 * The result of a proposal: accepted, unchanged, refused or held for approval. Refused means that nothing changed; all
 * objections come at once.
 */
export type Verdict =
  | {
      readonly verdict: "accepted";
      readonly before: string;
      readonly after: string;
      readonly revision: number;
      /** Lines that are escaped in the prompt, because some reader could take them for structure. */
      readonly inert?: readonly InertLine[];
      /** The part of the text that the section's own limit leaves out of the prompt, where it is longer. */
      readonly unshown?: UnshownText;
    }
  /** Shows that no guard objects, and that the text is already there. `revision` is the current one. */
  | { readonly verdict: "unchanged"; readonly before: string; readonly after: string; readonly revision: number }
  | {
      readonly verdict: "refused";
      readonly before: string;
      readonly refusals: readonly Refusal[];
      readonly proposed?: string;
    }
  | {
      readonly verdict: "held";
      readonly before: string;
      readonly after: string;
      readonly refusals: readonly Refusal[];
    };

/** A verdict, and what a store made of it; only the verdict, when it was a dry run. */
export type ReportableOutcome = Verdict & {
  readonly amendment?: object;
  readonly held?: string;
  readonly repeated?: true;
  readonly publication?: PublicationOutcome;
};

/** Returns an outcome as scripts and models read it. Refused means nothing changed: `after` is then the current text. */
export function outcomeFacts(outcome: ReportableOutcome, section: string) {
  const { verdict, before } = outcome;
  const after = outcome.verdict === "refused" ? before : outcome.after;
  const refusals = "refusals" in outcome ? outcome.refusals.map(({ guard, because }) => ({ guard, because })) : [];
  return {
    verdict,
    refusals,
    before,
    after,
    diff: unified(before, after, section),
    ...(outcome.verdict === "unchanged" || (outcome.verdict === "accepted" && outcome.amendment)
      ? { revision: outcome.revision }
      : {}),
    ...(outcome.verdict === "accepted" && outcome.inert ? { inert: outcome.inert } : {}),
    ...(outcome.verdict === "accepted" && outcome.unshown ? { unshown: outcome.unshown } : {}),
    ...(outcome.held === undefined ? {} : { held: outcome.held }),
    ...(outcome.repeated ? { repeated: true as const } : {}),
    ...(outcome.publication ? { publication: outcome.publication } : {}),
  };
}

/** Objects to a wrong compact line. Its words are left to the guards, which judge the whole text. */
function compactLineRefusal({ placed: { section }, operation, after }: Change): Refusal | undefined {
  const no = (because: string) => ({ guard: "compact-line", because: `“${section.name}” ${because}` });
  const given = "content" in operation ? operation.compact : undefined;
  if (section.compact !== "line")
    return given === undefined ? undefined : no("has no line of its own in the compact edition: leave out compact.");
  if (operation.kind === "reset") return undefined;
  const { line } = splitCompactLine(after);
  if (given !== undefined && line !== given.trim())
    return no("would have a compact line that is not one line, or without words above it.");
  const characters = line === undefined ? 0 : countCharacters(line);
  return characters > maxCompactChars
    ? no(`would have a compact line of ${characters} characters; the limit is ${maxCompactChars}.`)
    : undefined;
}

/**
 * Number of characters of an accepted text that the prompt shows, where the section shows only its first ones, and of those
 * missing.
 */
export type UnshownText = { readonly shown: number; readonly missing: number };

function unshownText({ limit }: Pick<Section, "limit">, text: string): UnshownText | undefined {
  if (!limit) return undefined;
  const missing = countCharacters(text) - limit.chars;
  return missing > 0 ? { shown: limit.chars, missing } : undefined;
}

/** Says in one sentence which part is not shown, for the author of the text. */
export function unshownSentence(given: UnshownText): string {
  const aCount = [isNumber, "Give a verdict's `unshown`."] as const;
  checkNeeded<UnshownText>("unshownSentence", given, { shown: aCount, missing: aCount });
  const { shown, missing } = given;
  return `Only the first ${grouped(shown)} characters are shown in the prompt; ${grouped(missing)} more are stored, but not shown. Make it shorter.`;
}

const rulesWanted = "Give { guards }: usualGuards(charter, readings), or a list of your own, [] for none.";

/** Checks that a context looks up `rules` by section: without them nothing could be judged. */
export function checkContext(name: string, context: { readonly rules: unknown; readonly scope: unknown }): void {
  if (!isObject(context))
    throw badArgument(
      `The context that ${name} was given is ${kindOf(context)}.`,
      "Give { charter, scope, rules, … }.",
    );
  const { rules, scope } = context;
  if (!isObject(scope) || !isText((scope as { agent?: unknown }).agent))
    throw badArgument(
      `The \`scope\` that ${name} was given is ${kindOf(scope)}.`,
      "Give { agent }, or { agent, user }: names.",
    );
  if (typeof rules === "function") return;
  const hint = isObject(rules)
    ? "Give a function: rules: () => ({ guards })."
    : `Give a function, (section) => rules. ${rulesWanted}`;
  throw badArgument(`The \`rules\` that ${name} was given are ${kindOf(rules)}.`, hint);
}

export function checkRules(rules: unknown): void {
  if (isObject(rules) && isList((rules as { guards?: unknown }).guards)) return;
  const given = isObject(rules) && !isList(rules) ? "without guards" : kindOf(rules);
  throw badArgument(
    `The rules of a change are ${given}.`,
    `${isPromise(rules) ? "Await them first. " : ""}${rulesWanted}`,
  );
}

function checkStandingText(standing: unknown): void {
  const { text, original } = Object(standing) as { readonly text?: unknown; readonly original?: unknown };
  if (isText(text) && isText(original)) return;
  throw badArgument(
    `The current text of a change is ${kindOf(standing)}.`,
    "Give { text, original, revision }: the current text, the original text, and the number of amendments between them.",
  );
}

const proposalFields: ReadonlySet<string> = new Set<keyof Proposal>([
  "section",
  "operation",
  "actor",
  "reason",
  "revision",
  "turn",
]);

export function checkProposal(proposal: Proposal): void {
  if (!isObject(proposal) || !isText(proposal.section)) throw badProposal(`is ${kindOf(proposal)}`);
  const unknown = Object.keys(proposal).find((field) => !proposalFields.has(field));
  if (unknown !== undefined) throw badProposal(`has no field “${unknown}”`);
  const { operation, actor } = proposal;
  const { kind, content, compact } = Object(operation) as Readonly<Record<"kind" | "content" | "compact", unknown>>;
  if (!operationKinds.some((known) => known === kind))
    throw badProposal(
      isText(kind) ? `has no operation that is known: “${kind}”` : `has an operation that is ${kindOf(operation)}`,
    );
  if (kind !== "reset" && kind !== "revert" && !isText(content))
    throw badProposal(`has content that is ${kindOf(content)}`);
  if (compact !== undefined && (kind === "reset" || kind === "revert"))
    throw badProposal(`has a compact line, and a ${kind} brings the one of the text it goes back to`);
  if (compact !== undefined && !isText(compact)) throw badProposal(`has a compact line that is ${kindOf(compact)}`);
  if (actor !== "agent" && actor !== "user" && actor !== "operator")
    throw badProposal(`has an actor that is ${kindOf(actor)}`);
}

function badProposal(what: string): Problem {
  return badArgument(
    `The proposal ${what}.`,
    `Give { section, operation: { kind, content }, actor }: kind is ${operationKinds.join(", ")}; actor is agent, user or operator.`,
  );
}
