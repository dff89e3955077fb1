import { isForOperator } from "../../amend/guards/permission.ts";
import { noUsage } from "../../delivery/cost.ts";
import { defined } from "../../prompt/argument.ts";
import { grouped, Problem, reasonOf } from "../../prompt/problem.ts";
import { empty, type Notice } from "../../prompt/reading.ts";
import { isWhole, mendedData } from "../../prompt/sound.ts";
import type { NewAttachment } from "../../store/turns/attachments.ts";
import { maxLeaseSeconds } from "../../store/turns/turn.ts";
import type { Declaration } from "../declaration.ts";
import { type ApplyChange, createHooks, type Hook, type HookListener, type Hooks } from "../hook.ts";
import { type Limits, limitsOf, narrower } from "../limits.ts";
import type { StandardSchema } from "../schema.ts";
import type { Toolset } from "../toolset.ts";
import {
  type AgentEvent,
  compactionText,
  createEmit,
  type RunTurnOptions,
  type TurnInput,
  type Watcher,
} from "../turn-interface.ts";
import { attachedTexts, messageText, openTexts } from "./ask-reason.ts";
import { unrecordedSpendOf } from "./bill.ts";
import {
  type HeldSession,
  isJob,
  rebuildReasonOf,
  type SentSession,
  saidBy,
  sessionNotice,
  withOwnPictures,
} from "./live-session.ts";
import { turnReason } from "./live-turn.ts";
import { type Deadline, startDeadline } from "./model-problem.ts";
import { settleAllowances } from "./permission.ts";
import { chooseModel, seatOf } from "./seat.ts";
import {
  type AgentDeps,
  addNotice,
  type Declare,
  type DeclareOptions,
  type Seat,
  type TurnIdentity,
  type TurnProgress,
  type TurnState,
  type TurnTerms,
  taint,
  taintOf,
} from "./turn-state.ts";

/** Options with which a turn is recorded and begun, besides its input. */
type TurnOpening = Pick<TurnIdentity, "scope"> & {
  readonly signal: AbortSignal | undefined;
  readonly on?: Watcher | undefined;
  readonly approve?: RunTurnOptions["approve"] | undefined;
  readonly onClientCalls?: RunTurnOptions["onClientCalls"] | undefined;
  readonly ask?: TurnIdentity["ask"];
  readonly output?: TurnIdentity["output"];
  readonly context?: unknown;
  readonly attachments?: readonly NewAttachment[];
  /** The context as it is stored with the turn. */
  readonly kept?: unknown;
  /** Session of a call without a model, which has nothing of earlier ones but their taint. */
  readonly callSession?: string | undefined;
  /** Says that foreign text is in its context before it begins. */
  readonly tainted?: boolean;
  /** Opens the turn without waiting for the disk: it does nothing before its first request is recorded. */
  readonly unsynced?: boolean;
};

/** A turn that has begun, and its deadline. */
export type BegunTurn = { readonly running: TurnState; readonly deadline: Deadline };

/**
 * Begins a turn: records it in its session, under its lease, chooses the model and prepares the turn. A failure on the way is
 * recorded with it.
 */
export async function beginTurn(
  deps: AgentDeps,
  held: HeldSession,
  asked: AskedTurn,
  opening: TurnOpening,
): Promise<BegunTurn> {
  const { scope, signal, attachments = [], kept, ask = "never", on, approve, onClientCalls, context, output } = opening;
  const terms = await declareTurn(deps, { ...scope, channel: asked.channel, turn: asked.id }, asked.limits);
  const after = held.newestTurn();
  const turn = await deps.store.turns.open({
    ...{ scope, input: asked.input, runner: deps.runner, model: deps.models[0].receiver.name },
    ...(attachments.length > 0 ? { attachments } : {}),
    ...(held.id === undefined
      ? defined({
          ownSession: deps.models[0].receiver.name,
          session: opening.callSession,
          job: isJob(deps, scope) || undefined,
        })
      : defined({ session: held.id, inSession: true as const, after })),
    leaseSeconds: Math.min(Math.ceil(terms.limits.turnSeconds) + 60, maxLeaseSeconds),
    ...defined({ channel: asked.channel, id: asked.id, shown: asked.shown, context: kept }),
    ...defined({ tainted: opening.tainted, unsynced: opening.unsynced }),
  });
  const deadline = startDeadline(terms.limits.turnSeconds, signal);
  try {
    let [model] = deps.models;
    const choose = async (sent: SentSession) => {
      model = await chooseModel(deps, terms, sent);
      return model.receiver;
    };
    const session = await held.enter(turn, deps.models.length > 1 ? choose : undefined);
    const seat = await seatOf(deps, terms, model, deadline.signal);
    const about = {
      id: turn.id,
      scope,
      session,
      signal: deadline.signal,
      approve,
      onClientCalls,
      ask,
      context,
      output,
    };
    const identity = { ...about, attachments: turn.attachments ?? [] };
    return { deadline, running: await prepareTurn(deps, { terms, seat, on, begun: identity }, asked) };
  } catch (error) {
    deadline.stop();
    await closeFailed(deps, { id: turn.id, scope }, error);
    throw error;
  }
}

/** Records a turn that began and failed, with the cost that is not recorded yet. */
export async function giveUp(deps: AgentDeps, running: TurnState, error: unknown): Promise<void> {
  await settleAllowances(deps, running, false);
  running.who.session.newestTurn = null;
  const owed = { ...taintOf(running.progress), ...unrecordedSpendOf(deps, running.bill) };
  await closeFailed(deps, running.who, error, owed);
}

/** Closes a failed turn. A failure of the store to do so is ignored, since its first error is the news. */
async function closeFailed(
  { store }: AgentDeps,
  { id, scope }: Pick<TurnIdentity, "id" | "scope">,
  error: unknown,
  owed: object = {},
): Promise<void> {
  await store.turns.close(id, { state: "failed", because: turnReason(error), scope, ...owed }).catch(() => {});
}

/** Maximum size of a request's context, in bytes as JSON in UTF-8. */
const maxContextBytes = 16_384;

/** The context given with a turn: the value for sources, tools and hooks, and the JSON that may be stored. */
type RequestContext = { readonly value: unknown; readonly json: string; readonly isMended: boolean };

/**
 * Checks the context of a request: plain data, not too long, and valid by the agent's schema. It is a frozen copy, so one turn's
 * never becomes another's. Its content is in no Problem.
 */
export async function requestContext(
  given: unknown,
  schema: StandardSchema | undefined,
): Promise<RequestContext | undefined> {
  if (given === undefined) return undefined;
  const json = jsonOf(given);
  const bytes = Buffer.byteLength(json);
  if (bytes > maxContextBytes)
    throw badContext(`The context of a turn has ${grouped(bytes)} bytes; the limit is ${grouped(maxContextBytes)}.`);
  const read: unknown = JSON.parse(json);
  const plain = mendedData(read);
  const isMended = plain !== read;
  const value = deepFrozen(schema ? await checkedContext(plain, schema) : plain);
  return { value, json: isMended ? JSON.stringify(plain) : json, isMended };
}

function jsonOf(given: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(given);
  } catch (error) {
    throw badContext(`The context of a turn cannot be written as JSON (${reasonOf(error).split("\n")[0]}).`);
  }
  if (json === undefined) throw badContext("The context of a turn is nothing that can be written as JSON.");
  return json;
}

async function checkedContext(value: unknown, schema: StandardSchema): Promise<unknown> {
  const result = await schema["~standard"].validate(value);
  if (!result.issues) return result.value;
  const places = result.issues.map(({ path = [] }) => path.map(keyOf).join(".") || "the whole");
  throw badContext(`The context of a turn is not what the agent's schema takes: ${[...new Set(places)].join(", ")}.`);
}

function keyOf(part: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof part === "object" ? part.key : part);
}

function deepFrozen(value: unknown): unknown {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const one of Object.values(value)) deepFrozen(one);
  }
  return value;
}

function badContext(message: string): Problem {
  return new Problem("bad-context", message, 'Give plain data, as in { tenant: "acme", plan: "free" }: docs/agent.md.');
}

/** The input of `runTurn`, with the user's message as text. */
type AskedTurn = Omit<TurnInput, "input" | "user"> & {
  readonly input: string;
  /** Digests of the attachments that the user picked themselves. */
  readonly picked?: readonly string[];
};

/**
 * Works out what holds in one turn: the agent's limits and edition, and those of the charter as declared for that turn. It is
 * declared before the turn is recorded, since the turn's time limit is recorded with it. A failure is thrown later, where the
 * turn asks for the declaration, and so is recorded. Limits for this turn alone can only narrow the others.
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
  let isUsed = false;
  const declare: Declare = (turn, receiver) => {
    if (isUsed || receiver.takesTools !== first.takesTools) return deps.declare(turn, receiver);
    isUsed = true;
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
    "id" | "scope" | "session" | "signal" | "approve" | "onClientCalls" | "ask" | "attachments" | "context" | "output"
  >;
};

/**
 * Prepares a turn: its input as hooks leave it, and its declaration. A charter is declared before its hooks can be asked, and
 * again after they were: what they changed holds for this very turn. Nothing is written.
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
  const emit = createEmit(id, [deps.watcher, on, (event) => noteEvent(event, notices)]);
  const from = { ...scope, ...(channel === undefined ? {} : { channel }) };
  emit({ kind: "turn-start", ...from, session: session.id, input: asked.input });
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
    createHooks(hooks, terms.limits.hookSeconds, listening, { signal, context, user: scope.user ?? null });
  const now = deps.clock().toISOString();
  const known = await deps.store.users.zoneOf(scope.user);
  const declare = () => terms.declare({ ...scope, channel, now, turn: id, begun: true }, receiver);

  let declaration = await declare();
  let hooks = allHooks(declaration, deps);
  let hooked: HookedInput = { input: asked.input, handledBy: undefined };
  if (hooks.some((hook) => hook.input !== undefined)) {
    const about = channel ? { channel } : {};
    hooked = await runInputHooks(hooksOf(hooks), { turn: id, ...about, input: hooked.input });
    declaration = await declare();
    hooks = allHooks(declaration, deps);
  }

  for (const one of declaration.toolNotices ?? []) addNotice(emit, notices, one);
  const toolset = await deps.toolsetFor(declaration, receiver);
  for (const one of [...toolset.notices, ...missingTools(declaration, toolset, receiver)])
    addNotice(emit, notices, one);
  const { handledBy } = hooked;
  const input = deps.across ? saidBy(channel, hooked.input) : hooked.input;
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
      toolset,
      tokenizer: await deps.tokenizerFor(receiver),
      operator: deps.operator,
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
      wasEmpty: false,
      paused: [],
      unbound: false,
      size: undefined,
      resultTokens: 0,
      step: 0,
      callCount: 0,
      ranApprovedCalls: false,
      callsByTool: new Map(),
      tainted: false,
      foreign: [],
      rebuildReason: rebuildReasonOf(session, receiver.name),
      prepared: undefined,
      allowances: new Map(),
      permissionsHeld: 0,
      notices,
      stepResult: {},
      stepCount: 0,
      attempt: undefined,
    },
    words: {
      now: undefined,
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
  session.texts = await withOwnPictures(deps.store, session.texts);
  const picked = asked.foreign ? [] : (asked.picked ?? []);
  const attached = deps.attachments.trusted ? [] : attachedTexts(begun.attachments, { turn: id, picked });
  for (const text of attached)
    taint(running, "Files came with the input, and what is in them is other people's words.", text);
  if (asked.foreign) taint(running, "The turn was asked with other people's words.", messageText(asked.input));
  for (const text of openTexts(session.texts))
    taint(running, "Untrusted text is in the history of this session.", text);
  return running;
}

/** Tells of tools that a charter names and nobody offers here. A model that takes none misses none. */
function missingTools(
  { charter, toolNames = [] }: Declaration,
  { byName }: Toolset,
  { takesTools }: Seat["model"]["receiver"],
): readonly Notice[] {
  const missing = takesTools === false ? [] : toolNames.filter((name) => !byName.has(name));
  return missing.map((name) => {
    const message = `“${charter.name}” names the tool “${name}”, which is not offered to this agent here.`;
    return { code: "tool-missing", message };
  });
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

/** Notes in the outcome what waits for a person, and once that the history was summarised, however often that happened. */
function noteEvent(event: AgentEvent, notices: Notice[]): void {
  if (event.kind === "tool-held")
    notices.push({ code: "waits", message: `A call of “${event.call.name}” waits for approval.` });
  if (event.kind === "proposed" && event.outcome.verdict === "held") {
    const whose = event.outcome.refusals.some(isForOperator) ? "the operator" : "approval";
    notices.push({
      code: "waits",
      section: event.section,
      message: `A change of “${event.section}” waits for ${whose}.`,
    });
  }
  if (event.kind !== "compacted" || notices.some(({ code }) => code === "compacted")) return;
  const { turns } = event;
  const subject = turns === 1 ? "What was said before was" : `What was said before, ${turns} turns of it, was`;
  notices.push({ code: "compacted", message: compactionText(event, subject) });
}
