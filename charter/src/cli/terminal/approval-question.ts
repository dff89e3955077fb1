import { questionOf } from "../../agent/held-question.ts";
import type { ApproveAnswer, RunTurnOptions, WaitingCall } from "../../agent/turn-interface.ts";
import { wrapHanging } from "../../operations/print/wrap.ts";
import type { Lines } from "./lines.ts";
import type { Screen } from "./screen.ts";

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
