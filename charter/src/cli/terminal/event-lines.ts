import { askedOf, useText } from "../../agent/turn/permission.ts";
import { type AgentEvent, compactionText } from "../../agent/turn-interface.ts";
import { outcomeFacts, unshownSentence } from "../../amend/amend.ts";
import { inertSentence } from "../../amend/guards/text.ts";
import type { OwnToolUse, ToolCall, ToolResult } from "../../delivery/model.ts";
import { plainLine, wrapHanging, wrapText } from "../../operations/print/plain-text.ts";
import { preview } from "../../prompt/character.ts";
import type { Paint, Screen } from "./screen.ts";

/** What a watcher at a terminal is told of an event, besides the answer itself; nothing of those that need no word. */
export function eventLines(event: AgentEvent, screen: Screen): string[] {
  const { paint } = screen;
  const dim = (text: string) => [paint.dim(clipLine(text, screen))];
  const warning = (what: string, words: string) =>
    wrapHanging(`${paint.yellow(`! ${what}`)}: ${plainLine(words)}`, screen.width);
  switch (event.kind) {
    case "tool-call":
      return dim(callText(event.call));
    case "tool-result":
      return dim(resultText(event.result));
    case "proposed":
      return proposalLines(event, screen);
    case "tool-held":
      return [`  ${paint.yellow("‖ held")}: ${heldText(event.call)}`, `    ${decideHint(event.held, screen)}`];
    case "own-tool":
      return ownToolText(event.use).flatMap(dim);
    case "permission":
      return event.answer === "deny" && event.held === undefined
        ? dim(`× not allowed: ${plainLine(useText(event.asked))}`)
        : [];
    case "tainted":
      return warning("untrusted text", `${event.reason} Changes from now on need approval.`);
    case "retry":
      return wrapHanging(retryText(event), screen.width).map(paint.dim);
    case "step-start":
      return prefixChangeText(event.prefixChange).flatMap(dim);
    case "compacted":
      return dim(`≡ ${compactionText(event)}`);
    case "hook-failed":
      return warning(`hook ${event.hook}, ${event.moment}`, event.reason);
    case "notice":
      return warning(event.notice.code, event.notice.message);
    default:
      return [];
  }
}

/** One line of a terminal; in a pipe it may be longer, but has an end. */
function clipLine(text: string, { width }: Screen): string {
  return `  ${preview(text, Math.max(20, Math.min(200, width - 3)))}`;
}

/** Told when it begins and when it fails: that it went well, the answer shows. */
function ownToolText(use: OwnToolUse): string[] {
  if (use.status === "failed") return [`← its own tool failed, to ${plainLine(useText(use))}`];
  return use.status === "pending" ? [`→ its own tool, to ${plainLine(useText(use))}`] : [];
}

/** A permission that an agent asks for is told in words, with what it would be used for. */
function heldText({ name, input }: ToolCall): string {
  const asks = askedOf({ tool: name, input: jsonIn(input) });
  if (asks === undefined) return `${name} is not run until it is approved`;
  return `the agent ${plainLine(asks)}. It was told no; approved, the same is allowed once, in the next turn`;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function callText({ name, input }: ToolCall): string {
  return `→ ${name} ${plainLine(input)}`;
}

function resultText({ name, output, failed }: ToolResult): string {
  if (failed) return `← ${name} failed: ${plainLine(saidIn(output) ?? output).replace(/^It failed: /, "")}`;
  return `← ${name}: ${plainLine(saidIn(output) ?? output)}`;
}

/** What an amendment came to is told apart from the JSON the model reads of it. */
function saidIn(output: string): string | undefined {
  if (!output.startsWith("{")) return undefined;
  try {
    const { says, because } = JSON.parse(output) as Record<string, unknown>;
    return [says, because].find((one) => typeof one === "string");
  } catch {
    return undefined;
  }
}

function prefixChangeText(became: Extract<AgentEvent, { kind: "step-start" }>["prefixChange"]): string[] {
  if (became.how === "updated") return [`~ sent as an update: ${became.sections.join(", ")}`];
  if (became.how !== "folded" || became.sections.length === 0) return [];
  return [`~ the prompt is rebuilt with ${became.sections.join(", ")}: ${became.reason}`];
}

function retryText({ fault, attempt, waitMs }: Extract<AgentEvent, { kind: "retry" }>): string {
  const again = `↻ asked again in ${secondsText(waitMs)} (attempt ${attempt + 1})`;
  return `${again}: ${preview(plainLine(fault.message), 200)}`;
}

function secondsText(milliseconds: number): string {
  return `${milliseconds < 1000 ? (milliseconds / 1000).toFixed(1) : Math.round(milliseconds / 1000)} s`;
}

type ProposedEvent = Extract<AgentEvent, { kind: "proposed" }>;

/** So many lines of a change are shown; the history has all of it. */
const maxLines = 12;

/** What became of a wish to change the prompt: green, red or yellow, with every reason, what changes and what it costs. */
function proposalLines({ section, outcome }: Pick<ProposedEvent, "section" | "outcome">, screen: Screen): string[] {
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

function decideHint(held: string, { live }: Pick<Screen, "live">): string {
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
