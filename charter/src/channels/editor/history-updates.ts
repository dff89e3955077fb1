import type { StepResult } from "../../prompt/step-result.ts";
import type { SessionTurn } from "../../store/turns/session.ts";
import { callView, withResult } from "./call-view.ts";
import type { SessionUpdate } from "./session-update.ts";

/** A session as it was, for an editor that loads it: what was said and done, without notices. */
export function historyUpdates(turns: readonly SessionTurn[], root?: string): SessionUpdate[] {
  return turns.flatMap((turn) => {
    const asked: SessionUpdate[] =
      turn.input === "" ? [] : [{ kind: "asked", message: `${turn.id}/asked`, text: turn.input }];
    const said = turn.steps.flatMap(({ step, result }) => stepUpdates(turn.id, step, result, root));
    const answered = said.some(({ kind }) => kind === "answer");
    const reply: SessionUpdate[] =
      answered || !turn.reply ? [] : [{ kind: "answer", message: `${turn.id}/reply`, text: turn.reply }];
    return [...asked, ...said, ...reply];
  });
}

function stepUpdates(turn: string, step: number, result: StepResult | null, root: string | undefined): SessionUpdate[] {
  const { answer, results = [] } = result ?? {};
  if (!answer) return [];
  const text: SessionUpdate[] =
    answer.text === "" ? [] : [{ kind: "answer", message: `${turn}/${step}`, text: answer.text }];
  const calls = answer.calls.flatMap((call): SessionUpdate[] => {
    const view = callView(turn, call, root);
    const came = results.find((one) => one.call === call.id);
    if (!came) return [{ kind: "call", call: view }];
    const { output, failed = false } = came;
    return [
      { kind: "call", call: view },
      { kind: "result", call: failed ? view : withResult(view, output), output, failed },
    ];
  });
  return [...text, ...calls];
}
