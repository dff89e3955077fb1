import type { SessionPage } from "../../../billing/listed-turn.ts";
import { count, plural } from "../../../kit/words.ts";

/** How many sessions there are: those of one turn only are counted as well, and it is said that they are not listed. */
export function sessionWords({ total, single }: Pick<SessionPage, "total" | "single">, isNarrow: boolean): string {
  const all = total + single;
  const found = `${plural(all, "session")}${isNarrow ? (all === 1 ? " matches" : " match") : ""}`;
  return single === 0 ? found : `${found}. ${singleWords(single)}`;
}

function singleWords(single: number): string {
  const not = single === 1 ? "has one turn only and is not listed here" : "have one turn only and are not listed here";
  return `${count(single)} of them ${not}; see Turns.`;
}
