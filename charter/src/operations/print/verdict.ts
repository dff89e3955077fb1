import { outcomeFacts, type ReportableOutcome, unshownSentence } from "../../amend/amend.ts";
import { inertSentence } from "../../amend/guards/text.ts";
import { unified } from "../../prompt/diff.ts";
import type { OutcomeAnswer } from "../proposals/outcome.ts";
import { colours, painted } from "./colour.ts";
import { hintsHere } from "./command-name.ts";
import { publicationLines } from "./publication.ts";

/** What became of a proposal. */
export function verdictLines(outcome: OutcomeAnswer): string[] {
  const paint = colours(process.stdout);
  const { section, verdict, revision, held, before, proposed, publication } = outcome;
  const colour = { accepted: paint.green, unchanged: paint.dim, refused: paint.red, held: paint.yellow }[verdict];
  const stands =
    verdict === "unchanged"
      ? `: “${section}” says exactly this already (revision ${revision})`
      : revision === undefined
        ? ""
        : `: revision ${revision} of “${section}”`;
  return [
    `${colour(verdict)}${stands}${outcome.repeated ? " (made before, under the same key)" : ""}`,
    ...outcome.refusals.map(({ guard, because }) => `  ${guard}: ${because}`),
    ...changes(before, verdict === "refused" ? (proposed?.text ?? before) : outcome.after, section),
    ...(outcome.inert ?? []).map(inertSentence),
    ...(outcome.unshown ? [unshownSentence(outcome.unshown)] : []),
    ...(publication ? publicationLines(publication, section) : []),
    ...(verdict === "held" && held
      ? [hintsHere(`Waiting for approval: charter approve ${held}, or charter reject ${held}`)]
      : []),
  ];
}

export function verdictText(outcome: ReportableOutcome, section: string): string {
  const text = outcome.verdict === "refused" ? outcome.proposed : undefined;
  const proposed = text === undefined ? null : { text, revision: 0 };
  return `${verdictLines({ section, ...outcomeFacts(outcome, section), proposed }).join("\n")}\n`;
}

/** A change as lines to read: green came, red went. */
export function changes(before: string, after: string, section: string): string[] {
  return painted(unified(before, after, section).split("\n").slice(0, -1));
}
