import type { Rules } from "../../amend/amend.ts";
import type { Amendment, Scope } from "../../amend/amendment.ts";
import type { TurnFacts } from "../../amend/guard.ts";
import type { PublicationOutcome } from "../../amend/publication.ts";
import type { Verdict } from "../../amend/verdict.ts";
import type { Charter } from "../../prompt/charter.ts";
import type { Standing } from "../../prompt/source.ts";
import type { SecondOpinion } from "./adviser.ts";
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
