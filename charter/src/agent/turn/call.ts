import { type Guard, rephrased } from "../../amend/guard.ts";
import { toldLine } from "../../delivery/attachments.ts";
import type { Baseline } from "../../delivery/baseline.ts";
import type { Quote } from "../../delivery/cost.ts";
import { historyOf, type PastTurn } from "../../delivery/history.ts";
import { markOf, withoutMark } from "../../delivery/mark.ts";
import type { Message, ToolCall, ToolResult } from "../../delivery/model.ts";
import { quoteInSession } from "../../delivery/prediction.ts";
import { defined } from "../../prompt/argument.ts";
import { countCharacters, firstCharacters, visible } from "../../prompt/character.ts";
import { findSection } from "../../prompt/charter.ts";
import { fenced } from "../../prompt/fence.ts";
import { withStanding } from "../../prompt/gather.ts";
import { counted, listed, Problem, reasonOf } from "../../prompt/problem.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import type { Notice } from "../../prompt/reading.ts";
import { mended, mendedNotice } from "../../prompt/sound.ts";
import type { AmendmentContext, ProposalOutcome, SecondOpinion } from "../../store/amendments/judge.ts";
import { sha256 } from "../../store/texts/packing.ts";
import { withTimeout } from "../limits.ts";
import { createSecondOpinion } from "../question.ts";
import {
  checkToolInput,
  defineTool,
  hasEffects,
  type ParsedArguments,
  type ProposedChange,
  parseToolInput,
  type Tool,
  type ToolArguments,
  type ToolContext,
  type ToolOutput,
  toolInput,
} from "../tool.ts";
import type { ApproveAnswer, WaitingCall } from "../turn-interface.ts";
import {
  type AskReason,
  allowanceFor,
  askReason,
  becauseText,
  broughtText,
  mayBeOwn,
  openTexts,
  textsWords,
} from "./ask-reason.ts";
import { billOpinion, checkSurvival, survivalTier } from "./bill.ts";
import { claimPictures, messagesOf } from "./live-session.ts";
import { cutWithin, historyName, readResultName, readResultOffer, resultRoom, toldRest } from "./room.ts";
import {
  type AgentDeps,
  addNotice,
  type KeptResult,
  noticeMarkRemoved,
  type StepResult,
  type TurnIdentity,
  type TurnProgress,
  type TurnState,
  type TurnView,
  taint,
} from "./turn-state.ts";

/** A call that may run now, with its arguments. `held`: the held call that a person approved. */
export type AllowedCall = {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly input: unknown;
  readonly held?: string;
};

/** A call before it runs: it may, or the model reads why not. */
type JudgedCall =
  | { readonly allowed: AllowedCall }
  | { readonly allowed?: undefined; readonly told: ToolResult; readonly waits?: true };

/**
 * Runs one call, or says why it did not. Whatever happens is a result for the model: no call is without one. `approved`: a person
 * has approved this very call, so neither taint nor the turn's own count stands in its way.
 */
export async function runCall(
  deps: AgentDeps,
  running: TurnState,
  call: ToolCall,
  { approved = false } = {},
): Promise<ToolResult> {
  const judged = await judgeCall(deps, running, call, { approved });
  return judged.allowed ? runAllowed(deps, running, judged.allowed) : judged.told;
}

export async function runAllowed(deps: AgentDeps, running: TurnState, allowed: AllowedCall): Promise<ToolResult> {
  return finishCall(deps, running, allowed, await runTool(deps, running, allowed));
}

/** Decides whether a call runs: by limits, arguments, hooks, taint and people. */
export async function judgeCall(
  deps: AgentDeps,
  running: TurnState,
  call: ToolCall,
  { approved = false } = {},
): Promise<JudgedCall> {
  const refuse = (output: string): JudgedCall => ({ told: resultOf(running, call, { text: output, failed: true }) });
  const tool = toolNamed(deps, running, call.name);
  if (!tool)
    return refuse(`There is no tool “${call.name}”. The tools are ${listed(running.who.toolset.byName.keys())}.`);
  const refusal = approved ? undefined : callQuotaRefusal(running.progress, tool);
  if (refusal !== undefined) return refuse(refusal);
  const parsed = await parseToolInput(tool, call.input);
  if ("fault" in parsed) return refuse(parsed.fault);

  const hooked = await beforeTool(running.who, tool, call, parsed);
  if ("fault" in hooked) return refuse(hooked.fault);
  const tier = hasEffects(tool) ? await survivalTier(deps, running) : "Normal";
  if (tier !== "Normal")
    return refuse(`Not run: “${tool.name}” acts on the world outside, and cycles are too few for that (${tier}).`);
  const tainted = running.progress.tainted && !isOwnCall(deps, running, { tool, call, given: hooked.input });
  const reason = approved ? undefined : askReason(tool, { tainted, ask: running.who.ask });
  if (reason && !isAllowedNow(deps, running, tool)) {
    const held = await holdCall(deps, running, { tool, call, input: hooked.raw, given: hooked.input, reason });
    if (held.approved === undefined) return { ...refuse(held.told), ...(held.waits ? { waits: true } : {}) };
    // The approval is for this very call, with these very arguments.
    const asked = { ...call, input: JSON.stringify(hooked.raw) };
    const judged = await judgeCall(deps, running, asked, { approved: true });
    if (judged.allowed) return { allowed: { ...judged.allowed, held: held.approved } };
    await deps.store.calls.finish(held.approved, { status: "failed", result: judged.told.output });
    return judged;
  }

  const agent = await deps.store.agents.find(deps.name);
  if (!agent || agent.frozen === "agent")
    return refuse(`Not run: “${deps.name}” ${agent ? "is frozen" : "was removed"}.`);

  if (!approved) running.progress.callsByTool.set(tool.name, (running.progress.callsByTool.get(tool.name) ?? 0) + 1);
  return { allowed: { call, tool, input: hooked.input } };
}

/** Makes the result the model reads: fenced where it is other people's words, and changed as hooks say. */
export async function finishCall(
  deps: AgentDeps,
  running: TurnState,
  { call, tool, input, held }: AllowedCall,
  ran: ToolRunResult,
): Promise<ToolResult> {
  // Tools that bring other people's text may not speak to the user in our name.
  if (ran.notice && tool.trusted === true) addNotice(running.who.emit, running.progress.notices, ran.notice);
  const shown = shownOutput(running, { tool, call }, { ...ran, text: mendedResult(running, tool.name, ran.text) });
  const after = await running.who.hooks.run(
    "after-tool",
    { turn: running.who.id, tool: tool.name, call: call.id, input, output: shown, failed: ran.failed },
    (now, { output = now.output, failed = now.failed }) => {
      if (typeof output !== "string") return "its output is no text";
      if (typeof failed !== "boolean") return "whether it failed is neither true nor false";
      return { ...now, output, failed };
    },
  );
  const result = resultOf(running, call, { text: after.output, failed: after.failed });
  if (held !== undefined)
    await deps.store.calls.finish(held, { status: result.failed ? "failed" : "done", result: result.output });
  return result;
}

/** Mends what a tool gave: with half a character, a provider would reject this request, and every later one of the session. */
function mendedResult({ who, progress }: Pick<TurnState, "who" | "progress">, tool: string, text: string): string {
  const whole = mended(text);
  if (whole !== text) addNotice(who.emit, progress.notices, mendedNotice(`A result of the tool “${mended(tool)}”`));
  return whole;
}

function resultOf(
  { who, progress }: Pick<TurnState, "who" | "progress">,
  { id, name }: ToolCall,
  { text, failed }: { readonly text: string; readonly failed: boolean },
): ToolResult {
  const output = mendedResult({ who, progress }, name, withoutSessionMark(who, text));
  return { call: id, name, output, ...(failed ? { failed: true as const } : {}) };
}

function toolNamed(deps: AgentDeps, running: TurnState, name: string): Tool | undefined {
  return running.who.toolset.byName.get(name) ?? (name === readResultName ? readResult(deps, running) : undefined);
}

export function callLimitRefusal({
  terms: { limits },
  progress: { callCount },
}: Pick<TurnState, "terms" | "progress">): string | undefined {
  if (callCount > limits.toolCalls) return `Not run: the limit is ${counted(limits.toolCalls, "call")} per turn.`;
  return undefined;
}

function callQuotaRefusal(
  { callsByTool, phase }: Pick<TurnProgress, "callsByTool" | "phase">,
  tool: Tool,
): string | undefined {
  if (tool.callsPerTurn !== undefined && (callsByTool.get(tool.name) ?? 0) >= tool.callsPerTurn)
    return `Not run: “${tool.name}” may be called ${tool.callsPerTurn === 1 ? "once" : `${tool.callsPerTurn} times`} a turn.`;
  if (tool.states && !tool.states.includes(phase))
    return `Not run: “${tool.name}” runs only while the agent is ${tool.states.join(" or ")}.`;
  return undefined;
}

async function beforeTool(
  { hooks, id }: TurnIdentity,
  tool: Tool,
  call: ToolCall,
  parsed: ToolArguments,
): Promise<ParsedArguments> {
  let refused: string | undefined;
  const given = { turn: id, tool: tool.name, call: call.id, input: parsed.input };
  const after = await hooks.run("before-tool", given, (now, change, hook) => {
    if (change.refuse !== undefined) {
      if (typeof change.refuse !== "string") return "its refusal is no text";
      refused ??= `Not run: ${hook} refused the call. ${change.refuse}`;
    }
    return change.input === undefined ? now : { ...now, input: change.input };
  });
  if (refused !== undefined) return { fault: refused };
  return after.input === parsed.input ? parsed : checkToolInput(tool, after.input);
}

/** Asks the client to run calls, and waits for their results as long as the turn may take. */
export async function askClient(
  { who: { onClientCalls, signal } }: Pick<TurnState, "who">,
  allowed: readonly AllowedCall[],
): Promise<readonly ToolRunResult[]> {
  const all = (text: string) => allowed.map(() => ownFailure(text));
  if (!onClientCalls) return all("Not run: no client waits for this call.");
  // The arguments as hooks left them.
  const calls = allowed.map(({ call, input }) => ({ ...call, input: JSON.stringify(input) }));
  const late = Promise.withResolvers<readonly ToolRunResult[]>();
  const stop = () =>
    late.resolve(all("The client had given no result when the turn ended; whether it took effect is not known."));
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    const given = async () => (await onClientCalls(calls, signal)).map(toolRunResultOf);
    return await Promise.race([late.promise, given()]);
  } catch (error) {
    return allowed.map(() => failure(`It failed: ${reasonOf(error)}`));
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function runTool(deps: AgentDeps, running: TurnState, allowed: AllowedCall): Promise<ToolRunResult> {
  const { tool, call, input } = allowed;
  if (tool.client) return (await askClient(running, [allowed]))[0] as ToolRunResult;
  const seconds = running.terms.limits.toolSeconds;
  const giveUp = new AbortController();
  const signal = AbortSignal.any([running.who.signal, giveUp.signal]);
  const onTimeout = (): ToolRunResult => {
    const why = running.who.signal.aborted ? "when the turn was stopped" : `within ${seconds} s`;
    giveUp.abort();
    return ownFailure(`It had not finished ${why}; whether it took effect is not known.`);
  };
  const work = async () =>
    toolRunResultOf(await tool.run(input as never, { ...toolContextOf(deps, running, call), signal }));
  try {
    return await withTimeout(seconds * 1000, work(), onTimeout, running.who.signal);
  } catch (error) {
    const hint = error instanceof Problem ? ` ${error.hint}` : "";
    return failure(`It failed: ${reasonOf(error)}${hint}`);
  }
}

/** Fences other people's words and cuts a result that is too long, with a line that says so. */
function shownOutput(
  running: TurnState,
  { tool, call }: { readonly tool: Tool; readonly call: ToolCall },
  { text, foreign, own }: ToolRunResult,
): string {
  const shorter = firstCharacters(text, running.terms.limits.toolChars);
  const missing = countCharacters(text.slice(shorter.length));
  const note = missing === 0 ? "" : `\n(cut here: ${missing} more characters; ask for less at once)`;
  const isForeign = tool.trusted !== true && !own;
  if (isForeign || foreign) taint(running, `“${tool.name}” brought untrusted text.`, broughtText(call, text));
  return (isForeign ? fenced(shorter, tool.name) : shorter) + note;
}

/**
 * Removes the system's mark from words before they are stored, so that they are stored as they will be sent: only the system
 * speaks behind its mark.
 */
export function withoutSessionMark(who: Pick<TurnIdentity, "session" | "emit">, words: string): string {
  const secret = who.session.baseline?.secret;
  if (secret === undefined) return words;
  const plain = withoutMark(words, markOf(secret, sha256));
  if (plain !== words) noticeMarkRemoved(who);
  return plain;
}

/** Tells whether a person has allowed this tool for this session, and nothing has ended that. */
function isAllowedNow({ allowances }: AgentDeps, { who }: Pick<TurnState, "who">, tool: Tool): boolean {
  return allowances.isAllowed(allowanceFor(who.session, who.scope, tool));
}

type AskedCall = {
  readonly tool: Tool;
  readonly call: ToolCall;
  /** The arguments as they are stored, and as the tool would get them. */
  readonly input: unknown;
  readonly given: unknown;
  readonly reason: AskReason;
};

/** The result of holding a call. `waits`: it runs later if it is approved; otherwise it was refused. */
type HoldResult =
  | { readonly told: string; readonly waits?: true; readonly approved?: undefined }
  | { readonly approved: string };

/**
 * Holds a call until a person approves it: stores it, and asks the person at the door. Without an answer it waits, and runs once
 * in a later turn if it is approved.
 */
async function holdCall(deps: AgentDeps, running: TurnState, asking: AskedCall): Promise<HoldResult> {
  const { tool, call, input, reason: why } = asking;
  const { store, whenTainted, allowances } = deps;
  const { id, scope, session, emit } = running.who;
  const facts = factsOf(why);
  if (why === "untrusted" && whenTainted === "refuse") return { told: refusedText(facts) };
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
  // The answer covers only what was known when the question was put.
  const asked = allowanceFor(session, scope, tool);
  const pictures = openTexts(session.texts);
  const ofPicture = why === "untrusted" && mayBeOwn(pictures) ? { ofPicture: true as const } : {};
  const { step } = running.progress;
  const held = await store.calls.hold(scope, {
    turn: id,
    step,
    call: call.id,
    tool: call.name,
    input,
    reason,
    ...place,
    ...ofPicture,
  });
  const question = { id: held.id, tool: call.name, input, reason, ...place, ...ofPicture, mayAllow: true as const };
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
    // A person at another door may have been quicker.
    if (!(error instanceof Problem && error.code === "already-decided")) throw error;
    return { told: refusedText(`It was decided elsewhere before. ${error.message}`) };
  }
  if (!decision) return { told: refusedText("A person was asked about the call, and said no.") };
  if (decision === "session") {
    allowances.add(asked);
    await store.events.record({
      scope,
      kind: "tool-allowed",
      turn: id,
      detail: { tool: tool.name, session: session.id, by },
    });
  }
  if (decision === "mine") {
    await claimPictures(store, pictures, { scope, by, turn: id });
    const keys = new Set(pictures.map(({ key }) => key));
    session.texts = session.texts.map((text) => (keys.has(text.key) ? { ...text, own: true } : text));
    running.progress.tainted = openTexts(session.texts).length > 0;
    const message = `You are asked no more because ${textsWords(pictures)}: it counts as your own in this conversation.`;
    addNotice(emit, running.progress.notices, { code: "own-picture", message });
  }
  return { approved: held.id };
}

/** Tells whether a call is of the person's own words; one whose tool fails to say is not. */
function isOwnCall(
  deps: AgentDeps,
  running: TurnState,
  { tool, call, given }: Pick<AskedCall, "tool" | "call" | "given">,
): boolean {
  try {
    return tool.isOwn?.(given, toolContextOf(deps, running, call)) === true;
  } catch {
    return false;
  }
}

/** Asks the tool what an id in the call means, for a person to read; the question is put without it if that fails. */
async function meantBy(deps: AgentDeps, running: TurnState, { tool, call, given }: AskedCall): Promise<string[]> {
  try {
    const meant = await tool.meant?.(given, toolContextOf(deps, running, call));
    return typeof meant === "string" ? [visible(meant)] : [];
  } catch {
    return [];
  }
}

/** Says why a call is held, for the model: it needs no names, since it knows what it read. */
function factsOf(why: AskReason): string {
  if (why === "untrusted") return "Untrusted text is in this turn's context, and the tool may have effects outside.";
  return why === "writes" ? "The tool may have effects outside." : "The user is asked about every call.";
}

function refusedText(because: string): string {
  return JSON.stringify({ verdict: "refused", because });
}

/**
 * Asks the person at the door about a call. Returns their answer, or undefined if nobody is there or answers in time. A later
 * answer is ignored.
 */
export async function askPerson(
  { sleep }: Pick<AgentDeps, "sleep">,
  { who, terms: { limits } }: Pick<TurnState, "who" | "terms">,
  held: WaitingCall,
): Promise<ApproveAnswer> {
  if (!who.approve) return undefined;
  const settled = new AbortController();
  const signal = AbortSignal.any([who.signal, settled.signal]);
  const timeout = sleep(limits.askSeconds * 1000, signal).then(() => undefined);
  try {
    // A door that fails gives no answer.
    const answered = (async () => who.approve?.(held, signal))().catch(() => undefined);
    const answer = await Promise.race([answered, timeout]);
    if (answer === "session") return held.mayAllow ? "session" : true;
    if (answer === "mine") return held.ofPicture ? "mine" : true;
    return typeof answer === "boolean" ? answer : undefined;
  } finally {
    settled.abort();
  }
}

/** The result of a tool. `own`: the words are the tool's, even in a tool that is not trusted. */
type ToolRunResult = {
  readonly text: string;
  readonly foreign: boolean;
  readonly own?: true;
  readonly failed: boolean;
  readonly notice?: Notice;
};

export function failure(text: string): ToolRunResult {
  return { text, foreign: false, failed: true };
}

/** A failure in words of ours, which nobody else had a part in. */
function ownFailure(text: string): ToolRunResult {
  return { ...failure(text), own: true };
}

export function toolRunResultOf(output: ToolOutput): ToolRunResult {
  if (typeof output === "string") return { text: output, foreign: false, failed: false };
  if (isText(output)) {
    const { text, foreign, failed, notice } = output;
    return {
      ...{ text, foreign: foreign === true, failed: failed === true },
      ...(foreign === false ? { own: true } : {}),
      ...(isNotice(notice) ? { notice } : {}),
    };
  }
  return { text: JSON.stringify(output) ?? "", foreign: false, failed: false };
}

function isText(
  output: ToolOutput,
): output is Exclude<ToolOutput, string> & { text: string; foreign?: boolean; failed?: true; notice?: unknown } {
  return typeof output === "object" && output !== null && typeof (output as { text?: unknown }).text === "string";
}

function isNotice(value: unknown): value is Notice {
  const { code, message } = Object(value) as Partial<Notice>;
  return typeof code === "string" && typeof message === "string";
}

/** Makes the context of the turn that a tool runs in. */
export function toolContextOf(
  deps: AgentDeps,
  running: TurnView & Pick<TurnState, "bill">,
  call: ToolCall,
): ToolContext {
  const { store, clock } = deps;
  const { id, scope, channel, context, typed, signal, declaration } = running.who;
  // Each proposal gets a name of its own, whatever ids the model gave.
  const asked = sha256(JSON.stringify([id, running.progress.step, call.id])).slice(0, 32);
  let proposals = 0;
  return {
    turn: id,
    scope,
    user: scope.user ?? null,
    channel,
    now: clock().toISOString(),
    call: call.id,
    tainted: running.progress.tainted,
    ...defined({ context, typed }),
    signal,
    store,
    prompt: running.words.prompt as Prompt,
    messages: [...messagesOf(running.who.session.stretches), ...running.progress.messages],
    standing: async (name) => {
      const { section } = findSection(declaration.charter, name);
      const standing = (await store.standings.read(declaration.charter, scope, declaration.fault))[section.name];
      if (standing && "unavailable" in standing)
        throw new Problem(
          "standing-unavailable",
          `“${name}” could not be read: ${standing.unavailable}`,
          "Try again later.",
        );
      return standing ?? { text: section.original ?? "", revision: 0 };
    },
    propose: async (change) => {
      const idempotencyKey = `${asked}/${proposals++}`;
      const settled = await store.propose(
        { ...(await amendmentContextOf(deps, running)), idempotencyKey },
        { ...change, actor: "agent", turn: id },
      );
      const quote = quoteFor(running, change, settled);
      const answer = quote ? { ...settled, quote } : settled;
      running.who.emit({ kind: "proposed", section: change.section, outcome: answer });
      return answer;
    },
  };
}

/**
 * Makes the context in which a turn's proposals are judged: the charter's rules, the words that stand then, and the turn's
 * history.
 */
async function amendmentContextOf(
  deps: AgentDeps,
  running: TurnView & Pick<TurnState, "bill">,
): Promise<AmendmentContext> {
  const { declaration, scope, session, tokenizer, typed } = running.who;
  const { tainted, phase } = running.progress;
  const by = tainted ? { taintedBy: textsWords(session.texts), ...(typed === undefined ? {} : { typed }) } : {};
  const { charter, fault } = declaration;
  const rulesFor = await declaration.rules();
  const { edition } = running.words.prompt ?? {};
  const room = { tokenizer, ...running.terms.room, ...(edition === undefined ? {} : { edition }) };
  return {
    charter,
    scope,
    turn: { tainted, ...by, amendments: 0, state: phase },
    rules: (section, standing) => {
      const rules = rulesFor(section, withStanding(charter, running.words.readings, standing), room);
      return deps.whenTainted === "hold" ? rules : { ...rules, guards: rules.guards.map(refuseInsteadOfHold) };
    },
    ...(fault ? { fault } : {}),
    secondOpinion: secondOpinionOf(deps, running),
  };
}

/** Makes the adviser, which is a model as well: while cycles are too few it is not asked, and a person is. */
function secondOpinionOf(deps: AgentDeps, running: TurnView & Pick<TurnState, "bill">): SecondOpinion {
  const { secondOpinion, store, clock, sleep } = deps;
  const { limits } = running.terms;
  return createSecondOpinion({
    ...{ ...secondOpinion, store, limits, clock, sleep, signal: running.who.signal },
    beforeAsk: (request) => checkSurvival(deps, running, request),
    onBill: (bill) => billOpinion(running.bill, bill),
  });
}

/** Refuses what would be held, for agents whose policy is that nothing waits for a person. */
function refuseInsteadOfHold(guard: Guard): Guard {
  return rephrased(guard, ({ guard: name, because }) => ({ guard: name, because }));
}

function quoteFor(running: TurnView, change: ProposedChange, settled: ProposalOutcome): Quote | undefined {
  if (settled.verdict === "refused" || settled.verdict === "unchanged") return undefined;
  const { verdict, before, after } = settled;
  const { session, tokenizer } = running.who;
  const { messages } = running.progress;
  return quoteInSession({
    section: change.section,
    verdict,
    before,
    after,
    takesBack: change.operation.kind === "reset" || change.operation.kind === "revert",
    receiver: running.seat.model.receiver,
    tokenizer,
    baseline: session.baseline,
    messages: [...messagesOf(session.stretches), ...messages],
    cold: false,
  });
}

const input = toolInput((z) => ({ of: z.string(), from: z.int().min(0) }));

/** Makes the tool for one turn: how much of a result it shows depends on the room left. */
function readResult(deps: AgentDeps, running: TurnState): Tool {
  return defineTool({
    name: readResultName,
    input,
    description: readResultOffer.description,
    trusted: true,
    reads: true,
    run: async ({ of, from }, context): Promise<ToolOutput> => {
      const whole = of === historyName ? await leftOutHistory(deps, running) : await wholeOf(of, context);
      if (!whole) return { text: `There is no result “${of}” in this conversation that was shortened.`, failed: true };
      const { text } = whole;
      // What the user said is their own is foreign no more.
      const foreign = whole.foreign === true && openTexts(running.who.session.texts).length > 0;
      if (from >= text.length)
        return { text: `“${of}” has ${text.length} characters: there is nothing from ${from} on.` };
      const { tokenizer } = running.who;
      const end = from + cutWithin(text.slice(from), Math.max(40, resultRoom(running) - 60), tokenizer);
      const piece = text.slice(from, end) + toldRest(of, text, end);
      if (!foreign) return { text: piece };
      // Quoted lines stay quoted when they are continued.
      return { text: text[from - 1] === "\n" || from === 0 ? piece : `> ${piece}`, foreign };
    },
  });
}

/** Finds the whole text of a result, if it belongs to this conversation. */
async function wholeOf(of: string, { store, scope, turn }: ToolContext): Promise<KeptResult["whole"]> {
  const [, from = "", step, index] = /^(.+)\/(\d+)\/(\d+)$/s.exec(of) ?? [];
  const { session } = await store.turns.get(turn, scope);
  const other = await store.turns.get(from, scope).catch(() => undefined);
  if (!other || other.session !== session || session === null) return undefined;
  const recorded = (await store.steps.of(from, scope)).find((one) => one.step === Number(step));
  return (recorded?.result as StepResult | null | undefined)?.results?.[Number(index)]?.whole;
}

/** Writes out the history up to where the session goes on, from the record. */
async function leftOutHistory(
  { store }: AgentDeps,
  { who: { session }, seat: { model } }: Pick<TurnState, "who" | "seat">,
): Promise<KeptResult["whole"]> {
  const { baseline } = session;
  const summary = baseline?.summary;
  if (!summary?.leftOut) return undefined;
  const all = await store.sessions.history(session.id);
  const past = all.slice(0, all.findIndex(({ id }) => id === summary.until) + 1).map((turn) => {
    if (turn.id !== summary.until || summary.step === undefined) return turn;
    const steps = turn.steps.filter(({ step }) => step <= (summary.step as number));
    return { ...turn, state: "answered", reply: null, steps };
  });
  const plain: Baseline = { ...baseline, summary: null, updates: [] } as Baseline;
  const stretches = historyOf(past as readonly PastTurn[], plain, model.receiver);
  const text = stretches.flatMap(({ messages }) => messages.map(messageText)).join("\n\n");
  return { text, ...(stretches.some(({ tainted }) => tainted) ? { foreign: true } : {}) };
}

function messageText(message: Message): string {
  if (message.role === "tool")
    return message.results.map(({ name, output }) => `${name} returned: ${output}`).join("\n");
  if (message.role === "assistant") {
    const calls = message.calls.map(({ name, input }) => `You called ${name} ${input}`);
    return [...(message.text === "" ? [] : [`You: ${message.text}`]), ...calls].join("\n");
  }
  const files = (message.attachments ?? []).map((one) => toldLine(one, "was shown"));
  return [`Person: ${message.text}`, ...files].join("\n");
}
