import { stepMessages } from "../../delivery/history.ts";
import type { Answer, AskOptions, OwnToolUse, ToolCall, ToolResult } from "../../delivery/model.ts";
import { firstCharacters } from "../../prompt/character.ts";
import { reasonOf } from "../../prompt/problem.ts";
import type { HeldCall } from "../../store/turns/held-calls.ts";
import type { Turn } from "../../store/turns/turn.ts";
import type { Hooks } from "../hook.ts";
import type { Tool } from "../tool.ts";
import type { Toolset } from "../toolset.ts";
import { type AskMode, foreignText, openTexts } from "./ask-reason.ts";
import { saveStepResult, survivalTier } from "./bill.ts";
import { type AllowedCall, askClient, callLimitRefusal, finishCall, judgeCall, runCall } from "./call.ts";
import { foreignTextsOf, isJob } from "./live-session.ts";
import { allow, decidePermission, isPermission } from "./permission.ts";
import { shortenResult } from "./room.ts";
import { turnPrompt } from "./turn-prompt.ts";
import { type AgentDeps, enterPhase, type KeptResult, type StepResult, type TurnState, taint } from "./turn-state.ts";

/**
 * Runs the calls of an answer. The calls are recorded before the first tool runs, each result as soon as it and those before it
 * are there. Calls that only read run side by side where they stand next to each other; all others run alone, in order.
 */
export async function runCalls(deps: AgentDeps, running: TurnState, answer: Answer, result: StepResult): Promise<void> {
  const acts = await openActs(deps, running, answer, result);
  const isClients = ({ name }: ToolCall) => running.who.toolset.byName.get(name)?.client === true;
  const own = answer.calls.filter((call) => !isClients(call));
  for (const group of callGroups(own, running.who)) {
    const begun = group.map((call) => beginCall(deps, running, acts, call));
    // Handled from the start: a call that throws while an earlier one is waited for would end the process.
    const settled = Promise.allSettled(begun.map(({ ran }) => ran));
    try {
      for (const { call, not, ran } of begun) {
        const result = ran ? acts.keep(await ran) : acts.refuse(call, not as string);
        // Models may make thousands of calls: one that was not run is recorded with the next that was, or with the last.
        if (ran || acts.open().length === 0) await acts.save();
        running.who.emit({ kind: "tool-result", result });
      }
    } finally {
      // No call may still run when the turn stops.
      await settled;
    }
  }
  if (own.length < answer.calls.length) await runClientCalls(deps, running, acts, answer.calls.filter(isClients));
  acts.take();
}

/**
 * Has the client run its calls of an answer, after those that run here, all at once. Each is judged like any other before the
 * client is asked. The results are recorded together.
 */
async function runClientCalls(
  deps: AgentDeps,
  running: TurnState,
  acts: StepActs,
  calls: readonly ToolCall[],
): Promise<void> {
  const { emit } = running.who;
  const allowed: AllowedCall[] = [];
  const told: ToolResult[] = [];
  for (const call of calls) {
    const refusal = acts.begin(call);
    const judged = refusal === undefined ? await judgeCall(deps, running, call) : undefined;
    if (judged?.allowed) allowed.push(judged.allowed);
    else told.push(judged ? acts.keep(judged.told) : acts.refuse(call, refusal as string));
  }
  const ran = allowed.length === 0 ? [] : await askClient(running, allowed);
  for (const [index, one] of allowed.entries())
    told.push(acts.keep(await finishCall(deps, running, one, ran[index] as (typeof ran)[number])));
  await acts.save();
  for (const result of told) emit({ kind: "tool-result", result });
}

/** Records a model's calls before any of them runs. */
export async function openActs(
  deps: AgentDeps,
  running: TurnState,
  answer: Answer,
  result: StepResult,
): Promise<StepActs> {
  const acts = createActs(deps, running, result.answer ?? answer);
  await saveStepResult(deps, running, result);
  enterPhase(running, "ExecutingActions");
  return acts;
}

type BegunCall = { readonly call: ToolCall; readonly not?: string; readonly ran?: ReturnType<typeof runCall> };

function beginCall(deps: AgentDeps, running: TurnState, acts: StepActs, call: ToolCall): BegunCall {
  const refusal = acts.begin(call);
  return refusal === undefined ? { call, ran: runCall(deps, running, call) } : { call, not: refusal };
}

/** Maximum number of calls that run at once: a model may ask for hundreds of files. */
export const maxConcurrentCalls = 8;

type Calling = {
  readonly ask: AskMode;
  readonly toolset: Pick<Toolset, "byName">;
  readonly hooks: Pick<Hooks, "hears">;
};

/**
 * Groups the calls of an answer, in order, to run side by side: readers that stand next to each other. A group begins when the
 * one before it is done. So a group's results taint those after it, and a call that writes runs neither before nor after its
 * time.
 */
export function callGroups(calls: readonly ToolCall[], { ask, toolset, hooks }: Calling): ToolCall[][] {
  // Hooks see one call after the other, and so does a person who is asked before each.
  const isWatched = hooks.hears("before-tool") || hooks.hears("after-tool") || ask === "always";
  const mayShare = ({ name }: ToolCall) => !isWatched && isReader(toolset.byName.get(name));
  const groups: ToolCall[][] = [];
  let open: ToolCall[] | undefined;
  for (const call of calls) {
    const shares = mayShare(call);
    if (open && shares && open.length < maxConcurrentCalls) open.push(call);
    else {
      const group = [call];
      groups.push(group);
      open = shares ? group : undefined;
    }
  }
  return groups;
}

/** Tells whether a call may run beside others. One with a quota is judged by the calls before it. */
function isReader(tool: Tool | undefined): boolean {
  return tool?.reads === true && tool.callsPerTurn === undefined;
}

/**
 * Returns the model that asked for a call: a permission for one agent is none for another, even if that one took over the session
 * since.
 */
async function receiverOf({ store }: AgentDeps, { turn, step, scope }: HeldCall): Promise<string | null> {
  const asked = (await store.steps.of(turn, scope)).find((one) => one.step === step);
  return asked?.receipt?.receiver ?? null;
}

/**
 * Returns the turn as the call's own turn saw it: with the context that was stored with that turn, or none, never with this
 * turn's. Words typed since are no part of it.
 */
async function turnOfHeldCall({ store }: AgentDeps, running: TurnState, { turn, scope }: HeldCall): Promise<TurnState> {
  const context = await store.turns.contextOf(turn, scope);
  return {
    ...running,
    who: { ...running.who, context, typed: undefined, hooks: running.who.hooks.withContext(context) },
  };
}

/** Returns the turn that held a call; undefined if it is gone. */
function turnOf({ store }: AgentDeps, { turn, scope }: HeldCall): Promise<Turn | undefined> {
  return store.turns.get(turn, scope).catch(() => undefined);
}

/**
 * Tells whether a call's turn was tainted, by more than pictures that are the user's own by now: a call may also wait because a
 * person wants to be asked. A turn that is gone counts as tainted.
 */
async function wasTainted(deps: AgentDeps, { session }: TurnState["who"], held: HeldCall): Promise<boolean> {
  const asked = await turnOf(deps, held);
  if (!asked?.tainted) return asked === undefined;
  if (asked.session === null) return true;
  const texts = asked.session === session.id ? session.texts : await foreignTextsOf(deps.store, asked.session);
  return openTexts(texts).length > 0;
}

const shownResults = "Results are shown of calls that untrusted text may have caused.";
/** Foreign words in a turn may have led to the arguments of its calls. */
const mayHaveLed = "text of others may have led to a call that was approved";

/**
 * Runs the calls that an earlier turn asked for and a person has approved since, each exactly once, and adds their results to the
 * user's message; `only`: the id of the one to run. Returns whether there were any. `check` throws where nothing can be asked in this turn, so that nobody would
 * read the results; then the calls are left to the next turn, as are those not begun when the turn was stopped, and all of them
 * while cycles are too few.
 */
export async function runApprovedCalls(
  deps: AgentDeps,
  running: TurnState,
  check: () => Promise<unknown>,
  only?: string,
): Promise<boolean> {
  const { calls } = deps.store;
  // Approved calls all act on the world outside.
  if ((await survivalTier(deps, running)) !== "Normal") return false;
  const { scope, session, channel, operator } = running.who;
  const job = isJob({ operator }, scope);
  const approved = await calls.claim(scope, only === undefined ? { job, session: session.id, channel } : { id: only });
  if (approved.length === 0) return false;
  try {
    await check();
  } catch (error) {
    for (const { id } of approved) await calls.release(id);
    throw error;
  }
  const told: string[] = [];
  const allowed: string[] = [];
  for (const held of approved) {
    const { id, tool, input } = held;
    if (running.who.signal.aborted) {
      await calls.release(id);
      continue;
    }
    // A job without session and channel may be about somebody else: it runs what another held, and is not told of it.
    const isTold = !job || channel !== undefined || (await turnOf(deps, held))?.session === session.id;
    if (isPermission(held)) {
      const isSame = running.seat.model.receiver.name === (await receiverOf(deps, held));
      if (isSame && isTold) allowed.push(allow(running, held));
      else
        await calls.finish(id, {
          status: "failed",
          result: isSame ? "The job is over." : "The agent has another model now.",
        });
      continue;
    }
    // The same arguments would do something else in another directory.
    if (held.place !== null && running.who.toolset.byName.get(tool)?.place !== held.place) {
      await calls.release(id);
      continue;
    }
    const call = { id, name: tool, input: JSON.stringify(input) };
    enterPhase(running, "ExecutingActions");
    running.who.emit({ kind: "tool-call", call });
    running.progress.ranApprovedCalls = true;
    // What it saves or proposes is as foreign as the words that may have led to it: a person has approved the call alone.
    if (await wasTainted(deps, running.who, held))
      taint(running, shownResults, foreignText(mayHaveLed, `${tool} ${call.input}`));
    const result = await runCall(deps, await turnOfHeldCall(deps, running, held), call, { approved: true });
    await calls.finish(id, { status: result.failed ? "failed" : "done", result: result.output });
    running.who.emit({ kind: "tool-result", result });
    if (!isTold) continue;
    told.push(`- ${tool} ${call.input}: ${result.output}`);
  }
  if (told.length === 0 && allowed.length === 0) return running.progress.ranApprovedCalls;
  if (allowed.length > 0) taint(running, shownResults, foreignText(mayHaveLed));
  const heading = (words: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`[${words}]\n${lines.join("\n")}`];
  running.progress.input = [
    ...heading("Calls you asked for earlier, approved since and made now", told),
    ...heading(
      "Permissions you asked for earlier, given since: ask for the same again, and it is allowed once",
      allowed,
    ),
    running.progress.input,
  ].join("\n\n");
  return told.length > 0;
}

/** The calls of one step, recorded: each before it runs, and its result after. */
export type StepActs = {
  readonly calls: readonly ToolCall[];
  /** Begins a call; returns why it must not run, if so. */
  readonly begin: (call: ToolCall) => string | undefined;
  /** Takes a call's result, shortened as the model reads it. The next `save` records it. */
  readonly keep: (result: ToolResult) => ToolResult;
  /** Takes the refusal of a call as its result, never shortened, however little room there is. */
  readonly refuse: (call: ToolCall, not: string) => ToolResult;
  readonly save: () => Promise<void>;
  /** Calls without a result. */
  readonly open: () => readonly ToolCall[];
  /** Adds the calls and results to the turn's messages, for the next request. */
  readonly take: () => void;
};

/**
 * Creates the record of an answer's calls; or, while the answer is still streaming, of the calls made so far. Results may come in
 * any order, and are kept in that of the calls.
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
  const answerSoFar = () => answer ?? { text: draft(), calls: [...calls] };
  const kept = () => results.filter((one) => one !== undefined);
  progress.resultTokens = 0;
  const put = (result: KeptResult, index: number): ToolResult => {
    results[index] = result;
    const { whole: _, ...shown } = result;
    return shown;
  };
  /** Returns the place of the result of the next call with this id. */
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
      // Receivers that keep the conversation have read the whole result, so it is not shortened here.
      return put(answer ? shortenResult(running, result, index) : result, index);
    },
    refuse: ({ id, name }, not) => put({ call: id, name, output: not, failed: true }, placeOf(id)),
    save: () => {
      // Saves follow each other, so that the newest state is recorded last.
      const saved = last.then(() => {
        const acted: StepResult = calls.length > 0 ? { answer: answerSoFar(), results: kept() } : {};
        return saveStepResult(deps, running, { ...progress.stepResult, ...acted });
      });
      last = saved.catch(() => {});
      return saved;
    },
    open: () => calls.filter((_, index) => results[index] === undefined),
    take: () => {
      progress.messages = [
        ...progress.messages,
        ...stepMessages({ ...progress.stepResult, answer: answerSoFar(), results: kept() }),
      ];
      progress.ownSteps = [...progress.ownSteps, progress.step];
    },
  };
}

/** The functions a receiver may call while it answers, and one that ends this: later calls come too late. */
export type WhileAnswering = Required<Pick<AskOptions, "onCall" | "onOwnTool" | "onPermission">> & {
  readonly onDraft: (text: string) => void;
  /** Accepts nothing more. Resolves when all that was begun is recorded. */
  readonly close: () => Promise<void>;
};

/**
 * Serves a receiver that calls tools while it answers: each call is judged, held and recorded as in any turn, one after the
 * other, the call before it runs and the result after.
 */
export function actWhileAnswering(deps: AgentDeps, running: TurnState): WhileAnswering {
  const { who, progress } = running;
  const acts = createActs(deps, running, undefined, () => text);
  const uses = new Map<string, OwnToolUse>();
  let text = "";
  let isOver = false;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  const runOne = async (call: ToolCall): Promise<ToolResult> => {
    const refusal = acts.begin(call);
    await acts.save();
    // Changes by the call before apply when this one is judged.
    if (acts.calls.length > 1) await turnPrompt(deps, running);
    enterPhase(running, "ExecutingActions");
    const result = refusal ? acts.refuse(call, refusal) : acts.keep(await runCall(deps, running, call));
    await acts.save();
    who.emit({ kind: "tool-result", result });
    enterPhase(running, "Inferring");
    return result;
  };
  return {
    onDraft: (delta) => {
      text += delta;
    },
    onCall: (call) =>
      inTurn(async () => {
        if (isOver) return failedResult(call, "Not run: the turn is over.");
        try {
          return await runOne(call);
        } catch (error) {
          // The turn was erased, or its store is out of reach: nothing more is run in it.
          isOver = true;
          return failedResult(call, `Not run: ${reasonOf(error)}`);
        }
      }),
    onOwnTool: (given) => {
      if (isOver) return;
      const use = keptUse(given);
      if (uses.size < maxOwnToolUses || uses.has(use.id)) uses.set(use.id, use);
      const ownTools = [...uses.values()].map(({ foreign: _, ...one }) => one);
      progress.stepResult = { ...progress.stepResult, ownTools };
      who.emit({ kind: "own-tool", use });
      if (!use.foreign) return;
      const wasTainted = progress.tainted;
      const says = "the agent used a tool of its own, and what that read is not known here";
      // The user reads this reason; the tool's name is not for everyone.
      taint(
        running,
        "The agent used a tool of its own: what that read is not known here.",
        foreignText(says, who.id, use.id),
      );
      if (wasTainted) return;
      // The taint must be recorded even if the process dies.
      inTurn(acts.save).catch(() => {});
    },
    onPermission: async (asked) => {
      if (isOver || who.signal.aborted) return "deny";
      try {
        return await decidePermission(deps, running, asked);
      } catch {
        return "deny";
      }
    },
    close: async () => {
      isOver = true;
      await last;
    },
  };
}

const maxOwnToolUses = 200;

/** Limits a use to what is stored and shown: a receiver may send anything. */
function keptUse({ id, title, kind, status, paths, foreign }: OwnToolUse): OwnToolUse {
  const line = (words: string, maxChars: number) =>
    firstCharacters(words.toWellFormed().replace(/\p{Cc}+/gu, " "), maxChars).trim();
  return {
    ...{ id: line(id, 200), title: line(title, 300), kind: line(kind, 40), status, foreign },
    paths: paths.slice(0, 20).map((path) => line(path, 500)),
  };
}

function failedResult({ id, name }: ToolCall, output: string): ToolResult {
  return { call: id, name, output, failed: true };
}
