import type { PlacedSection } from "../prompt/charter.ts";
import type { Actor } from "../prompt/mutability.ts";
import type { Operation } from "./operation.ts";
import type { Refusal } from "./refusal.ts";

/** One change, as a guard sees it. */
export type Change = {
  readonly placed: PlacedSection;
  readonly operation: Operation;
  readonly actor: Actor;
  readonly original: string;
  readonly before: string;
  readonly after: string;
  /** The section's revision now, and the one the proposal was made against. */
  readonly revision: number;
  readonly base: number | undefined;
  readonly turn: TurnFacts;
};

/** What a guard may know of the turn a proposal comes from. */
export type TurnFacts = {
  /** Foreign words are in its context. */
  readonly tainted: boolean;
  /** Amendments it made already. */
  readonly amendments: number;
  /** The state its agent's loop is in. */
  readonly state: string;
};

export const quietTurn: TurnFacts = { tainted: false, amendments: 0, state: "ExecutingActions" };

/** Looks at one change and objects, or stays silent. Pure, so a dry run and the real thing agree. */
export type Guard = (change: Change) => Refusal | undefined;

/** A reset brings back words the operator wrote: nothing about the words themselves can be objected to. */
export function bringsOwnWords({ operation }: Change): boolean {
  return operation.kind === "reset";
}
