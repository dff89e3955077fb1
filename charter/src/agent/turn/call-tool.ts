import type { Scope } from "../../amend/amendment.ts";
import { anyValue, defined, type FieldChecks, isText, optional } from "../../prompt/argument.ts";
import { preview } from "../../prompt/character.ts";
import type { ToolResult } from "../../prompt/step-result.ts";
import { scopeNamed } from "../../store/scope.ts";
import { sha256 } from "../../store/texts/packing.ts";
import { type HeldCall, unknownCall } from "../../store/turns/held-calls.ts";
import { aUser, checkAsked } from "../turn-interface.ts";
import { foreignText } from "./ask-reason.ts";
import { beginTurn, giveUp } from "./begin-turn.ts";
import { runCall } from "./call.ts";
import { checkNotStopped } from "./model-problem.ts";
import { isPermission } from "./permission.ts";
import { runApprovedCalls } from "./run-calls.ts";
import { turnPrompt } from "./turn-prompt.ts";
import { type AgentDeps, enterPhase, type TurnState, taint, taintOf } from "./turn-state.ts";

/** A call of a tool by a program in the agent's name, for a user or for none (`null`). */
export type CallToolInput = {
  readonly tool: string;
  readonly user: string | null;
  readonly input?: unknown;
  /** The id of a call that waited, in place of an input: it is made if a person has approved it since, once. */
  readonly held?: string | undefined;
  /** Says that whoever makes the call has read other people's words. */
  readonly foreign?: boolean | undefined;
  /** The program that thinks elsewhere; left out, the call is clean unless it says `foreign`. */
  readonly caller?: ToolCaller | undefined;
};

/** A program that calls tools. What its model has read, only the program knows: its sessions say what belongs together. */
export type ToolCaller = {
  /** The program's id: its earlier calls are known by it. */
  readonly id: string;
  /** The program's own name for the conversation in which the call is made. */
  readonly session?: string | undefined;
  /** Says that nothing of other conversations is in this one. A session that is known already stays as it is. */
  readonly anew?: boolean | undefined;
  /** Says that a call without a session is clean. */
  readonly trusted?: boolean | undefined;
};

/** The result of a call, and the turn it was recorded as. */
export type CallToolResult = {
  readonly turn: string;
  readonly output: string;
  readonly failed: boolean;
  /** Says that untrusted text was in its context, or may have been. */
  readonly tainted: boolean;
  /** Why it was tainted before it was made. */
  readonly because?: string;
  /** The id of the approval that it waits for. */
  readonly held?: string;
};

const callChecks: FieldChecks<CallToolInput> = {
  tool: [isText, "Give the tool's name."],
  user: aUser,
  input: anyValue,
  held: optional([isText, "Give the id that the call's answer had."]),
  foreign: optional([(value) => typeof value === "boolean", "Give true, or leave it out."]),
  caller: optional([(value) => isText(Object(value).id), "Give { id, session }: texts."]),
};

type CallOptions = { readonly signal?: AbortSignal | undefined };

/**
 * Makes one call without a model: a turn of its own, whose input is the call and whose reply is the result. Guards, limits and
 * the record are those of any turn. What a program calls in one session belongs together, as far as taint goes.
 */
export async function callTool(
  deps: AgentDeps,
  asked: CallToolInput,
  options: CallOptions = {},
): Promise<CallToolResult> {
  checkAsked("callTool", asked, callChecks);
  const { tool, input, user, caller } = asked;
  const scope = scopeNamed(deps.name, user);
  if (asked.held !== undefined) return goOn(deps, scope, asked, options);
  const place = placeOf(scope, caller);
  const because = await taintBefore(deps, scope, asked, place);
  const call = { id: "call-1", name: tool, input: JSON.stringify(input ?? {}) };
  return callTurn(deps, { scope, call, because, place, ...options }, (running) => runCall(deps, running, call));
}

/** The session of a call, and the one of all calls of its caller that name none. It is there as soon as any call was tainted. */
type CallPlace = { readonly session: string; readonly unnamed: string };

/**
 * Finds the place of a call. Its ids are digests, since a caller names its sessions as it likes. A call that a trusted caller
 * makes in no session has none.
 */
function placeOf({ agent, user }: Scope, caller: ToolCaller | undefined): CallPlace | undefined {
  if (!caller || (caller.trusted && caller.session === undefined)) return undefined;
  const { id, session = null } = caller;
  const digest = (name: string | null) => sha256(JSON.stringify(["calls", agent, user ?? null, id, name]));
  return { session: digest(session), unnamed: digest(null) };
}

/** A reason of taint: for those who watch the turn, and to go on after “because”. */
type TaintReason = { readonly reason: string; readonly says: string };

const reasons = {
  said: {
    reason: "The call was made with other people's words.",
    says: "the program that asked for it says that it has read text of others",
  },
  unnamed: {
    reason: "The call names no session, so what its caller has read is not known.",
    says: "the program that asked for it did not say in which conversation, so it may have read text of others",
  },
  session: {
    reason: "Untrusted text came in an earlier call of this session.",
    says: "text of others came in an earlier call of the conversation it was asked for in",
  },
  other: {
    reason: "Untrusted text came in an earlier call that may belong to this session.",
    says: "text of others came in an earlier call of the program that asked for it, perhaps in this conversation",
  },
} as const satisfies Readonly<Record<string, TaintReason>>;

/**
 * Finds why a call is tainted before it is made; `undefined`: it is clean. A session is clean until a call of it was tainted. A
 * call that names none may belong to any, so it counts for all that had begun; and what was read before a session began may be in
 * that one as well, unless it begins anew.
 */
async function taintBefore(
  { store: { turns } }: AgentDeps,
  scope: Scope,
  { foreign, caller }: CallToolInput,
  place: CallPlace | undefined,
): Promise<TaintReason | undefined> {
  if (foreign) return reasons.said;
  if (!place) return undefined;
  const { session, unnamed } = place;
  if (session === unnamed) return reasons.unnamed;
  const { isNew, tainted, beside } = await turns.taintOf(scope, session, unnamed);
  if (tainted) return reasons.session;
  return beside && !(isNew && caller?.anew) ? reasons.other : undefined;
}

type CallTurn = CallOptions & {
  readonly scope: Scope;
  readonly call: { readonly name: string; readonly input: string };
  readonly because: TaintReason | undefined;
  readonly place: CallPlace | undefined;
};

/** Takes the turn that a call is recorded as. */
async function callTurn(
  deps: AgentDeps,
  { scope, call, because, place, signal }: CallTurn,
  run: (running: TurnState) => Promise<ToolResult>,
): Promise<CallToolResult> {
  const opening = await deps.sessions.hold(scope, { session: "none" });
  const input = `${call.name} ${call.input}`;
  const { name: receiver } = deps.models[0].receiver;
  const mark = async () => place && deps.store.sessions.open({ scope, receiver, id: place.unnamed, ended: true });
  if (because) await mark();
  let waits: string | undefined;
  const { running, deadline } = await beginTurn(
    deps,
    opening,
    { input },
    {
      ...{ scope, signal, callSession: place?.session, tainted: because !== undefined },
      on: (event) => {
        if (event.kind === "tool-held") waits ??= event.held;
        if (event.kind === "proposed") waits ??= event.outcome.held;
      },
    },
  );
  try {
    if (because) taint(running, because.reason, foreignText(because.says));
    await turnPrompt(deps, running);
    checkNotStopped(running.who.signal);
    enterPhase(running, "ExecutingActions");
    const { output, failed: hasFailed = false } = await run(running);
    enterPhase(running, "Persisting");
    const failed = hasFailed && waits === undefined;
    const reason = { code: "tool-failed", message: preview(output, 500) };
    const end = failed
      ? ({ state: "failed", because: reason } as const)
      : ({ state: "answered", reply: output } as const);
    const { id } = running.who;
    const { tainted } = running.progress;
    if (tainted && !because) await mark();
    await deps.store.turns.close(id, { ...end, scope, ...taintOf(running.progress) });
    return { turn: id, output, failed, tainted, ...defined({ because: because?.reason, held: waits }) };
  } catch (error) {
    await giveUp(deps, running, error);
    throw error;
  } finally {
    deadline.stop();
  }
}

/** Goes on with a call that waited: makes it if it was approved, and says how it stands. */
async function goOn(
  deps: AgentDeps,
  scope: Scope,
  { held: id = "", tool, caller }: CallToolInput,
  options: CallOptions,
): Promise<CallToolResult> {
  const { calls, turns } = deps.store;
  const held = await calls.get(id, scope);
  const { session } = await turns.get(held.turn, scope);
  const place = placeOf(scope, caller);
  // What it brings belongs to the session that it was asked for in.
  const isOwn = held.scope.user === scope.user && held.tool === tool && (place?.session ?? session) === session;
  if (!isOwn || isPermission(held)) throw unknownCall(id);
  if (held.status !== "approved") return standingOf(held);
  const call = { name: tool, input: JSON.stringify(held.input) };
  const { turn } = await callTurn(deps, { scope, call, because: undefined, place, ...options }, async (running) => {
    await runApprovedCalls(deps, running, async () => {}, id);
    const { output, failed } = standingOf(await calls.get(id));
    return { call: id, name: tool, output, ...(failed ? { failed } : {}) };
  });
  return { ...standingOf(await calls.get(id)), turn };
}

/** Says how a call stands that waited. */
function standingOf({ id, turn, status, result, reason, decisionReason }: HeldCall): CallToolResult {
  if (status === "done" || status === "failed")
    return { turn, output: String(result), failed: status === "failed", tainted: true };
  const isOver = status === "rejected";
  const because = isOver ? (decisionReason ?? "A person was asked about the call, and said no.") : reason;
  const output = JSON.stringify({ verdict: isOver ? "refused" : "held", because });
  return { turn, output, failed: isOver, tainted: true, ...(isOver ? {} : { held: id }) };
}
