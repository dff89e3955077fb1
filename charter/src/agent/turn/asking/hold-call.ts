import type { ToolCall } from "../../../delivery/model.ts";
import { visible } from "../../../prompt/character.ts";
import { Problem, reasonOf } from "../../../prompt/problem.ts";
import type { Tool } from "../../tool.ts";
import type { ApproveAnswer, WaitingCall } from "../../turn-input.ts";
import type { AgentDeps } from "../agent-deps.ts";
import { toolContextOf } from "../tool-context.ts";
import type { TurnState } from "../turn-state.ts";
import { type AskReason, allowanceFor, becauseText } from "./ask-reason.ts";

/** A person has allowed this tool for this session, and nothing has ended that. */
export function isAllowedNow({ allowances }: AgentDeps, { who }: Pick<TurnState, "who">, tool: Tool): boolean {
  return allowances.isAllowed(allowanceFor(who.session, who.scope, tool));
}

type AskedCall = {
  readonly tool: Tool;
  readonly call: ToolCall;
  /** As it is kept, and as the tool would be given it. */
  readonly input: unknown;
  readonly given: unknown;
  readonly reason: AskReason;
};

/** `waits`: it runs later if somebody says yes; else it was refused. */
type HoldResult =
  | { readonly told: string; readonly waits?: true; readonly approved?: undefined }
  | { readonly approved: string };

/**
 * A call that is not run before a person has said yes: it is kept, and whoever is there is asked. Without an answer it
 * waits, and runs once in a later turn if it is approved.
 */
export async function holdCall(deps: AgentDeps, running: TurnState, asking: AskedCall): Promise<HoldResult> {
  const { tool, call, input, reason: why } = asking;
  const { store, whenTainted, allowances } = deps;
  const { id, scope, session, emit } = running.who;
  const facts = factsOf(why);
  if (why === "untrusted" && whenTainted === "refuse") return { told: refused(facts) };
  try {
    JSON.stringify(input);
  } catch (error) {
    return {
      told: `Not run: a person must approve the call first, and its arguments cannot be kept (${reasonOf(error)}).`,
    };
  }
  const place = tool.place === undefined ? {} : { place: tool.place };
  const meant = await meantBy(deps, running, asking);
  const reason = [...meant, becauseText(why, session.texts)].join(" ");
  // What was known when the question was put is what the answer is about.
  const asked = allowanceFor(session, scope, tool);
  const { step } = running.progress;
  const held = await store.calls.hold(scope, {
    turn: id,
    step,
    call: call.id,
    tool: call.name,
    input,
    reason,
    ...place,
  });
  const question = { id: held.id, tool: call.name, input, reason, ...place, mayAllow: true as const };
  const decision = await askPerson(deps, running, question);
  const by = scope.user ?? "operator";
  if (decision === undefined) {
    emit({ kind: "tool-held", call, held: held.id });
    const because = `${facts} A person must approve the call first.`;
    return { told: JSON.stringify({ verdict: "held", held: held.id, because }), waits: true };
  }
  try {
    if (decision) await store.calls.take(held.id, by);
    else await store.calls.reject(held.id, by);
  } catch (error) {
    // Somebody was quicker, at another door.
    if (!(error instanceof Problem && error.code === "already-decided")) throw error;
    return { told: refused(`It was decided elsewhere before. ${error.message}`) };
  }
  if (!decision) return { told: refused("A person was asked about the call, and said no.") };
  if (decision === "session") {
    allowances.add(asked);
    await store.events.record({
      scope,
      kind: "tool-allowed",
      turn: id,
      detail: { tool: tool.name, session: session.id, by },
    });
  }
  return { approved: held.id };
}

/** What is meant is for a person to read: without it the question stands all the same. */
async function meantBy(deps: AgentDeps, running: TurnState, { tool, call, given }: AskedCall): Promise<string[]> {
  try {
    const meant = await tool.meant?.(given, toolContextOf(deps, running, call));
    return typeof meant === "string" ? [visible(meant)] : [];
  } catch {
    return [];
  }
}

/** What the model is told: of whom and what there is to fear, it knows what it read. */
function factsOf(why: AskReason): string {
  if (why === "untrusted") return "Untrusted text is in this turn's context, and the tool has effects outside.";
  return why === "writes" ? "The tool has effects outside." : "The user is asked about every call.";
}

function refused(because: string): string {
  return JSON.stringify({ verdict: "refused", because });
}

/**
 * What whoever is there says to a call, within the time there is; nothing if nobody is there, or said anything. An answer
 * that comes later is none.
 */
export async function askPerson(
  { sleep }: Pick<AgentDeps, "sleep">,
  { who, terms: { limits } }: Pick<TurnState, "who" | "terms">,
  held: WaitingCall,
): Promise<ApproveAnswer> {
  if (!who.approve) return undefined;
  const over = new AbortController();
  const signal = AbortSignal.any([who.signal, over.signal]);
  const late = sleep(limits.askSeconds * 1000, signal).then(() => undefined);
  try {
    // A door that fails is one where nobody answers.
    const said = (async () => who.approve?.(held, signal))().catch(() => undefined);
    const answer = await Promise.race([said, late]);
    if (answer === "session") return held.mayAllow ? "session" : true;
    return typeof answer === "boolean" ? answer : undefined;
  } finally {
    over.abort();
  }
}
