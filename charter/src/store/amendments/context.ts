import type { Rules } from "../../amend/amend.ts";
import type { Amendment, Scope } from "../../amend/amendment.ts";
import type { TurnFacts } from "../../amend/guard.ts";
import type { PublicationOutcome } from "../../amend/publication.ts";
import type { Opinion, OpinionRequest } from "../../amend/second-opinion.ts";
import type { ReportableOutcome, Verdict } from "../../amend/verdict.ts";
import type { Charter } from "../../prompt/charter.ts";
import type { Standing } from "../../prompt/source.ts";
import type { Expense } from "../turns/spending.ts";
import type { StandingFault } from "./standing.ts";

/**
 * What `store.propose` judges a proposal by: the charter, whose copy is meant, and the rules of each section, given the
 * current text of all sections.
 */
export type AmendmentContext = {
  readonly charter: Charter;
  readonly scope: Scope;
  readonly rules: (section: string, standing: Readonly<Record<string, Standing>>) => Rules;
  readonly fault?: StandingFault;
  readonly turn?: TurnFacts;
  /** A proposal that is sent again with the same key is not made again. */
  readonly idempotencyKey?: string;
  /** The change was made where the section is also kept: it is recorded, and no model is asked about it. */
  readonly madeElsewhere?: true;
  /** Has a model judge what the guards accept from agents and users. */
  readonly secondOpinion?: SecondOpinion;
};

/** The result of `store.propose`: the verdict, and what was stored. */
export type ProposalOutcome = Verdict & {
  readonly amendment?: Amendment;
  /** The id to approve or reject it by, if it waits for a person. */
  readonly held?: string;
  /** It had been decided before, with the same key. */
  readonly repeated?: true;
  /** Where the section is also kept elsewhere: what became of it there. */
  readonly publication?: PublicationOutcome;
};

type RefusedOutcome = Extract<ReportableOutcome, { verdict: "refused" }>;

/** It was refused because the words it was made against are not those that stand: approving it again cannot help. */
export function isStale(outcome: ReportableOutcome): outcome is RefusedOutcome {
  return outcome.verdict === "refused" && outcome.refusals.some(({ guard }) => guard === "stale-revision");
}

/** A model that is asked to judge a change. It is asked outside of any transaction. */
export type Adviser = {
  readonly model: string;
  readonly ask: (about: OpinionRequest, scope: Scope) => Promise<AdviserResult>;
};

/** A judgement, and what it cost. */
export type AdviserResult = { readonly opinion: Opinion; readonly spent?: Expense };

/**
 * Chooses who judges a change, given the model named in the agent's settings; `undefined` if nobody does.
 * `createSecondOpinion` in `charter/agent` makes one.
 */
export type SecondOpinion = (setting: string | undefined) => Adviser | undefined;
