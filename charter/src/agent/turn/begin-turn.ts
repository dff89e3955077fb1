import { noUsage } from "../../delivery/cost.ts";
import type { Notice } from "../../prompt/notice.ts";
import { empty } from "../../prompt/reading.ts";
import { isWhole } from "../../prompt/sound.ts";
import { createEmit, type Watcher } from "../agent-event.ts";
import type { Declaration } from "../declaration.ts";
import { type ApplyChange, createHooks, type Hook, type HookListener, type Hooks } from "../hook.ts";
import type { TurnInput } from "../turn-input.ts";
import { zoneOf } from "../user-zone.ts";
import { attachedText, messageText } from "./asking/foreign-text.ts";
import { saidBy } from "./session/channel-line.ts";
import { receiverChangeReason } from "./session/receiver-change.ts";
import { noteCompaction, sessionNotice } from "./session/session-notice.ts";
import {
  type AgentDeps,
  addNotice,
  type TurnIdentity,
  type TurnProgress,
  type TurnState,
  taint,
} from "./turn-state.ts";

type BeginTurnOptions = Pick<
  TurnIdentity,
  "id" | "scope" | "session" | "signal" | "approve" | "ask" | "attachments" | "context" | "output"
> & {
  readonly on: Watcher | undefined;
};

/**
 * A turn as it starts: what it is asked, by hooks' leave, and what it is declared to be. A charter is declared before its
 * hooks can be asked, and once more after they were: what they changed holds for this very turn.
 */
export async function beginTurn(
  deps: AgentDeps,
  asked: Omit<TurnInput, "input"> & { readonly input: string },
  { on, ...begun }: BeginTurnOptions,
): Promise<TurnState> {
  const { scope, session, id, signal, context } = begun;
  const { channel } = asked;
  const notices: Notice[] = [];
  const emit = createEmit(id, [deps.watcher, on, (event) => noteCompaction(event, notices)]);
  emit({ kind: "turn-start", session: session.id, input: asked.input });
  emit({ kind: "phase", phase: "LoadingContext" });
  const opened = sessionNotice(session);
  if (opened) addNotice(emit, notices, opened);
  const listening: HookListener = {
    onFailure: (failed) => {
      emit(failed);
      const message = `The hook “${failed.hook}” failed at ${failed.moment}: ${failed.reason}.`;
      notices.push({ code: "hook-failed", message });
    },
    onNotice: (one) => addNotice(emit, notices, one),
  };
  const hooksOf = (hooks: readonly Hook[]) =>
    createHooks(hooks, deps.limits.hookSeconds, listening, { signal, context });
  const now = deps.clock().toISOString();
  const known = await zoneOf(deps.store, scope.user);
  const declare = () => deps.declare({ ...scope, channel, now, turn: id, begun: true });

  let declaration = await declare();
  let hooks = allHooks(declaration, deps);
  let heard: HookedInput = { input: asked.input, handledBy: undefined };
  if (hooks.some((hook) => hook.input !== undefined)) {
    const about = { ...(scope.user === undefined ? {} : { user: scope.user }), ...(channel ? { channel } : {}) };
    heard = await runInputHooks(hooksOf(hooks), { turn: id, ...about, input: heard.input });
    declaration = await declare();
    hooks = allHooks(declaration, deps);
  }

  for (const one of declaration.toolNotices ?? []) addNotice(emit, notices, one);
  const { handledBy } = heard;
  const input = deps.across ? saidBy(channel, heard.input) : heard.input;
  const running: TurnState = {
    who: {
      ...begun,
      asked: asked.input,
      typed: asked.foreign ? undefined : asked.typed,
      emit,
      channel,
      zone: known ?? asked.zone,
      hooks: hooksOf(hooks),
      declaration,
      toolset: await deps.toolsetFor(declaration),
      tokenizer: await deps.tokenizer(),
      operator: deps.operator || (scope.user === undefined && !asked.foreign),
      handledBy,
    },
    progress: {
      phase: "LoadingContext",
      input,
      inputAdded: false,
      messages: [],
      ownSteps: [],
      corrected: false,
      size: undefined,
      resultTokens: 0,
      step: 0,
      callCount: 0,
      ranApprovedCalls: false,
      callsByTool: new Map(),
      tainted: false,
      rebuildReason: receiverChangeReason(session, deps.model.receiver.name),
      prepared: undefined,
      allowances: new Map(),
      permissionsHeld: 0,
      notices,
      stepResult: {},
    },
    words: {
      readings: { none: empty },
      standing: {},
      prompt: undefined,
      hookAdditions: [],
      hookReplacement: undefined,
    },
    bill: {
      predicted: undefined,
      usage: noUsage,
      cost: deps.model.receiver.price ? 0 : null,
      opinions: [],
      unrecordedSpend: undefined,
    },
  };
  if (begun.attachments.length > 0 && !deps.attachments.trusted)
    taint(
      running,
      "Files came with the input, and what is in them is other people's words.",
      attachedText(begun.attachments),
    );
  if (asked.foreign) taint(running, "The turn was asked with other people's words.", messageText(asked.input));
  if (session.stretches.some(({ tainted }) => tainted))
    taint(running, "Untrusted text is in the history of this session.");
  return running;
}

function allHooks(declaration: Declaration, { hooks }: AgentDeps): readonly Hook[] {
  return [...(declaration.hooks ?? []), ...hooks];
}

type HookedInput = Pick<TurnIdentity, "handledBy"> & Pick<TurnProgress, "input">;

async function runInputHooks(hooks: Hooks, given: Parameters<ApplyChange<"input">>[0]): Promise<HookedInput> {
  let handledBy: string | undefined;
  const take: ApplyChange<"input"> = (now, { input = now.input, handled }, hook) => {
    if (typeof input !== "string" || !isWhole(input) || input.trim() === "")
      return "its input is no text, or has no words";
    if (handled) handledBy = hook;
    return { ...now, input };
  };
  const { input } = await hooks.run("input", given, take, () => handledBy !== undefined);
  return { input, handledBy };
}
