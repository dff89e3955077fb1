import type { InputPart } from "../../agent/attachments.ts";
import { mineAnswer, questionOf } from "../../agent/held-question.ts";
import { askedOf, useText } from "../../agent/turn/permission.ts";
import {
  type AgentEvent,
  type ApproveAnswer,
  compactionText,
  type RunTurnOptions,
  type TurnOutcome,
  type WaitingCall,
  type Watcher,
} from "../../agent/turn-interface.ts";
import { outcomeFacts, unshownSentence } from "../../amend/amend.ts";
import { inertSentence } from "../../amend/guards/text.ts";
import type { OwnToolUse, ToolCall, ToolResult } from "../../delivery/model.ts";
import { plainLine, wrapHanging, wrapText } from "../../operations/print/plain-text.ts";
import { preview } from "../../prompt/character.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { AskQuestion, Lines } from "./lines.ts";
import type { Paint, Screen } from "./screen.ts";

type ConverseOptions = {
  readonly lines: Lines;
  readonly screen: Screen;
  readonly commands: readonly SlashCommand[];
  /** First input, before the first line. */
  readonly opening?: readonly InputPart[] | undefined;
  readonly runTurn: (
    input: string | readonly InputPart[],
    watching: Pick<RunTurnOptions, "approve"> & { readonly signal: AbortSignal; readonly on: Watcher },
  ) => Promise<TurnOutcome>;
  /** Called at each turn's end in place of the screen, with its outcome, or why it could not be taken. */
  readonly onTurnEnd?: (end: TurnOutcome | { readonly problem: ProblemFacts }) => void;
};

type ProblemFacts = Pick<Problem, "code" | "message" | "hint">;

/** Reads lines until there are no more, or /quit. Errors are shown, and the conversation goes on. */
export async function converse(conversation: ConverseOptions): Promise<{ readonly failed: number }> {
  const { lines, screen, commands, opening } = conversation;
  let next: string | readonly InputPart[] | undefined = opening;
  let failed = 0;
  try {
    for (;;) {
      const line: string | readonly InputPart[] | undefined = next ?? (await lines.next());
      next = undefined;
      if (line === undefined) break;
      if (typeof line === "string" && line.trim() === "") continue;
      const command: ReturnType<typeof slashWords> = typeof line === "string" ? slashWords(line) : undefined;
      try {
        if (!command) {
          if (!(await runOneTurn(conversation, line))) failed++;
          continue;
        }
        const answered: SlashAnswer = await findCommand(commands, command.name).run(command.words, lines.ask);
        if (answered === "leave") break;
        if ("input" in answered) next = answered.input;
        else screen.note(answered);
      } catch (error) {
        failed++;
        screen.dropDraft();
        screen.note(problemLines(problemOf(error), screen));
        if (!command) conversation.onTurnEnd?.({ problem: plainProblem(problemOf(error)) });
      }
    }
  } finally {
    lines.close();
  }
  return { failed };
}

async function runOneTurn(
  { lines, screen, runTurn, onTurnEnd }: ConverseOptions,
  input: string | readonly InputPart[],
): Promise<boolean> {
  const stopping = new AbortController();
  lines.onInterrupt(() => stopping.abort());
  try {
    screen.status("…");
    const approve = approvalQuestion(lines, screen);
    const watching = { signal: stopping.signal, on: watcherOf(screen), ...(approve ? { approve } : {}) };
    const outcome = await runTurn(input, watching);
    const { reply, problem } = outcome;
    // An extension handled the input itself: no model was asked, and nothing failed.
    const handled = problem?.code === "input-handled";
    if (reply === null || onTurnEnd) screen.dropDraft();
    if (onTurnEnd) onTurnEnd(outcome);
    else if (reply !== null) screen.answer(reply);
    if (problem?.code === "model-aborted" && stopping.signal.aborted)
      screen.note([
        screen.paint.yellow(outcome.steps > 0 ? "  Stopped. What you wrote stays in the conversation." : "  Stopped."),
      ]);
    else if (handled) screen.note([screen.paint.dim(`  ${plainLine(problem.message)}`)]);
    else if (problem) screen.note(problemLines(problem, screen));
    return reply !== null || handled;
  } finally {
    lines.onInterrupt(undefined);
  }
}

function watcherOf(screen: Screen): Watcher {
  return (event: AgentEvent) => {
    if (event.kind === "draft") {
      screen.draft(event.text);
      return;
    }
    if (event.kind === "draft-dropped") screen.dropDraft();
    // Text before a call is not the answer: one line of it stays. An agent that is still answering repeats it later.
    if (event.kind === "tool-call") {
      const words = plainLine(screen.dropDraft());
      if (words !== "" && !event.answering)
        screen.note([screen.paint.dim(`  ${preview(words, Math.min(200, screen.width - 3))}`)]);
    }
    screen.note(eventLines(event, screen));
    if (event.kind === "step-start" || event.kind === "tool-call" || event.kind === "retry") screen.status("…");
  };
}

function problemLines({ code, message, hint }: ProblemFacts, { paint, width }: Screen): string[] {
  const [first = "", ...others] = wrapText(`${code}: ${plainLine(message)}`, width);
  return [paint.red(code) + first.slice(code.length), ...others, ...wrapText(plainLine(hint), width, "  ")];
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem("internal", reasonOf(error), "This is a bug in Charter, not in your input; please report it.");
}

function plainProblem({ code, message, hint }: Problem) {
  return { code, message, hint };
}

/** Makes the function that asks the person at the terminal about a call; undefined if there is nobody. */
export function approvalQuestion({ ask }: Lines, screen: Screen): RunTurnOptions["approve"] {
  if (!ask) return undefined;
  return async (held, signal) => {
    screen.dropDraft();
    screen.note(questionLines(held, screen));
    for (;;) {
      const typed = await ask(keysText(held), signal);
      if (typed === undefined) return undefined;
      const answer = approveAnswer(typed, held);
      if (answer !== undefined) return answer;
    }
  };
}

/** Parses a typed answer; undefined if it is none, and the question is asked again. */
export function approveAnswer(
  said: string,
  { mayAllow, ofPicture }: Pick<WaitingCall, "mayAllow" | "ofPicture">,
): ApproveAnswer {
  const word = said.trim().toLowerCase();
  if (word === "y" || word === "yes") return true;
  if (word === "n" || word === "no") return false;
  if (ofPicture && (word === "m" || word === mineAnswer.word)) return "mine";
  return mayAllow && (word === "a" || word === "allow") ? "session" : undefined;
}

function keysText({ tool, mayAllow, ofPicture }: Pick<WaitingCall, "tool" | "mayAllow" | "ofPicture">): string {
  const mine = ofPicture ? `, [m]ine: ${mineAnswer.says.toLowerCase()}` : "";
  return `  [y]es, once${mayAllow ? `, [a]llow ${tool} in this session` : ""}${mine}, or [n]o: `;
}

function questionLines(held: WaitingCall, { paint, width }: Screen): string[] {
  const { sentence, details } = questionOf(held);
  return [...wrapHanging(`${paint.yellow("? asked")}: ${sentence}`, width), ...details.map((line) => `    ${line}`)];
}

/** Result of a command: lines, the end, or an input for the agent. */
type SlashAnswer = readonly string[] | "leave" | { readonly input: readonly InputPart[] };

/**
 * A command typed in a conversation. It gets the words after its name, and a way to ask the person if there is one; it returns
 * lines, or an input for the agent.
 */
export type SlashCommand = {
  readonly name: string;
  /** Arguments, as the help shows them. */
  readonly usage?: string;
  readonly summary: string;
  readonly run: (words: string, ask?: AskQuestion) => Promise<SlashAnswer>;
};

/** Parses a command; undefined if the line is none, such as a path (“/etc/hosts”). */
function slashWords(line: string): { readonly name: string; readonly words: string } | undefined {
  const [, name, words = ""] = /^\/([A-Za-z]+)(?:\s+([\s\S]*))?$/.exec(line.trim()) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), words: words.trim() };
}

function findCommand(commands: readonly SlashCommand[], name: string): SlashCommand {
  const command = commands.find((one) => one.name === name);
  if (command) return command;
  throw new Problem(
    "usage",
    `There is no command /${name} here.`,
    `There are ${commands.map((one) => `/${one.name}`).join(", ")}. To say it to the agent, put a word before it.`,
  );
}

export function helpLines(commands: readonly SlashCommand[]): string[] {
  const calls = commands.map(({ name, usage }) => `/${name}${usage ? ` ${usage}` : ""}`);
  const width = Math.max(...calls.map((call) => call.length));
  return commands.map(({ summary }, index) => `  ${(calls[index] as string).padEnd(width)}  ${summary}`);
}

/** Lines about an event besides the answer itself; none for events that need no comment. */
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

/** Shortens a text to one line of a terminal; a pipe's lines may be longer, but not endless. */
function clipLine(text: string, { width }: Screen): string {
  return `  ${preview(text, Math.max(20, Math.min(200, width - 3)))}`;
}

/** Line about an agent's own tool, when it begins and when it fails; its success shows in the answer. */
function ownToolText(use: OwnToolUse): string[] {
  if (use.status === "failed") return [`← its own tool failed, to ${plainLine(useText(use))}`];
  return use.status === "pending" ? [`→ its own tool, to ${plainLine(useText(use))}`] : [];
}

/** Line about a held call. A permission an agent asks for is described, with what it would be used for. */
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

/** Result of an amendment for people, taken from the JSON that the model reads. */
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

/** Maximum number of changed lines that are shown; the history has all. */
const maxLines = 12;

/** Lines about a proposal: its verdict in green, red or yellow, with all reasons, the change and its cost. */
function proposalLines({ section, outcome }: Pick<ProposedEvent, "section" | "outcome">, screen: Screen): string[] {
  const { paint } = screen;
  const { diff, refusals, held } = outcomeFacts(outcome, section);
  const wrapped = (words: string) => wrapText(plainLine(words), screen.width, "    ");
  const reasons = refusals.flatMap(({ guard, because }) => wrapped(`${guard}: ${because}`));
  const quote = outcome.quote ? wrapped(outcome.quote.says).map(paint.dim) : [];
  switch (outcome.verdict) {
    case "accepted":
      return [
        `  ${paint.green("✓ amended")} “${section}”, revision ${outcome.revision}`,
        ...changeLines(diff, paint),
        ...(outcome.inert ?? []).flatMap((line) => wrapped(inertSentence(line)).map(paint.dim)),
        ...(outcome.unshown ? wrapped(unshownSentence(outcome.unshown)).map(paint.yellow) : []),
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

/** Lines of a diff that were added or removed. */
function changeLines(diff: string, paint: Paint): string[] {
  const changed = diff
    .split("\n")
    .slice(2)
    .filter((line) => /^[+-]/.test(line))
    .map((line) => `    ${line.startsWith("+") ? paint.green(plainLine(line)) : paint.red(plainLine(line))}`);
  const more = changed.length - maxLines;
  return more > 1 ? [...changed.slice(0, maxLines), `    ${paint.dim(`… ${more} more changed lines`)}`] : changed;
}
