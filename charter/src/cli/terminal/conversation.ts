import type { InputPart } from "../../agent/attachments.ts";
import type { AgentEvent, RunTurnOptions, TurnOutcome, Watcher } from "../../agent/turn-interface.ts";
import { plainLine } from "../../operations/print/plain-text.ts";
import { wrapText } from "../../operations/print/wrap.ts";
import { preview } from "../../prompt/character.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import { approvalQuestion } from "./approval-question.ts";
import { eventLines } from "./event-lines.ts";
import type { Lines } from "./lines.ts";
import type { Screen } from "./screen.ts";
import { findCommand, type SlashAnswer, type SlashCommand, slashWords } from "./slash-command.ts";

type ConverseOptions = {
  readonly lines: Lines;
  readonly screen: Screen;
  readonly commands: readonly SlashCommand[];
  /** Is said before the first line. */
  readonly opening?: readonly InputPart[] | undefined;
  readonly runTurn: (
    input: string | readonly InputPart[],
    watching: Pick<RunTurnOptions, "approve"> & { readonly signal: AbortSignal; readonly on: Watcher },
  ) => Promise<TurnOutcome>;
  /** Is told each turn's end instead of the screen: its outcome, or why it could not be taken. */
  readonly onTurnEnd?: (end: TurnOutcome | { readonly problem: ProblemFacts }) => void;
};

type ProblemFacts = Pick<Problem, "code" | "message" | "hint">;

/** Line by line until there are no more, or /quit. Whatever goes wrong is said, and the conversation goes on. */
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
  { lines, screen, runTurn: take, onTurnEnd: tell }: ConverseOptions,
  input: string | readonly InputPart[],
): Promise<boolean> {
  const stopping = new AbortController();
  lines.onInterrupt(() => stopping.abort());
  try {
    screen.status("…");
    const approve = approvalQuestion(lines, screen);
    const watching = { signal: stopping.signal, on: watcherOf(screen), ...(approve ? { approve } : {}) };
    const outcome = await take(input, watching);
    const { reply, problem } = outcome;
    // An extension took the input itself: nothing was asked, and nothing failed.
    const handled = problem?.code === "input-handled";
    if (reply === null || tell) screen.dropDraft();
    if (tell) tell(outcome);
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
    // Words before a call are not the answer: of them one line stays. Those of one who is still answering come again.
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
