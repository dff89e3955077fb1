import type { Verdict } from "../amend/verdict.ts";
import { unified } from "../prompt/diff.ts";
import { colours } from "./colour.ts";

/** A verdict, and what a store made of it: nothing, when it was a dry run. */
export type Outcome = Verdict & {
  readonly amendment?: object;
  readonly held?: string;
  readonly repeated?: true;
};

/** The contract other languages script against. Refused means nothing changed: `after` is what stands then. */
export function verdictJson(outcome: Outcome, section: string) {
  const { before } = outcome;
  const after = outcome.verdict === "refused" ? before : outcome.after;
  const refusals =
    outcome.verdict === "accepted" ? [] : outcome.refusals.map(({ guard, because }) => ({ guard, because }));
  return {
    verdict: outcome.verdict,
    refusals,
    before,
    after,
    diff: unified(before, after, section),
    ...(outcome.verdict === "accepted" && outcome.amendment ? { revision: outcome.revision } : {}),
    ...(outcome.held === undefined ? {} : { held: outcome.held }),
    ...(outcome.repeated ? { repeated: true } : {}),
  };
}

export function report(outcome: Outcome, section: string): string {
  const paint = colours(process.stdout);
  const { verdict, held } = outcome;
  const colour = { accepted: paint.green, refused: paint.red, held: paint.yellow }[verdict];
  const stands =
    outcome.verdict === "accepted" && outcome.amendment ? `: revision ${outcome.revision} of “${section}”` : "";
  const again = outcome.repeated ? " (settled before, under the same key)" : "";
  const refusals = outcome.verdict === "accepted" ? [] : outcome.refusals;
  const after = outcome.verdict === "refused" ? (outcome.proposed ?? outcome.before) : outcome.after;
  const lines = [
    `${colour(verdict)}${stands}${again}`,
    ...refusals.map(({ guard, because }) => `  ${guard}: ${because}`),
    ...changes(outcome.before, after, section),
    ...(verdict === "held" && held ? [`A person decides: charter approve ${held}, or charter reject ${held}`] : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** A change as lines to read: green came, red went. */
export function changes(before: string, after: string, section: string): string[] {
  const paint = colours(process.stdout);
  return unified(before, after, section)
    .split("\n")
    .slice(0, -1)
    .map((line) => (line.startsWith("+") ? paint.green(line) : line.startsWith("-") ? paint.red(line) : line));
}

export function printVerdict(outcome: Outcome, section: string, json: boolean | undefined): number {
  process.stdout.write(json ? `${JSON.stringify(verdictJson(outcome, section))}\n` : report(outcome, section));
  return outcome.verdict === "accepted" ? 0 : 1;
}
