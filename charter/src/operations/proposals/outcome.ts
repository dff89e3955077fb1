import { outcomeFacts, type ReportableOutcome } from "../../amend/amend.ts";
import type { Scope } from "../../amend/amendment.ts";
import type { AgentSnapshot } from "../../host/snapshot.ts";
import { defined } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ValuesOf } from "../field.ts";
import type { outcomeFields } from "./proposal-fields.ts";

/** What became of a proposal, as every door answers it. */
export type OutcomeAnswer = ValuesOf<typeof outcomeFields>;

/**
 * What became of a proposal, and of a refused one the texts: the current one as it is now, which may be newer than what
 * was judged, and the proposed one. `against` is the revision that one was made against, where it is too old.
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
  const made = isStaleAnswer(facts) ? against : revision;
  return {
    ...facts,
    ...(isStaleAnswer(facts) && { against }),
    standing: { text, revision },
    proposed: proposed === undefined ? null : { text: proposed, revision: made },
  };
}

/** The words it was made against are not those that stand. */
function isStaleAnswer({ refusals }: Pick<OutcomeAnswer, "refusals">): boolean {
  return refusals.some(({ guard }) => guard === "stale-revision");
}

/** A refusal over HTTP: an error with every reason and both texts, so that whoever proposed it can choose. */
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
