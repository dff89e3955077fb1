import type { Answer, Fault } from "../../../delivery/model.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { Prompt } from "../../../prompt/prompt.ts";
import { saveStepResult } from "../record.ts";
import { runStep } from "../step.ts";
import type { AgentDeps, TurnState } from "../turn-state.ts";
import { compact } from "./compaction.ts";
import { requestLimit } from "./request-limit.ts";

/**
 * Takes a step within what the model takes. A request that is too long, by our count or the provider's, is a reason to
 * compact and ask again: each time with a shorter one, until there is nothing left to sum up.
 */
export async function runStepWithin(deps: AgentDeps, running: TurnState, prompt: Prompt): Promise<Answer> {
  let { window } = deps.model.receiver;
  let limit = requestLimit(window);
  for (let share = 1 / 2; ; share /= 2) {
    try {
      return await runStep(deps, running, prompt, limit);
    } catch (error) {
      const { size } = running.progress;
      if (!(error instanceof Problem) || size === undefined || running.who.signal.aborted) throw error;
      const refused = refusalOf(running, error);
      if (refused) {
        const { code, message } = error;
        await saveStepResult(deps, running, { ...running.progress.stepResult, because: { code, message } });
        // A provider may count more than we do: what it refused is too long, whatever it says it takes.
        window = Math.floor(Math.min(refused.window ?? size.total, size.total * 0.9));
        limit = requestLimit(window);
      } else if (error.code !== "request-too-long") throw error;
      const keep = Math.max(0, (limit ?? size.total) - size.besides) * share;
      if (await compact(deps, running, prompt, keep)) continue;
      // There is nothing left to sum up: then it may be as long as can be.
      if (limit === window || size.total > (window ?? 0)) throw error;
      limit = window;
    }
  }
}

/** That the provider refused the request of this step because of its length. */
function refusalOf({ progress }: TurnState, { code }: Problem): Fault["tooLong"] {
  const fault = progress.stepResult.faults?.at(-1);
  return fault?.code === code ? fault.tooLong : undefined;
}
