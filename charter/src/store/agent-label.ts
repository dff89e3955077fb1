import { countCharacters, invisible } from "../prompt/character.ts";
import { Problem } from "../prompt/problem.ts";

/** One line that can be read: it stands in lists and headings. */
export function checkAgentLabel(label: unknown): void {
  if (label === undefined || label === null) return;
  const sound = typeof label === "string" && label.trim() === label && label !== "" && !invisible.test(label);
  if (sound && !/[\p{Cc}\u2028\u2029]/u.test(label) && countCharacters(label) <= 100) return;
  throw new Problem(
    "bad-label",
    `The label ${typeof label === "string" ? JSON.stringify(label.slice(0, 120)) : "given"} cannot be used.`,
    "Give one line of up to 100 characters, without invisible ones and without spaces at its ends.",
  );
}
