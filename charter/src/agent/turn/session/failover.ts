import { noUsage } from "../../../delivery/cost.ts";
import type { Fault, Model } from "../../../delivery/model.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { LiveSession } from "../live-session.ts";
import { isOutage } from "../model-problem.ts";
import { saveStepResult } from "../record.ts";
import { type AgentDeps, addNotice, type ModelChoice, type TurnState } from "../turn-state.ts";
import { resolveWindow, withWindow } from "../window/window.ts";
import { changeReceiver } from "./change-receiver.ts";

/**
 * Does a piece of a turn with the model of now. On an outage the next one is asked for the same piece, with the results
 * there are, until one answers or each was asked once. What tools did is on record by then, and is not done again.
 */
export async function withFailover<Result>(
  given: AgentDeps,
  running: TurnState,
  work: (deps: AgentDeps) => Promise<Result>,
): Promise<{ readonly result: Result; readonly deps: AgentDeps }> {
  const now = given.model.receiver.name;
  let deps: AgentDeps = { ...given, next: given.models.filter((one) => nameOf(one) !== now && mayFollow(one)) };
  for (;;) {
    try {
      return { result: await work(deps), deps };
    } catch (error) {
      if (!isOutage(error) || running.who.signal.aborted) throw error;
      const next = await nextModel(deps, running, error);
      if (!next) throw error;
      deps = next;
    }
  }
}

/** The agent as it works with the model that has a session: the first, unless another took its place there. */
export async function forSession(deps: AgentDeps, sent: Pick<LiveSession, "receiver"> & SentFor): Promise<AgentDeps> {
  if (sent.standsInFor !== deps.model.receiver.name) return deps;
  const choice = deps.models.find((one) => nameOf(one) === sent.receiver);
  const model = choice === undefined ? undefined : await loadedOr(deps, choice, () => {});
  return model && model !== deps.model ? withModel(deps, model) : deps;
}

type SentFor = { readonly standsInFor?: string | null | undefined };

/** Whose place the model of now takes; null: nobody's. */
export function standsInFor({ model, models }: Pick<AgentDeps, "model" | "models">): string | null {
  const [first] = models;
  return first === undefined || nameOf(first) === model.receiver.name ? null : nameOf(first);
}

export function nameOf(choice: ModelChoice): string {
  return typeof choice === "string" ? choice : choice.receiver.name;
}

/** An agent over ACP can only be the first that is asked: in the midst of a turn it could not be told what was done. */
export function mayFollow(choice: ModelChoice): boolean {
  return typeof choice === "string" ? !choice.startsWith("acp/") : choice.receiver.keepsHistory !== true;
}

/** The next that can be asked, with all that was said made for it; nothing, where there is none. */
async function nextModel(deps: AgentDeps, running: TurnState, problem: Problem): Promise<AgentDeps | undefined> {
  const { code, message } = problem;
  const tell = (words: string) =>
    addNotice(running.who.emit, running.progress.notices, { code: "model-changed", message: words });
  // What became of the request stays with its step, before anybody else is asked.
  if (running.progress.step > 0)
    await saveStepResult(deps, running, { ...running.progress.stepResult, because: { code, message } });
  for (const [index, choice] of deps.next.entries()) {
    const model = await loadedOr(deps, choice, (why) => tell(`“${nameOf(choice)}” is left out: ${why}`));
    if (!model) continue;
    const from = deps.model.receiver.name;
    const next = withModel({ ...deps, next: deps.next.slice(index + 1) }, model);
    running.who.emit({ kind: "model-changed", from, to: model.receiver.name, code });
    tell(`“${from}” ${faultWords[code as Fault["code"]] ?? "failed"}: “${model.receiver.name}” is asked instead.`);
    return takeOver(next, deps, running);
  }
  return undefined;
}

/** A provider's own words may tell of the operator's account: they stay with the step. */
const faultWords: Readonly<Record<Fault["code"], string>> = {
  "model-busy": "is busy",
  "model-failed": "failed",
  "model-cut": "broke off",
  "model-unreachable": "cannot be reached",
  "model-rejected": "takes no requests",
  "model-aborted": "was stopped",
};

async function takeOver(next: AgentDeps, before: AgentDeps, running: TurnState): Promise<AgentDeps> {
  const { receiver } = next.model;
  const { scope, channel, id, signal } = running.who;
  let { declaration, toolset } = running.who;
  if (before.model.receiver.takesTools === false) {
    const now = next.clock().toISOString();
    declaration = await next.declare({ ...scope, channel, now, turn: id, begun: true });
    toolset = await next.toolsetFor(declaration);
  }
  running.who = { ...running.who, declaration, toolset, tokenizer: await next.tokenizer() };
  running.progress.prepared = undefined;
  if (running.bill.usage === noUsage) running.bill.cost = receiver.price ? 0 : null;
  await changeReceiver(next.store, running, receiver);
  return withWindow(next, (await resolveWindow(next, signal)).window);
}

/** A window that was set is the first model's. */
function withModel(deps: AgentDeps, model: Model): AgentDeps {
  const windowOfFirst = deps.asked.windowOfFirst ?? deps.asked.window;
  const isFirst = nameOf(deps.models[0] as ModelChoice) === model.receiver.name;
  const asked = { ...deps.asked, windowOfFirst, window: isFirst ? windowOfFirst : undefined };
  const next = { ...deps, ...deps.partsFor(model), asked };
  return withWindow(next, asked.window ?? model.receiver.window);
}

/** One that cannot be loaded, or that a limit in dollars cannot be kept with, is told of. */
async function loadedOr(
  { limits, secondOpinion }: AgentDeps,
  choice: ModelChoice,
  tell: (why: string) => void,
): Promise<Model | undefined> {
  try {
    const model = typeof choice === "string" ? await secondOpinion.loadModel(choice) : choice;
    const limited = limits.userDollarsPerDay !== undefined || limits.agentDollarsPerDay !== undefined;
    if (!limited || model.receiver.price) return model;
    tell("its price is not known, and a limit on spending is set.");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    tell(error.message);
  }
  return undefined;
}
