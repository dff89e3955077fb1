import { stepMessages } from "../../../delivery/history.ts";
import type { Answer, ToolCall, ToolResult } from "../../../delivery/model.ts";
import type { AgentDeps } from "../agent-deps.ts";
import { saveStepResult } from "../record.ts";
import type { KeptResult, StepResult } from "../step-result.ts";
import type { TurnState } from "../turn-state.ts";
import { shortenResult } from "../window/room.ts";
import { callLimitRefusal } from "./call.ts";

/** The calls of one step, on record: each before it runs, and what it came to after. */
export type StepActs = {
  readonly calls: readonly ToolCall[];
  /** A call is to be run now. Says why it is not, where it is not. */
  readonly begin: (call: ToolCall) => string | undefined;
  /** What a call came to, as the model is shown it. It is on record with the next `save`. */
  readonly keep: (result: ToolResult) => ToolResult;
  /** As `keep`, of a call that is not run: no word of it is left out, however little room there is. */
  readonly refuse: (call: ToolCall, not: string) => ToolResult;
  readonly save: () => Promise<void>;
  /** Calls without a result. */
  readonly open: () => readonly ToolCall[];
  /** All of it is said: the next request has it. */
  readonly take: () => void;
};

/**
 * The calls of an answer; or, while it is still coming, those that were made so far. Results may come in any order, and
 * are kept in that of the calls.
 */
export function createActs(
  deps: AgentDeps,
  running: TurnState,
  answer: Pick<Answer, "text" | "calls" | "native"> | undefined,
  draft: () => string = () => "",
): StepActs {
  const { who, progress } = running;
  const calls: ToolCall[] = [...(answer?.calls ?? [])];
  const results: (KeptResult | undefined)[] = calls.map(() => undefined);
  const seen = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  const said = () => answer ?? { text: draft(), calls: [...calls] };
  const kept = () => results.filter((one) => one !== undefined);
  progress.resultTokens = 0;
  const put = (result: KeptResult, index: number): ToolResult => {
    results[index] = result;
    const { whole: _, ...shown } = result;
    return shown;
  };
  /** Where the result of the next call with this id belongs. */
  const placeOf = (id: string) => calls.findIndex((one, index) => one.id === id && results[index] === undefined);
  return {
    calls,
    begin: (call) => {
      if (!answer) calls.push(call);
      progress.callCount += 1;
      who.emit({ kind: "tool-call", call, ...(answer ? {} : { answering: true as const }) });
      const again = answer && seen.has(call.id);
      seen.add(call.id);
      if (again) return "Not run: a call with this id was made in the same answer.";
      return who.signal.aborted ? "Not run: the turn was stopped before." : callLimitRefusal(running);
    },
    keep: (result) => {
      const index = placeOf(result.call);
      // What a receiver that keeps the conversation was shown is not ours to shorten.
      return put(answer ? shortenResult(running, result, index) : result, index);
    },
    refuse: ({ id, name }, not) => put({ call: id, name, output: not, failed: true }, placeOf(id)),
    save: () => {
      // One after the other: what is known later is on record later.
      const mine = last.then(() => {
        const acted: StepResult = calls.length > 0 ? { answer: said(), results: kept() } : {};
        return saveStepResult(deps, running, { ...progress.stepResult, ...acted });
      });
      last = mine.catch(() => {});
      return mine;
    },
    open: () => calls.filter((_, index) => results[index] === undefined),
    take: () => {
      progress.messages = [
        ...progress.messages,
        ...stepMessages({ ...progress.stepResult, answer: said(), results: kept() }),
      ];
      progress.ownSteps = [...progress.ownSteps, progress.step];
    },
  };
}
