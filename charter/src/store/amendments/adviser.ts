import type { Scope } from "../../amend/amendment.ts";
import type { Opinion, OpinionRequest } from "../../amend/second-opinion.ts";
import type { Expense } from "../turns/spending.ts";

/** A model that is asked about a change, and what that cost. It is asked outside any transaction. */
export type Adviser = {
  readonly model: string;
  readonly ask: (about: OpinionRequest, scope: Scope) => Promise<AdviserResult>;
};

export type AdviserResult = { readonly opinion: Opinion; readonly spent?: Expense };

/** Who is asked, given the model the agent's settings name; nobody, where there is no opinion to be had. */
export type SecondOpinion = (setting: string | undefined) => Adviser | undefined;
