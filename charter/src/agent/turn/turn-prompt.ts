import { codeWords, hookLayer, isUpdate, updatePlacements } from "../../delivery/baseline.ts";
import { type Delivery, plainMessages } from "../../delivery/deliver.ts";
import type { Message, ToolCall, ToolResult } from "../../delivery/model.ts";
import { offerTokens } from "../../delivery/prediction.ts";
import { defined } from "../../prompt/argument.ts";
import { assemble, boundsOf, type Room } from "../../prompt/assemble.ts";
import { allSections, type Charter, type Edition, sectionMutability, sectionStability } from "../../prompt/charter.ts";
import { gather, withStanding } from "../../prompt/gather.ts";
import { missingFixedWords } from "../../prompt/lock.ts";
import { counted, grouped, listed, Problem } from "../../prompt/problem.ts";
import { type Prompt, sectionTexts } from "../../prompt/prompt.ts";
import type { Notice, Part, Reading, Readings, SourceContext, Standing } from "../../prompt/reading.ts";
import { sectionDigest } from "../../prompt/receipt.ts";
import type { Layer, Section } from "../../prompt/section.ts";
import { isWhole, sourceName } from "../../prompt/sound.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import { sha256 } from "../../store/texts/packing.ts";
import type { ApplyChange } from "../hook.ts";
import { sourceTimeout } from "../limits.ts";
import { foreignDigest } from "./ask-reason.ts";
import { offersNow, requestLimit } from "./room.ts";
import {
  type AgentDeps,
  addNotice,
  enterPhase,
  noticeMarkRemoved,
  type TurnIdentity,
  type TurnState,
  taint,
} from "./turn-state.ts";

/**
 * Makes a function that tells which sections with sources have a standing text that changed since they were read, unless they
 * could not be read.
 */
function wasAmended(
  { readings, standing: previous }: TurnState["words"],
  standing: SourceContext["standing"],
): (section: Section, layer: Layer) => boolean {
  const revision = (one: Standing | undefined) => (one && "revision" in one ? one.revision : 0);
  const shown = (reading: Reading | undefined) =>
    reading?.status === "present" ? Math.max(0, ...reading.parts.map((part) => part.revision ?? 0)) : 0;
  return (section, layer) =>
    section.sources !== undefined &&
    typeof sectionMutability(section, layer) === "object" &&
    sectionStability(section) !== "state" &&
    readings[section.name]?.status !== "unavailable" &&
    revision(standing[section.name]) > Math.max(revision(previous[section.name]), shown(readings[section.name]));
}

/**
 * Makes the prompt of the next step. The first step of a turn reads every source; later ones read only what moves within a turn:
 * the standing words, which the turn itself may have amended, and the state.
 */
export async function turnPrompt(deps: AgentDeps, running: Omit<TurnState, "bill">): Promise<Prompt> {
  const { declaration, scope, channel, zone, context, toolset, tokenizer, emit } = running.who;
  const { callsByTool, callCount, notices } = running.progress;
  const { charter, fault } = declaration;
  enterPhase(running, "LoadingContext");
  const { store } = deps;
  const { limits } = running.terms;
  const standing = await store.standings.read(charter, scope, fault);
  running.words.now ??= deps.clock().toISOString();
  const turn: SourceContext = {
    agent: scope.agent,
    now: running.words.now,
    tools: toolset.lines(callsByTool),
    phase: "Inferring",
    callsLeft: Math.max(0, limits.toolCalls - callCount),
    standing,
    ...defined({ user: scope.user, channel, zone, context }),
  };
  const wait = sourceTimeout(limits.sourceSeconds, running.who.signal);
  running.words.readings =
    running.words.prompt === undefined
      ? await gather(charter, turn, wait)
      : {
          ...withStanding(charter, running.words.readings, standing),
          ...(await gather(charter, turn, wait, (section) => sectionStability(section) === "state")),
          ...(await gather(charter, { ...turn, again: true }, wait, wasAmended(running.words, standing))),
        };
  running.words.standing = standing;
  const { maxBytes, window, name } = running.seat.model.receiver;
  const room = { tokenizer, ...running.terms.room };
  const before = running.words.prompt?.edition ?? running.who.session.baseline?.edition;
  const fit = { window, toolTokens: offerTokens(offersNow(running), tokenizer), before };
  const { prompt, because } = fittingPrompt(charter, running.words.readings, room, fit, maxBytes);
  if (because) addNotice(emit, notices, compactNotice(name, because));
  running.words.prompt = prompt;
  for (const one of prompt.notices) addNotice(emit, notices, one);
  for (const words of sectionTexts(prompt, tokenizer)) {
    if (words.trust !== "foreign") continue;
    const says = `the section “${words.name}” of the agent's prompt has words of others in it`;
    taint(running, `Untrusted text is in “${words.name}”.`, foreignDigest(says, sectionDigest(words, sha256)));
  }
  return prompt;
}

/** Share of a window that the prompt and the tools may take: the rest is for the conversation. */
const promptShare = 2 / 3;

/** The window a prompt has to fit into, beside the tools and the conversation. */
export type PromptFit = {
  /** Maximum number of tokens of a request; null where that is not known. */
  readonly window: number | null;
  readonly toolTokens: number;
  /** The edition that the session has had so far. */
  readonly before?: Edition | undefined;
};

/**
 * The edition of a prompt. `because`: the tokens of the full prompt with the tools, which leave too little of the window.
 * `whole`: the prompt in this edition, where it was assembled to be measured.
 */
type ChosenEdition = { readonly edition: Edition; readonly because?: TooLarge | undefined; readonly whole?: Prompt };

type TooLarge = { readonly tokens: number; readonly window: number };

/**
 * Chooses the full edition, unless it leaves too little of the window. A session keeps the one it has: it only becomes compact
 * where no request could be made otherwise, and never full again.
 */
export function chooseEdition(
  charter: Charter,
  readings: Readings,
  { tokenizer, edition, ...limits }: Room & { readonly tokenizer: Tokenizer },
  { window, toolTokens, before }: PromptFit,
): ChosenEdition {
  if (edition !== undefined) return { edition };
  if (before === "compact") return { edition: before };
  const maxPromptTokens = before === "full" ? requestLimit(window) : window && window * promptShare;
  if (window === null || maxPromptTokens === null) return { edition: "full" };
  const whole = assemble(charter, readings, { ...limits, tokenizer });
  const tokens = whole.tokens(tokenizer).total + toolTokens;
  return tokens <= maxPromptTokens ? { edition: "full", whole } : { edition: "compact", because: { tokens, window } };
}

/** Share of a window that a prompt with the tools may take before text of sources is cut: some is left for what is said. */
const mostShare = 0.75;

/** Number of characters that a source's text keeps, however little room there is. */
const leastChars = 500;

/** A prompt in its edition, of readings that are cut where there is no room for them. */
type FittingPrompt = Pick<ChosenEdition, "because"> & { readonly prompt: Prompt; readonly readings: Readings };

/**
 * Assembles a prompt in its edition. Where sources give so much that there is none, or one that no request has room for, their
 * longest texts are cut until there is: nobody who writes in one can stop the turns of an agent.
 */
export function fittingPrompt(
  charter: Charter,
  readings: Readings,
  room: Room & { readonly tokenizer: Tokenizer },
  fit: PromptFit,
  maxBytes?: number,
): FittingPrompt {
  let chars = Number.POSITIVE_INFINITY;
  let uncut: FittingPrompt | undefined;
  for (let given = readings; ; given = cutReadings(charter, readings, chars)) {
    const isLast = chars <= leastChars;
    try {
      const { edition, because, whole } = chooseEdition(charter, given, room, fit);
      const prompt = assembleWithin(charter, given, { ...room, edition }, maxBytes, whole);
      const fitting = { prompt, because, readings: given };
      if (!isTooLarge(prompt, room.tokenizer, fit)) return fitting;
      uncut ??= fitting;
      // What is too much is not what sources gave.
      if (isLast) return { ...uncut, because };
    } catch (error) {
      if (isLast || !(error instanceof Problem && error.code === "no-room")) throw error;
    }
    const longest = Math.max(...sourcedSections(charter).map(({ name }) => lengthOf(given[name])), 0);
    chars = Math.max(leastChars, Math.floor(longest / 2));
  }
}

function isTooLarge(prompt: Prompt, tokenizer: Tokenizer, { window, toolTokens }: PromptFit): boolean {
  return window !== null && prompt.tokens(tokenizer).total + toolTokens > window * mostShare;
}

function sourcedSections(charter: Charter): Section[] {
  return allSections(charter).flatMap(({ section }) => (section.sources ? [section] : []));
}

function lengthOf(reading: Reading | undefined): number {
  return reading?.status === "present" ? reading.parts.reduce((sum, { text }) => sum + text.length, 0) : 0;
}

function cutReadings(charter: Charter, readings: Readings, chars: number): Readings {
  const cut: Record<string, Reading> = { ...readings };
  for (const { name } of sourcedSections(charter)) if (cut[name]) cut[name] = cutReading(cut[name], name, chars);
  return cut;
}

/** The newest cut of each reading: the same cut gives the same object, which is not rendered again. */
const cuts = new WeakMap<Reading, { readonly chars: number; readonly cut: Reading }>();

function cutReading(reading: Reading, name: string, chars: number): Reading {
  if (reading.status !== "present" || lengthOf(reading) <= chars) return reading;
  const known = cuts.get(reading);
  if (known?.chars === chars) return known.cut;
  const missing = lengthOf(reading) - chars;
  const parts: Part[] = [];
  let left = chars;
  let last = reading.parts[0] as Part;
  for (const part of reading.parts) {
    if (left <= 0) break;
    last = part;
    const { short: _, ...plain } = part;
    parts.push(
      part.text.length <= left ? part : { ...plain, text: part.text.slice(0, left).replace(/[\ud800-\udbff]$/, "") },
    );
    left -= part.text.length;
  }
  const told = `(cut here: ${missing} more characters)`;
  const message = `The text of “${name}” by ${sourceName(last)} has more characters than there is room for: what comes after ${grouped(chars)} is left out.`;
  const cut: Reading = {
    status: "present",
    parts: [...parts, { text: told, kind: "told", source: "charter", trust: "own" }],
    notices: [...(reading.notices ?? []), { code: "text-mended", message }],
  };
  cuts.set(reading, { chars, cut });
  return cut;
}

/** Makes the notice in the turn in which a session's prompt becomes compact. */
function compactNotice(model: string, { tokens, window }: TooLarge): Notice {
  const message = `The prompt is sent in its compact edition: with its tools it has ${counted(tokens, "token")} in full, and “${model}” takes ${grouped(window)} for everything.`;
  return { code: "edition-compact", message };
}

/** Notes in the session's baseline the edition of the prompt that was sent. */
export function withEdition(delivery: Delivery, { edition }: Prompt): Delivery {
  const { baseline } = delivery;
  return baseline.edition === edition ? delivery : { ...delivery, baseline: { ...baseline, edition } };
}

const { byteLength } = Buffer;

/** Bytes reserved for the line on changes that delivery adds to a prompt. */
const spareBytes = 1024;

/**
 * Assembles a prompt of at most this many bytes. Charters count characters: where those of a prompt take more than a byte each,
 * it is assembled with fewer of them, until it fits. `whole`: the prompt without that bound.
 */
export function assembleWithin(
  charter: Charter,
  readings: Readings,
  room: Room,
  maxBytes: number | undefined,
  whole = assemble(charter, readings, room),
): Prompt {
  if (maxBytes === undefined) return whole;
  const limit = Math.max(0, maxBytes - spareBytes);
  const { chars: declared = Number.POSITIVE_INFINITY } = boundsOf(charter, room);
  let prompt = whole;
  for (let chars = Math.min(declared, limit); byteLength(prompt.text) > limit; ) {
    prompt = assemble(charter, readings, { ...room, chars });
    const bytes = byteLength(prompt.text);
    if (chars === 0) return prompt;
    chars = Math.min(chars - 1, Math.floor(chars * (limit / Math.max(bytes, 1))));
  }
  return prompt;
}

/**
 * Runs the hooks before a step, which may change its messages. Updates of the prompt are the prompt's words: each stays as it is.
 */
export async function beforeStep(who: TurnIdentity, delivery: Delivery, step: number): Promise<Delivery> {
  const { history, request, marks } = delivery;
  const take: ApplyChange<"before-step"> = (now, change) => {
    if (change.messages === undefined) return now;
    // A JSON copy, since messages are digested and sent as JSON: an error shows here, and later changes have no effect.
    const given: unknown = JSON.parse(JSON.stringify(change.messages) ?? "null");
    if (!Array.isArray(given) || !given.every(isMessage)) return "its messages are no list of messages";
    if (given.every(isUpdate)) return "it left nothing of what was said; its result is discarded";
    const updates = (messages: readonly Message[]) => JSON.stringify(messages.filter(isUpdate));
    if (updates(given) !== updates(history))
      return "it dropped or changed text of the prompt among the messages; its result is discarded";
    return { ...now, messages: paired(given) };
  };
  const given = { turn: who.id, step, messages: history };
  const { messages: hooked } = await who.hooks.run("before-step", given, take);
  if (hooked === history) return delivery;
  const plain = plainMessages(hooked, delivery.baseline, sha256);
  if (plain !== hooked) noticeMarkRemoved(who);
  const messages = withUpdatesLast(plain);
  const marked = messages.map((message, index) =>
    marks.length > 0 && index === messages.length - 1 ? { ...message, breakpoint: true as const } : message,
  );
  const after = marks.length > 0 && messages.length > 0 ? [messages.length] : [];
  const placements = [
    ...delivery.placements.filter(({ slot }) => slot !== "update"),
    ...updatePlacements(delivery.baseline.updates, messages),
  ];
  return {
    ...delivery,
    placements,
    history: messages,
    marks: after,
    request: { ...request, messages: marked },
  };
}

/** Puts what the system says in its own role behind what a hook added: it stands directly before the answer. */
function withUpdatesLast(messages: readonly Message[]): readonly Message[] {
  const answered = messages.findLastIndex(({ role }) => role === "assistant");
  const isLast = (one: Message, index: number) => index > answered && one.role === "system" && isUpdate(one);
  const last = messages.filter(isLast);
  return last.length === 0 ? messages : [...messages.filter((one, index) => !isLast(one, index)), ...last];
}

function isMessage(value: unknown): value is Message {
  const { role, text, calls, results } = (value ?? {}) as Record<string, unknown>;
  if (role === "user" || role === "system") return typeof text === "string";
  if (role === "assistant") return typeof text === "string" && areTexts(calls, ["id", "name", "input"]);
  return role === "tool" && areTexts(results, ["call", "name", "output"]);
}

/** Tells whether a value is a list of objects with these texts in each. */
function areTexts(value: unknown, names: readonly string[]): boolean {
  const whole = (one: unknown) =>
    names.every((name) => typeof (one as Record<string, unknown> | null)?.[name] === "string");
  return Array.isArray(value) && value.every(whole);
}

/**
 * Runs the hooks before a turn's first step. Text that one adds to the prompt becomes state of this turn, after the prompt; a
 * rewritten prompt is sent as it is, for this turn, as long as every fixed word is still in it.
 */
export async function beforeTurn(
  running: Pick<TurnState, "who" | "progress" | "words">,
  prompt: Prompt,
): Promise<void> {
  const { id, channel, declaration, tokenizer } = running.who;
  const hands: string[] = [];
  const messages: string[] = [];
  const take: ApplyChange<"before-turn"> = (now, change, hook) => {
    const invalid = (["input", "message", "prompt"] as const).find(
      (name) => change[name] !== undefined && !(typeof change[name] === "string" && isWhole(change[name])),
    );
    if (invalid !== undefined) return `its ${invalid} is no text`;
    if (change.prompt !== undefined && change.prompt !== now.prompt) {
      const missing = missingFixedWords(declaration.charter, prompt.edition, change.prompt);
      if (missing.length > 0)
        return `it dropped or changed the fixed text of ${listed(missing)}; its result is discarded`;
      hands.push(hook);
    }
    if (change.message !== undefined && change.message.trim() !== "") messages.push(change.message);
    return { ...now, input: change.input ?? now.input, prompt: change.prompt ?? now.prompt };
  };
  const about = channel === undefined ? {} : { channel };
  const given = { turn: id, input: running.progress.input, prompt: prompt.text, ...about };
  const after = await running.who.hooks.run("before-turn", given, take);
  running.progress.input = [after.input, ...messages].join("\n\n");
  if (hands.length === 0 || after.prompt === prompt.text) return;
  const source = `hook ${hands.join(", ")}`;
  const words = (text: string) =>
    codeWords({ name: "hooks", layer: hookLayer, source, stability: "state", text }, tokenizer);
  const grown = after.prompt.startsWith(prompt.text) ? after.prompt.slice(prompt.text.length).trim() : undefined;
  if (grown === undefined) running.words.hookReplacement = words(after.prompt);
  else if (grown !== "") running.words.hookAdditions = [words(grown)];
}

const leftOut = "(The result of this call was left out.)";

/**
 * Pairs calls and results: a provider rejects a request in which one stands without the other. A result that was left out is
 * replaced by a line that says so; one whose call was left out goes with it.
 */
export function paired(messages: readonly Message[]): Message[] {
  const whole: Message[] = [];
  let open: ToolCall[] = [];
  let results: ToolResult[] = [];
  const answers = ({ call }: ToolResult) => {
    const at = open.findIndex(({ id }) => id === call);
    return at !== -1 && open.splice(at, 1).length === 1;
  };
  const close = () => {
    for (const { id, name } of open) results.push({ call: id, name, output: leftOut, failed: true });
    if (results.length > 0) whole.push({ role: "tool", results });
    open = [];
    results = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      results.push(...message.results.filter(answers));
      continue;
    }
    close();
    whole.push(message);
    if (message.role === "assistant") open = [...message.calls];
  }
  close();
  return whole;
}
