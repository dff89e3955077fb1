import { preview } from "../../prompt/character.ts";
import { quoted } from "../../prompt/fence.ts";

/** Says to whoever is asked about a call what its id stands for, by its words, on one line. */
export function meantSentence(kind: "note" | "reminder", words: string): string {
  const shown = quoted(preview(words, 300));
  return `That is the ${kind} ${shown}${/[.!?]"$/.test(shown) ? "" : "."}`;
}
