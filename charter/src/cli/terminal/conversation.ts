import type { InputPart } from "../../agent/attachments.ts";
import { questionOf } from "../../agent/held-question.ts";
import type {
  AgentEvent,
  ApproveAnswer,
  RunTurnOptions,
  TurnOutcome,
  WaitingCall,
  Watcher,
} from "../../agent/turn-interface.ts";
import { plainLine, wrapHanging, wrapText } from "../../operations/print/plain-text.ts";
import { preview } from "../../prompt/character.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import { eventLines } from "./event-lines.ts";
import type { AskQuestion, Lines } from "./lines.ts";
import type { Screen } from "./screen.ts";

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

/** Asks whoever sits at the terminal about a call, in place; nothing where nobody does. */
export function approvalQuestion({ ask }: Lines, screen: Screen): RunTurnOptions["approve"] {
  if (!ask) return undefined;
  return async (held, signal) => {
    screen.dropDraft();
    screen.note(questionLines(held, screen));
    for (;;) {
      const said = await ask(keysText(held), signal);
      if (said === undefined) return undefined;
      const answer = approveAnswer(said, held);
      if (answer !== undefined) return answer;
    }
  };
}

/** What was typed, as an answer; nothing where it is none, and the question stands. */
export function approveAnswer(said: string, { mayAllow }: Pick<WaitingCall, "mayAllow">): ApproveAnswer {
  const word = said.trim().toLowerCase();
  if (word === "y" || word === "yes") return true;
  if (word === "n" || word === "no") return false;
  return mayAllow && (word === "a" || word === "allow") ? "session" : undefined;
}

function keysText({ tool, mayAllow }: Pick<WaitingCall, "tool" | "mayAllow">): string {
  return `  [y]es, once${mayAllow ? `, [a]llow ${tool} in this session` : ""}, or [n]o: `;
}

function questionLines(held: WaitingCall, { paint, width }: Screen): string[] {
  const { sentence, details } = questionOf(held);
  return [...wrapHanging(`${paint.yellow("? asked")}: ${sentence}`, width), ...details.map((line) => `    ${line}`)];
}

/** Lines, the end, or what is said to the agent. */
type SlashAnswer = readonly string[] | "leave" | { readonly input: readonly InputPart[] };

/**
 * A command typed in a conversation. It is given the words after its name, and where somebody sits there a way to ask
 * them, and gives the lines that answer it, or an input that is said to the agent.
 */
export type SlashCommand = {
  readonly name: string;
  /** What may follow the name, as the help shows it. */
  readonly usage?: string;
  readonly summary: string;
  readonly run: (words: string, ask?: AskQuestion) => Promise<SlashAnswer>;
};

/** Is this line a command? A path (“/etc/hosts”) is none. */
function slashWords(line: string): { readonly name: string; readonly words: string } | undefined {
  const [, name, words = ""] = /^\/([A-Za-z]+)(?:\s+([\s\S]*))?$/.exec(line.trim()) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), words: words.trim() };
}

function findCommand(commands: readonly SlashCommand[], name: string): SlashCommand {
  const found = commands.find((one) => one.name === name);
  if (found) return found;
  throw new Problem(
    "usage",
    `There is no command /${name} here.`,
    `There are ${commands.map((one) => `/${one.name}`).join(", ")}. To say it to the agent, put a word before it.`,
  );
}

export function helpLines(commands: readonly SlashCommand[]): string[] {
  const calls = commands.map(({ name, usage: takes }) => `/${name}${takes ? ` ${takes}` : ""}`);
  const width = Math.max(...calls.map((call) => call.length));
  return commands.map(({ summary }, index) => `  ${(calls[index] as string).padEnd(width)}  ${summary}`);
}
