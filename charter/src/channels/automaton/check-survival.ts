import type { Automaton } from "../../store/automata/automaton.ts";
import type { Life } from "./life.ts";

/** How an agent stands, and what of it is to be recorded. */
export type SurvivalCheck = {
  /** The tier in which no turns are taken, if it is in such a one. */
  readonly rest?: string;
  /** No turns of its own, and none for what a person approved. */
  readonly isLow: boolean;
  readonly set?: { readonly tier: string; readonly goodChecks: number };
};

export async function checkSurvival(_life: Life, _row: Automaton): Promise<SurvivalCheck> {
  return { isLow: false };
}
