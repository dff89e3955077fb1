import type { AgentEvent } from "../../agent/turn-interface.ts";
import { outcomeFacts, unshownSentence } from "../../amend/amend.ts";
import { inertSentence } from "../../amend/guards/text.ts";
import { plainLine } from "../../operations/print/plain-text.ts";
import { wrapText } from "../../operations/print/wrap.ts";
import type { Paint, Screen } from "./screen.ts";

type ProposedEvent = Extract<AgentEvent, { kind: "proposed" }>;

/** So many lines of a change are shown; the history has all of it. */
const maxLines = 12;

/** What became of a wish to change the prompt: green, red or yellow, with every reason, what changes and what it costs. */
export function proposalLines(
  { section, outcome }: Pick<ProposedEvent, "section" | "outcome">,
  screen: Screen,
): string[] {
  const { paint } = screen;
  const { diff, refusals, held } = outcomeFacts(outcome, section);
  const told = (words: string) => wrapText(plainLine(words), screen.width, "    ");
  const reasons = refusals.flatMap(({ guard, because }) => told(`${guard}: ${because}`));
  const quote = outcome.quote ? told(outcome.quote.says).map(paint.dim) : [];
  switch (outcome.verdict) {
    case "accepted":
      return [
        `  ${paint.green("✓ amended")} “${section}”, revision ${outcome.revision}`,
        ...changeLines(diff, paint),
        ...(outcome.inert ?? []).flatMap((line) => told(inertSentence(line)).map(paint.dim)),
        ...(outcome.unshown ? told(unshownSentence(outcome.unshown)).map(paint.yellow) : []),
        ...quote,
      ];
    case "unchanged":
      return [`  ${paint.dim("= unchanged")}: “${section}” says exactly this already`];
    case "refused":
      return [`  ${paint.red("✗ refused")}: “${section}” stays as it is`, ...reasons];
    case "held":
      return [
        `  ${paint.yellow("‖ held")}: “${section}” is unchanged until it is approved`,
        ...reasons,
        ...changeLines(diff, paint),
        ...(held === undefined ? [] : [`    ${decideHint(held, screen)}`]),
      ];
  }
}

export function decideHint(held: string, { live }: Pick<Screen, "live">): string {
  const command = live ? "/" : "charter ";
  return `Decide with ${command}approve ${held}, or ${command}reject ${held}`;
}

/** The changed lines only: what came, what went. */
function changeLines(diff: string, paint: Paint): string[] {
  const changed = diff
    .split("\n")
    .slice(2)
    .filter((line) => /^[+-]/.test(line))
    .map((line) => `    ${line.startsWith("+") ? paint.green(plainLine(line)) : paint.red(plainLine(line))}`);
  const more = changed.length - maxLines;
  return more > 1 ? [...changed.slice(0, maxLines), `    ${paint.dim(`… ${more} more changed lines`)}`] : changed;
}
