import { outcomeFacts, type ReportableOutcome, unshownSentence } from "../../amend/amend.ts";
import type { Scope } from "../../amend/amendment.ts";
import { inertSentence } from "../../amend/guards/text.ts";
import type { SessionQuote } from "../../host/proposal.ts";
import type { AgentSnapshot } from "../../host/snapshot.ts";
import { defined } from "../../prompt/argument.ts";
import { unified } from "../../prompt/diff.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ValuesOf } from "../field.ts";
import type { outcomeFields } from "../proposal-fields.ts";
import { colours, oneLine, painted } from "./columns.ts";
import { hintsHere } from "./command-name.ts";

/** Prints the outcome of a proposal. */
export function verdictLines(outcome: OutcomeAnswer): string[] {
  const paint = colours(process.stdout);
  const { section, verdict, revision, held, before, proposed, publication } = outcome;
  const colour = { accepted: paint.green, unchanged: paint.dim, refused: paint.red, held: paint.yellow }[verdict];
  const stands =
    verdict === "unchanged"
      ? `: “${section}” says exactly this already (revision ${revision})`
      : revision === undefined
        ? ""
        : `: revision ${revision} of “${section}”`;
  return [
    `${colour(verdict)}${stands}${outcome.repeated ? " (made before, under the same key)" : ""}`,
    ...outcome.refusals.map(({ guard, because }) => `  ${guard}: ${because}`),
    ...changes(before, verdict === "refused" ? (proposed?.text ?? before) : outcome.after, section),
    ...(outcome.inert ?? []).map(inertSentence),
    ...(outcome.unshown ? [unshownSentence(outcome.unshown)] : []),
    ...(publication ? publicationLines(publication, section) : []),
    ...(verdict === "held" && held
      ? [hintsHere(`Waiting for approval: charter approve ${held}, or charter reject ${held}`)]
      : []),
  ];
}

export function verdictText(outcome: ReportableOutcome, section: string): string {
  const text = outcome.verdict === "refused" ? outcome.proposed : undefined;
  const proposed = text === undefined ? null : { text, revision: 0 };
  return `${verdictLines({ section, ...outcomeFacts(outcome, section), proposed }).join("\n")}\n`;
}

/** Prints a change as a coloured diff. */
export function changes(before: string, after: string, section: string): string[] {
  return painted(unified(before, after, section).split("\n").slice(0, -1));
}

type PublicationOutcome = NonNullable<OutcomeAnswer["publication"]>;

/** Prints the outcome of publishing a text: which relays took it, which did not, and which text won a conflict. */
export function publicationLines(
  { id, state, taken, missed, conflict }: PublicationOutcome,
  section: string,
): string[] {
  const paint = colours(process.stdout);
  const how = {
    published: `${paint.green("published")}: event ${id}, taken by ${taken.map(oneLine).join(", ")}`,
    waiting: hintsHere(
      `${paint.yellow("not published yet")}: event ${id} waits, and is sent again later; to try now: charter core publish`,
    ),
    superseded: conflict
      ? `${paint.red("conflict")}: event ${conflict.id} was published at the same time, and is current; yours, event ${id}, is in the history`
      : `${paint.yellow("replaced")}: a later change is current; yours, event ${id}, is in the history`,
  }[state];
  return [
    how,
    ...missed.map(({ place, reason }) => `  not on ${oneLine(place)}: ${oneLine(reason)}`),
    ...(conflict ? bothTexts(conflict, section) : []),
  ];
}

function bothTexts({ ours, theirs, id }: NonNullable<PublicationOutcome["conflict"]>, section: string): string[] {
  const [, , ...hunks] = unified(ours, theirs, section).split("\n").slice(0, -1);
  return painted([`--- ${section} (yours)`, `+++ ${section} (event ${id})`, ...hunks]);
}

/** Prints a quote. */
export function quoteLines({ says, session, cold, happens }: SessionQuote, user: string | undefined): string[] {
  const unnamed = session === null && user === undefined && happens !== "held";
  return [
    says,
    ...(unnamed ? ["Name a user with --user to have it quoted for their session."] : []),
    ...(cold ? [`The cache of session ${session} has expired: the whole prompt is sent again anyway.`] : []),
    "Nothing was changed. To apply the change, leave --quote out.",
  ];
}

/** Outcome of a proposal, the same at every door. */
type OutcomeAnswer = ValuesOf<typeof outcomeFields>;

/**
 * Outcome of a proposal. If refused, it has both texts: the current one, which may be newer than the one that was checked, and
 * the proposed one. For a stale proposal, `against` is the revision it was made against.
 */
export async function outcomeAnswer(
  { snapshot }: { readonly snapshot: (scope: Scope) => Promise<Pick<AgentSnapshot, "declaredTurn">> },
  { scope, section }: { readonly scope: Scope; readonly section: string },
  outcome: ReportableOutcome,
  against = 0,
): Promise<OutcomeAnswer> {
  const objections = "refusals" in outcome ? outcome.refusals : [];
  const refusals = objections.map(({ guard, because, places }) => ({ guard, because, ...(places && { places }) }));
  const facts = { section, ...outcomeFacts(outcome, section), refusals };
  if (outcome.verdict !== "refused") return facts;
  const now = (await snapshot(scope)).declaredTurn.turn.standing[section];
  const { text, revision } = now && "text" in now ? now : { text: outcome.before, revision: 0 };
  const { proposed } = outcome;
  const baseRevision = isStaleAnswer(facts) ? against : revision;
  return {
    ...facts,
    ...(isStaleAnswer(facts) && { against }),
    standing: { text, revision },
    proposed: proposed === undefined ? null : { text: proposed, revision: baseRevision },
  };
}

/** Checks whether the section has changed since the proposal was made. */
function isStaleAnswer({ refusals }: Pick<OutcomeAnswer, "refusals">): boolean {
  return refusals.some(({ guard }) => guard === "stale-revision");
}

/** HTTP answer to a refused proposal: an error with every reason and both texts, so that its author can choose. */
export function refusalAnswer(
  { section, refusals, against, standing, proposed, held, repeated }: OutcomeAnswer,
  todo = "Read the current text, merge both, and propose the result.",
): { readonly status: 409 | 422; readonly body: object } {
  const isOld = isStaleAnswer({ refusals });
  const reasons = refusals.length === 1 ? "one reason" : `${refusals.length} reasons`;
  const { code, message, hint } = isOld
    ? new Problem(
        "stale",
        `“${section}” has changed: it is at revision ${standing?.revision}, and the proposal was made against revision ${against}.`,
        todo,
      )
    : new Problem(
        "refused",
        `“${section}” was not changed: the proposal was refused for ${reasons}.`,
        "Change what `refusals` names, and propose it again.",
      );
  const error = { code, message, hint, refusals, standing, proposed, ...defined({ held, repeated }) };
  return { status: isOld ? 409 : 422, body: { error } };
}
