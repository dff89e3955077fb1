import type { AgentEvent } from "../../agent/agent-event.ts";
import { inertSentence } from "../../amend/inert-line.ts";
import { outcomeFacts } from "../../amend/verdict.ts";
import { plainLine } from "./plain.ts";
import type { Paint, Screen } from "./screen.ts";
import { wrapped } from "./wrap.ts";

type Proposed = Extract<AgentEvent, { kind: "proposed" }>;

/** So many lines of a change are shown; the history has all of it. */
const mostLines = 12;

/** What became of a wish to change the prompt: green, red or yellow, with every reason, what changes and what it costs. */
export function proposalLines({ section, settled }: Pick<Proposed, "section" | "settled">, screen: Screen): string[] {
  const { paint } = screen;
  const { diff, refusals, held } = outcomeFacts(settled, section);
  const told = (words: string) => wrapped(plainLine(words), screen.width, "    ");
  const reasons = refusals.flatMap(({ guard, because }) => told(`${guard}: ${because}`));
  const quote = settled.quote ? told(settled.quote.says).map(paint.dim) : [];
  switch (settled.verdict) {
    case "accepted":
      return [
        `  ${paint.green("✓ amended")} “${section}”, revision ${settled.revision}`,
        ...changeLines(diff, paint),
        ...(settled.inert ?? []).flatMap((line) => told(inertSentence(line)).map(paint.dim)),
        ...quote,
      ];
    case "unchanged":
      return [`  ${paint.dim("= unchanged")}: “${section}” says exactly this already`];
    case "refused":
      return [`  ${paint.red("✗ refused")}: “${section}” stays as it is`, ...reasons];
    case "held":
      return [
        `  ${paint.yellow("‖ held")}: “${section}” stays as it is until a person says yes`,
        ...reasons,
        ...changeLines(diff, paint),
        ...(held === undefined ? [] : [`    ${decide(held, screen)}`]),
      ];
  }
}

export function decide(held: string, { live }: Pick<Screen, "live">): string {
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
  const more = changed.length - mostLines;
  return more > 1 ? [...changed.slice(0, mostLines), `    ${paint.dim(`… ${more} more changed lines`)}`] : changed;
}
