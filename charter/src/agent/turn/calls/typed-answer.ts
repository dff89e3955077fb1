import { stepMessages } from "../../../delivery/history.ts";
import { withoutAnyMark } from "../../../delivery/mark.ts";
import type { Answer } from "../../../delivery/model.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { AgentDeps } from "../agent-deps.ts";
import type { TurnEnding } from "../end-turn.ts";
import { saveStepResult } from "../record.ts";
import type { StepResult } from "../step-result.ts";
import type { TurnState } from "../turn-state.ts";

/**
 * The end of a turn whose model has answered. One that asks for a typed answer reads it first: where it is not what it
 * has to be, the model is told once what is wrong, on record, and asked again (`undefined`).
 */
export async function answerEnding(
  deps: AgentDeps,
  running: TurnState,
  { answer, result, last }: { readonly answer: Answer; readonly result: StepResult; readonly last: boolean },
): Promise<TurnEnding | undefined> {
  const { output } = running.who;
  if (!output) return { answer, result };
  const read = await output.read(answer.text);
  if (!read.wrong) return { answer, result, output: read.value };
  if (last || running.progress.corrected) return { answer, result, misfit: misfitProblem(read.wrong) };
  await correct(deps, running, result, read.wrong);
  return undefined;
}

async function correct(deps: AgentDeps, running: TurnState, result: StepResult, wrong: readonly string[]) {
  const schema = JSON.stringify(running.who.output?.request.schema);
  const correction = withoutAnyMark(
    `[Your answer is not what it has to be]\n${wrong.map((one) => `- ${one}`).join("\n")}\nAnswer again, in JSON alone, with no word before or after it, so that it fits this JSON Schema:\n${schema}`,
  );
  const told = { ...result, correction };
  await saveStepResult(deps, running, told);
  running.who.emit({ kind: "draft-dropped", reason: `The answer is not what it has to be (${wrong[0]}).` });
  const { progress } = running;
  progress.corrected = true;
  progress.messages = [...progress.messages, ...stepMessages(told)];
  progress.ownSteps = [...progress.ownSteps, progress.step];
}

function misfitProblem(wrong: readonly string[]): Problem {
  return new Problem(
    "bad-output",
    `The answer is not what \`output\` says: ${wrong.join("; ")}.`,
    "The reply has the model's own words. Ask again, make the schema simpler, or choose another model.",
  );
}
