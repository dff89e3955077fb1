import { noUsage } from "../../delivery/cost.ts";
import type { Notice } from "../../prompt/notice.ts";
import { empty } from "../../prompt/reading.ts";
import { isWhole } from "../../prompt/sound.ts";
import { isCounterpart } from "../../store/conversations/inbox-row.ts";
import type { Store } from "../../store/store.ts";
import { createEmit, type Watcher } from "../agent-event.ts";
import type { Declaration } from "../declaration.ts";
import { type ApplyChange, createHooks, type Hook, type HookListener, type Hooks } from "../hook.ts";
import { type Limits, limitsOf, narrower } from "../limits.ts";
import type { TurnInput } from "../turn-input.ts";
import type { AgentDeps, Declare, DeclareOptions, Seat, TurnTerms } from "./agent-deps.ts";
import { attachedText, messageText } from "./asking/ask-reason.ts";
import { receiverChangeReason } from "./session/receiver-change.ts";
import { noteCompaction, saidBy, sessionNotice } from "./session/session-lines.ts";
import { addNotice, type TurnIdentity, type TurnProgress, type TurnState, taint } from "./turn-state.ts";

/** What a turn is asked, with its input as text. */
export type AskedTurn = Omit<TurnInput, "input"> & { readonly input: string };

/**
 * What holds in one turn: the agent's limits and edition, and those of the charter as it is declared for that turn. It is
 * declared before the turn is on record, since how long the turn may take is recorded with it. What goes wrong there is
 * thrown where the turn asks for the declaration, and so is recorded. What was asked for this turn alone can only narrow
 * them.
 */
export async function declareTurn(
  deps: AgentDeps,
  about: Omit<DeclareOptions, "now">,
  narrowed: Partial<Limits> = {},
): Promise<TurnTerms> {
  const { asked, models } = deps;
  const [{ receiver: first }] = models;
  const declared = deps.declare({ ...about, now: deps.clock().toISOString() }, first);
  const { limits, compactAt, edition, window } = await declared.catch((): Partial<Declaration> => ({}));
  let told = false;
  const declare: Declare = (turn, receiver) => {
    if (told || receiver.takesTools !== first.takesTools) return deps.declare(turn, receiver);
    told = true;
    return declared;
  };
  return {
    declare,
    limits: limitsOf(narrower(limits ? limitsOf(narrower(asked.limits, limits)) : limitsOf(asked.limits), narrowed)),
    room: { ...(edition === undefined ? {} : { edition }), ...asked.room },
    compactAt: compactAt === undefined ? asked.compactAt : Math.min(compactAt, asked.compactAt ?? compactAt),
    window: asked.window ?? window,
  };
}

type PreparedWith = {
  readonly terms: TurnTerms;
  readonly seat: Seat;
  readonly on?: Watcher | undefined;
  readonly begun: Pick<
    TurnIdentity,
    "id" | "scope" | "session" | "signal" | "approve" | "ask" | "attachments" | "context" | "output"
  >;
};

/**
 * A turn as it starts: what it is asked, by hooks' leave, and what it is declared to be. A charter is declared before its
 * hooks can be asked, and once more after they were: what they changed holds for this very turn. Nothing is written.
 */
export async function prepareTurn(
  deps: AgentDeps,
  { terms, seat, on, begun }: PreparedWith,
  asked: AskedTurn,
): Promise<TurnState> {
  const { scope, session, id, signal, context } = begun;
  const { receiver } = seat.model;
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
    createHooks(hooks, terms.limits.hookSeconds, listening, { signal, context });
  const now = deps.clock().toISOString();
  const known = await zoneOf(deps.store, scope.user);
  const declare = () => terms.declare({ ...scope, channel, now, turn: id, begun: true }, receiver);

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
      toolset: await deps.toolsetFor(declaration, receiver),
      tokenizer: await deps.tokenizerFor(receiver),
      operator: deps.operator || (scope.user === undefined && !asked.foreign),
      handledBy,
    },
    terms,
    seat,
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
      rebuildReason: receiverChangeReason(session, receiver.name),
      prepared: undefined,
      allowances: new Map(),
      permissionsHeld: 0,
      notices,
      stepResult: {},
      stepCount: 0,
      attempt: undefined,
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
      cost: receiver.price ? 0 : null,
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

/** A user's own time zone. Nobody knows where a counterpart is. */
export async function zoneOf(store: Pick<Store, "users">, user: string | undefined): Promise<string | undefined> {
  if (user === undefined || isCounterpart(user)) return undefined;
  return (await store.users.find(user))?.zone ?? undefined;
}
