import type { Rules } from "../../amend/amend.ts";
import type { Amendment, Scope } from "../../amend/amendment.ts";
import type { TurnFacts } from "../../amend/guard.ts";
import type { Verdict } from "../../amend/verdict.ts";
import type { Charter } from "../../prompt/charter.ts";
import type { Standing } from "../../prompt/source.ts";
import type { SecondOpinion } from "./adviser.ts";
import type { StandingFault } from "./standing.ts";

/** What a proposal is judged by. `rules` sees the standing words of the moment, inside the transaction. */
export type AmendmentContext = {
  readonly charter: Charter;
  readonly scope: Scope;
  readonly rules: (section: string, standing: Readonly<Record<string, Standing>>) => Rules;
  readonly fault?: StandingFault;
  readonly turn?: TurnFacts;
  /** The same key, the same amendment: a proposal that is sent again is not made again. */
  readonly idempotencyKey?: string;
  /** Asks a model about what the guards accept from agents and users, where one is wanted. */
  readonly secondOpinion?: SecondOpinion;
};

/** A verdict, and what the store made of it. */
export type ProposalOutcome = Verdict & {
  readonly amendment?: Amendment;
  /** The id to approve or reject it by. */
  readonly held?: string;
  /** It had been settled before, under the same key. */
  readonly repeated?: true;
};
