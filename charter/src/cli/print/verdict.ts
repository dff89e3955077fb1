import { inertSentence } from "../../amend/inert-line.ts";
import { unshownSentence } from "../../amend/unshown.ts";
import { outcomeFacts, type ReportableOutcome } from "../../amend/verdict.ts";
import { unified } from "../../prompt/diff.ts";
import { colours, painted } from "./colour.ts";
import { hintsHere } from "./command-name.ts";
import { publicationLines } from "./publication.ts";

export function verdictText(outcome: ReportableOutcome, section: string): string {
  const paint = colours(process.stdout);
  const { verdict, held } = outcome;
  const colour = { accepted: paint.green, unchanged: paint.dim, refused: paint.red, held: paint.yellow }[verdict];
  const stands =
    outcome.verdict === "unchanged"
      ? `: “${section}” says exactly this already (revision ${outcome.revision})`
      : outcome.verdict === "accepted" && outcome.amendment
        ? `: revision ${outcome.revision} of “${section}”`
        : "";
  const again = outcome.repeated ? " (made before, under the same key)" : "";
  const refusals = "refusals" in outcome ? outcome.refusals : [];
  const after = outcome.verdict === "refused" ? (outcome.proposed ?? outcome.before) : outcome.after;
  const lines = [
    `${colour(verdict)}${stands}${again}`,
    ...refusals.map(({ guard, because }) => `  ${guard}: ${because}`),
    ...changes(outcome.before, after, section),
    ...(outcome.verdict === "accepted" ? (outcome.inert ?? []).map(inertSentence) : []),
    ...(outcome.verdict === "accepted" && outcome.unshown ? [unshownSentence(outcome.unshown)] : []),
    ...(outcome.publication ? publicationLines(outcome.publication, section) : []),
    ...(verdict === "held" && held
      ? [hintsHere(`Waiting for approval: charter approve ${held}, or charter reject ${held}`)]
      : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** A change as lines to read: green came, red went. */
export function changes(before: string, after: string, section: string): string[] {
  return painted(unified(before, after, section).split("\n").slice(0, -1));
}

/** What is told besides a verdict: to scripts, and to people. */
export type ExtraOutput = { readonly facts: object; readonly lines: readonly string[] };

/** As JSON it is the contract other languages script against. */
export function printVerdict(
  outcome: ReportableOutcome,
  section: string,
  json: boolean | undefined,
  { facts, lines }: ExtraOutput = { facts: {}, lines: [] },
): number {
  if (json) process.stdout.write(`${JSON.stringify({ ...outcomeFacts(outcome, section), ...facts })}\n`);
  else process.stdout.write(verdictText(outcome, section) + lines.map((line) => `${line}\n`).join(""));
  if (outcome.publication && outcome.publication.state !== "published") return 1;
  return outcome.verdict === "accepted" || outcome.verdict === "unchanged" ? 0 : 1;
}
