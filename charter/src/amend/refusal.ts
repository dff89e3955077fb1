/**
 * A guard's objection: its name and the reason. With `holds` the change waits for a person's approval and is not
 * refused.
 */
export type Refusal = {
  readonly guard: string;
  readonly because: string;
  readonly holds?: true;
  /** Where in the proposed text, if it is about a place in it. */
  readonly places?: readonly RefusedPlace[];
};

/** A stretch of the proposed text, in JavaScript string indices, and the line it begins on, from 1. */
export type RefusedPlace = { readonly at: number; readonly end: number; readonly line: number };
