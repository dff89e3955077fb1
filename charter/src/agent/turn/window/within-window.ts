import type { Answer, Fault } from "../../../delivery/model.ts";
import { counted, Problem } from "../../../prompt/problem.ts";
import type { Prompt } from "../../../prompt/prompt.ts";
import { messagesOf } from "../live-session.ts";
import { saveStepResult } from "../record.ts";
import { runStep } from "../step.ts";
import type { AgentDeps, TurnState } from "../turn-state.ts";
import { compact } from "./compaction.ts";
import { learnRefusedKind } from "./refused-kinds.ts";
import { requestLimit } from "./request-limit.ts";
import { shortenSummary } from "./summary-room.ts";
import { confirmWindow, learnWindow, withWindow } from "./window.ts";

/**
 * Takes a step within what the model takes. A request that is too long, by our count or the provider's, is a reason to
 * compact and ask again: each time with a shorter one, until there is nothing left to leave out. What a provider says of
 * its window holds from then on.
 */
export async function runStepWithin(
  given: AgentDeps,
  running: TurnState,
  prompt: Prompt,
): Promise<{ readonly answer: Answer; readonly deps: AgentDeps }> {
  let deps = given;
  let limit = requestLimit(deps.model.receiver.window);
  for (let share = 1 / 2; ; share /= 2) {
    try {
      const answer = await runStep(deps, running, prompt, limit);
      await confirmWindow(deps, answer.usage.input);
      return { answer, deps };
    } catch (error) {
      const { size } = running.progress;
      if (!(error instanceof Problem) || size === undefined || running.who.signal.aborted) throw error;
      const blind = await learnRefusedKind(deps, running.progress.stepResult.faults?.at(-1), [
        ...messagesOf(running.who.session.stretches),
        ...running.progress.messages,
      ]);
      if (blind) {
        const { code, message } = error;
        await saveStepResult(deps, running, { ...running.progress.stepResult, because: { code, message } });
        deps = blind;
        continue;
      }
      const refusal = refusalOf(running, error);
      if (refusal) {
        const { code, message } = error;
        await saveStepResult(deps, running, { ...running.progress.stepResult, because: { code, message } });
        deps = withWindow(deps, (await learnWindow(deps, refusal, size.total)).window);
        limit = requestLimit(deps.model.receiver.window);
      } else if (error.code !== "request-too-long") throw error;
      const keep = Math.max(0, (limit ?? size.total) - size.besides) * share;
      if (await compact(deps, running, prompt, { keep, mustFit: true })) continue;
      // There is nothing left to sum up: then it may be as long as can be. What was refused is never asked again.
      const { window } = deps.model.receiver;
      const problem = refusal ? refusedProblem(deps, size.total) : error;
      if (window === null) throw problem;
      const isTooLong = refusal !== undefined || size.total > window || limit === window;
      if (isTooLong && !shortenSummary(running, window)) throw problem;
      limit = window;
    }
  }
}

/** The provider refused it, and there is nothing left to leave out: whoever asked is told what they can do about it. */
function refusedProblem({ model }: AgentDeps, tokens: number): Problem {
  return new Problem(
    "request-too-long",
    `${model.receiver.name} takes no request of ${counted(tokens, "token")}, and no more of the history can be left out.`,
    "Say it in fewer words, start a new session, or choose a model with more room.",
  );
}

/** The fault with which the provider refused the request of this step because of its length. */
function refusalOf({ progress }: TurnState, { code }: Problem): Fault | undefined {
  const fault = progress.stepResult.faults?.at(-1);
  return fault?.code === code && fault.tooLong ? fault : undefined;
}
