import type { Fault } from "../../../delivery/model.ts";
import { counted, Problem } from "../../../prompt/problem.ts";
import type { AgentDeps, Seat } from "../agent-deps.ts";
import { messagesOf } from "../live-session.ts";
import { saveStepResult } from "../record.ts";
import { learnRefusedKind, windowDepsOf, withWindow } from "../seat.ts";
import type { StepAttempt, TurnState } from "../turn-state.ts";
import { compact } from "./compaction.ts";
import { requestLimit, shortenSummary } from "./room.ts";
import { learnWindow } from "./window.ts";

/**
 * A request that is too long, by our count or the provider's, is a reason to compact and ask again: each time with a
 * shorter one, until there is nothing left to leave out. What a provider says of its window holds from then on; so does
 * that it takes no attachments of a kind. False: the problem is another.
 */
export async function makeRoom(
  deps: AgentDeps,
  running: TurnState,
  attempt: StepAttempt,
  error: Problem,
): Promise<boolean> {
  const { progress, who, terms } = running;
  const { size } = progress;
  if (size === undefined || who.signal.aborted) return false;
  const { share } = attempt;
  attempt.share /= 2;
  const { code, message } = error;
  const noteRefused = () => saveStepResult(deps, running, { ...progress.stepResult, because: { code, message } });
  const said = [...messagesOf(who.session.stretches), ...progress.messages];
  if (await learnRefusedKind(deps, running, progress.stepResult.faults?.at(-1), said)) {
    await noteRefused();
    return true;
  }
  const refusal = refusalOf(running, error);
  if (refusal) {
    await noteRefused();
    const { window } = await learnWindow(windowDepsOf(deps, terms, running.seat.model), refusal, size.total);
    running.seat = withWindow(running.seat, terms, window);
    attempt.limit = requestLimit(window);
  } else if (code !== "request-too-long") return false;
  const keep = Math.max(0, (attempt.limit ?? size.total) - size.besides) * share;
  if (await compact(deps, running, attempt.prompt, { keep, mustFit: true })) return true;
  // There is nothing left to sum up: then it may be as long as can be. What was refused is never asked again.
  const { window } = running.seat.model.receiver;
  const problem = refusal ? refusedProblem(running.seat, size.total) : error;
  if (window === null) throw problem;
  const isTooLong = refusal !== undefined || size.total > window || attempt.limit === window;
  if (isTooLong && !shortenSummary(running, window)) throw problem;
  attempt.limit = window;
  return true;
}

/** The provider refused it, and there is nothing left to leave out: whoever asked is told what they can do about it. */
function refusedProblem({ model }: Seat, tokens: number): Problem {
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
