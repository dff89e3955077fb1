import { preview } from "../../../prompt/character.ts";
import { Problem, reasonOf } from "../../../prompt/problem.ts";

/** What a tool answers that is each user's own, in a turn that is nobody's. */
export const needsUserResult = {
  text: "There is no user in this turn whose it could be. Nothing was changed.",
  failed: true,
} as const;

/** A Problem in words the model can mend its call by. */
export function failedResult(error: unknown): { readonly text: string; readonly failed: true } {
  const hint = error instanceof Problem ? ` ${error.hint}` : "";
  return { text: `Nothing was changed: ${preview(reasonOf(error), 300)}${hint}`, failed: true };
}
