import type { Scope } from "../../amend/amendment.ts";
import type { Opinion, OpinionRequest } from "../../amend/second-opinion.ts";
import type { Expense } from "../turns/spending.ts";

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
