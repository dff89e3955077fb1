import {
  badArgument,
  checkOptions,
  defined,
  type FieldChecks,
  isFunction,
  isList,
  isNumber,
  isObject,
  isRecord,
  isSha256,
  isText,
  kindOf,
  optional,
} from "../prompt/argument.ts";
import { allSections, type Charter, sectionScope } from "../prompt/charter.ts";
import { planOf } from "../prompt/plan.ts";
import { type Prompt, type Sha256, sectionTexts } from "../prompt/prompt.ts";
import type { Notice } from "../prompt/reading.ts";
import type { Placement, SectionText } from "../prompt/receipt.ts";
import { mended, mendedData, mendedNotice } from "../prompt/sound.ts";
import {
  type Baseline,
  baselineOf,
  besideInput,
  bodiesOf,
  isTold,
  isUpdate,
  isUpdateOf,
  joinWords,
  lastSaid,
  markWords,
  toolsUpdate,
  type Update,
  updateMessage,
  updatePlacements,
  updateWords,
  withGap,
  withoutFoldedUpdates,
} from "./baseline.ts";
import { decideFold, type FoldInput, offersDigest, type PrefixChange, turnStart } from "./fold.ts";
import { withoutNative } from "./history.ts";
import { markFor, markNote, markOf, withoutMark } from "./mark.ts";
import type { Block, Message, ModelRequest, ToolOffer } from "./model.ts";
import { isReceiver, type Receiver } from "./receiver.ts";

type DeliverInput = FoldInput & {
  readonly prompt: Prompt;
  /** State that is not a section of the charter, such as text that a hook added for this turn. */
  readonly besides?: readonly SectionText[];
  /** The system prompt in place of the charter's, such as one that a hook rewrote for this turn. */
  readonly instead?: SectionText;
  /** Number of messages of `past` that the previous request ended with: the cache may contain all up to there. */
  readonly sent: number;
  readonly cacheKey?: string;
};

/** Fields that the first request of a session without tools leaves out. */
type LaterField = "offers" | "baseline" | "past" | "added" | "sent" | "turn" | "step" | "cold" | "removed";

/**
 * A prompt to be sent: to which model, after which messages, in which session. The first request of a session without tools can
 * leave out most of it. The next continues from the delivery before: `baseline`, `past: [...history, answer]` and `sent:
 * history.length`.
 */
export type DeliverOptions = Omit<DeliverInput, LaterField> & {
  readonly [Name in LaterField]?: DeliverInput[Name] | undefined;
};

/**
 * A request that is ready to be sent, and what to keep of it: the session's new baseline, and where each section was placed (for
 * the receipt).
 */
export type Delivery = {
  readonly request: ModelRequest;
  readonly baseline: Baseline;
  readonly placements: readonly Placement[];
  /** The messages as they were sent: the earlier ones, updates, and those this step added. */
  readonly history: readonly Message[];
  /** The updates sent with this request. */
  readonly said: readonly Message[];
  /** The messages this step added, as they were sent: without the session's mark, if they contained it. */
  readonly added: readonly Message[];
  /** Numbers of messages after which there is a cache breakpoint. */
  readonly marks: readonly number[];
  readonly prefixChange: PrefixChange;
  /** Says what was mended of what `deliver` was given. */
  readonly notices?: readonly Notice[];
};

const deliverChecks: FieldChecks<DeliverOptions> = {
  charter: [isObject, "Give the charter that the prompt was assembled from."],
  prompt: [isPrompt, "Give what assemble(charter, readings) made, not its text."],
  receiver: [isReceiver, 'Give who reads it: receiverOf("provider/model"), or the `receiver` of a model.'],
  offers: optional([isList, "Give the tools that the model is offered, [] for none."]),
  baseline: optional([
    (value) => value === null || baselineOf(value) !== null,
    "Give what the request before gave as `baseline`, null for the first.",
  ]),
  past: optional([isList, "Give the messages so far, [] for none."]),
  added: optional([isList, 'Give the messages that this request adds: [{ role: "user", text }].']),
  sent: optional([isNumber, "Give how many messages the request before ended with, 0 for none."]),
  turn: optional([isText, "Give a name of this turn."]),
  step: optional([isNumber, "Give the number of this request in its turn, from 1 up."]),
  cold: optional([
    (value) => typeof value === "boolean",
    "Say whether nothing of the request before is cached any more: true for the first.",
  ]),
  removed: optional([isFunction, "Give a function that says whether a section's old words must go: () => false."]),
  secret: [isText, "Give a secret of this session: 32 random hex digits."],
  sha256: [isSha256, "Give a function from a text to its SHA-256, in hex, as a text and not as a promise of one."],
  anew: optional([isText, "Say why the session starts anew."]),
  offered: optional([isList, "Give the tools that the request before offered."]),
  from: optional([isNumber, "Give how many messages of `past` are older than this turn."]),
  instead: optional([isObject, "Give the text that is sent in place of the prompt."]),
  besides: optional([isList, "Give what comes beside the prompt's sections, [] for nothing."]),
  tokenizer: optional([isObject, "Give a tokenizer: await loadTokenizer(name)."]),
  cacheKey: optional([isText, "Give a key that requests with the same prefix share."]),
};

function isPrompt(value: unknown): boolean {
  const { text, sections } = Object(value) as { readonly text?: unknown; readonly sections?: unknown };
  return isText(text) && isList(sections);
}

/**
 * Places a prompt into a request so that the provider's prompt cache works.
 *
 * Stable text is the prefix, as it was first sent. State, events, other people's text and every change are messages of the
 * history, sent once, when they change. So each request begins with the bytes of the one before, until the session folds.
 */
export function deliver(options: DeliverOptions): Delivery {
  checkOptions("deliver", options, deliverChecks);
  const { baseline = null, sent = 0, turn = "", step = 1 } = options;
  const past = wholeMessages("past", options.past ?? []);
  const added = wholeMessages("added", options.added ?? []);
  const offers = wholeOffers(options.offers ?? []);
  const { charter, prompt } = options;
  if (prompt.charter !== charter.name)
    throw badArgument(
      `The prompt that deliver was given is of the charter “${prompt.charter}”, and not of “${charter.name}”.`,
      "Give the charter that the prompt was assembled from.",
    );
  const { cold = false, removed = () => false } = options;
  const input: DeliverInput = { ...options, offers, baseline, past, added, sent, turn, step, cold, removed };
  const delivery = input.receiver.slots === "one-string" || input.instead ? inOneString(input) : inLayers(input);
  const notices = (["past", "added", "offers"] as const)
    .filter((name) => options[name] !== undefined && input[name] !== options[name])
    .map((name) => mendedNotice(`Text in the \`${name}\` that deliver was given`));
  return notices.length === 0 ? delivery : { ...delivery, notices };
}

/**
 * Places everything in the charter's own order: changed sections appear there as they are now, so no updates are sent. Other
 * people's text is the first message. Whatever changes is another beginning, so nothing is bound to what it was.
 */
function inOneString(delivering: DeliverInput): Delivery {
  const { baseline: before, secret, sha256, turn, step, instead, receiver } = delivering;
  const offers = offersDigest(delivering.offers, sha256);
  const sections = instead ? [instead] : inOrder(delivering);
  const foreign = instead ? [] : strangersIn(delivering);
  const textOf = (some: readonly SectionText[]) => some.map((words) => words.text).join("");
  const text = textOf(sections);
  const whole = sha256(JSON.stringify([offers, text, textOf(foreign)]));
  const isSame = before?.whole === whole && delivering.anew === undefined;
  const base: Baseline = before ?? { version: 2, secret, words: [], updates: [], offers, summary: null };
  const baseline: Baseline = isSame
    ? base
    : { ...base, version: 2, offers, whole, since: { turn, step }, ...defined({ binds: receiver.binds }) };
  const plain = (messages: readonly Message[]) => plainMessages(messages, base, sha256);
  const added = plain(delivering.added);
  const past = plain(delivering.past.filter((message) => !isUpdate(message)));
  const [first] = foreign;
  const said: Message[] = first ? [{ role: "user", text: textOf(foreign), update: first.name }] : [];
  const history = [...said, ...(isSame || !receiver.binds ? past : past.map(withoutNative)), ...added];
  return {
    request: requestOf(delivering, text === "" ? [] : [{ text }], history),
    baseline,
    placements: [{ slot: "system", sections }, ...(first ? [{ slot: "update", sections: foreign, message: 0 }] : [])],
    history,
    said,
    added,
    marks: [],
    prefixChange: !before
      ? { how: "opened" }
      : isSame || !(first || receiver.binds)
        ? { how: "kept" }
        : { how: "folded", sections: foreign.map(({ name }) => name), reason: "the prompt changed, as one string" },
  };
}

function inOrder({ prompt, besides = [], tokenizer }: DeliverInput): SectionText[] {
  const words = sectionTexts(prompt, tokenizer).filter((one) => !isForeign(one));
  const own = besides.filter((one) => !isForeign(one));
  const last = words.at(-1);
  return last && own.length > 0 ? [...words.slice(0, -1), withGap(last, "\n\n"), ...own] : [...words, ...own];
}

/** Lists other people's sections as one message has them, each enclosed as such. */
function strangersIn({ prompt, besides = [], tokenizer }: DeliverInput): SectionText[] {
  const foreign = [...bodiesOf(prompt, tokenizer), ...besides].filter(isForeign);
  return foreign.map((now, index) => {
    const words = updateWords({ section: now.name, label: now.name, now });
    return index === foreign.length - 1 ? words : withGap(words, "\n\n");
  });
}

function isForeign({ trust }: SectionText): boolean {
  return trust === "foreign";
}

function inLayers(given: DeliverInput): Delivery {
  const { moved, ...delivering } = withUnansweredLast(given);
  const { charter, receiver, sent, sha256 } = delivering;
  const { baseline, change, fresh } = decideFold(delivering, allWords(delivering));
  const isNew = change.how === "opened" || change.how === "folded";
  const kept = { updates: baseline.updates.slice(0, baseline.updates.length - fresh.length) };
  const left = isNew ? withoutFoldedUpdates(delivering.past, kept) : delivering.past;
  const past = plainMessages(isNew && receiver.binds ? left.map(withoutNative) : left, baseline, sha256);
  const added = plainMessages(delivering.added, baseline, sha256);
  const from = isNew ? keptBefore(delivering, kept) : past.length;
  const told = isNew ? fresh : [...moved, ...fresh];
  const history = withTold([...past, ...added], told, { from, receiver });

  const prefix = prefixOf(baseline, delivering);
  const breakpoints = prefixBreakpoints(charter, prefix, receiver);
  const marks = historyBreakpoints(history, isNew ? 0 : sent, receiver);
  return {
    request: requestOf(
      { ...delivering, offers: baseline.tools?.prefix ?? delivering.offers },
      blocksOf(prefix, breakpoints),
      withBreakpoints(history, marks),
    ),
    baseline,
    placements: [{ slot: "system", sections: prefix, breakpoints }, ...updatePlacements(baseline.updates, history)],
    history,
    said: told.map((one) => updateMessage(one, receiver)),
    added,
    marks,
    prefixChange: change,
  };
}

/**
 * Moves updates to the end that were sent and never answered, and that something else would follow now: in the system's own role
 * they stand directly before an answer. Nothing is bound to them yet.
 */
function withUnansweredLast(input: DeliverInput): DeliverInput & { readonly moved: readonly Update[] } {
  const { baseline, past, added, turn, step } = input;
  const dropped = baseline === null ? [] : unansweredUpdates(past, added);
  if (baseline === null || dropped.length === 0) return { ...input, moved: [] };
  const isDropped = (one: Update) => dropped.some((message) => isUpdateOf(message, one));
  // What was for one turn alone is told with the next only if it is told there.
  const moved = baseline.updates.filter((one) => isDropped(one) && !one.clears).map((one) => ({ ...one, turn, step }));
  const updates = [...baseline.updates.filter((one) => !isDropped(one)), ...moved];
  const goesOn = past.filter((message) => !dropped.includes(message));
  return { ...input, past: goesOn, baseline: { ...baseline, updates }, moved };
}

/** Lists the system's own updates that were never answered, and that something else follows. */
export function unansweredUpdates(past: readonly Message[], added: readonly Message[]): Message[] {
  const answered = past.findLastIndex(({ role }) => role === "assistant");
  const isSystem = (message: Message) => message.role === "system" && isUpdate(message);
  const last = added.length > 0 ? past.length : past.findLastIndex((message) => !isSystem(message));
  return past.filter((message, index) => index > answered && index < last && isSystem(message));
}

/** Puts what is told beside the turn's input, where that is sent now or the session starts anew; else at the end. */
function withTold(
  messages: readonly Message[],
  told: readonly Update[],
  { from, receiver }: { readonly from: number; readonly receiver: Receiver },
): readonly Message[] {
  if (told.length === 0) return messages;
  const isInput = (one: Message) => one.role === "user" && !isUpdate(one);
  const at = messages.findIndex((one, index) => index >= from && isInput(one));
  const input = messages[at];
  if (input === undefined) return [...messages, ...told.map((one) => updateMessage(one, receiver))];
  return [...messages.slice(0, at), ...besideInput(told, input, receiver), ...messages.slice(at + 1)];
}

/** Counts the messages before the running turn that a new prefix leaves. */
function keptBefore(input: DeliverInput, kept: Pick<Baseline, "updates">): number {
  return withoutFoldedUpdates(input.past.slice(0, turnStart(input)), kept).length;
}

/**
 * Lists the current text of all sections, in the charter's order. A section that could not be read just now keeps the text last
 * sent, unless that was taken back since: out of reach is not gone.
 */
function allWords({ charter, prompt, besides = [], baseline, removed, tokenizer }: DeliverInput): SectionText[] {
  const speaks = ({ text, stability }: SectionText) => stability !== "state" || text.trim() !== "";
  const all = [...bodiesOf(prompt, tokenizer), ...besides].filter(speaks);
  const unread = prompt.omitted.flatMap(({ name, reason }) => {
    const lastWords = reason === "unavailable" && baseline && !removed(name) ? lastSaid(baseline, name) : undefined;
    return lastWords ? [lastWords] : [];
  });
  if (unread.length === 0) return all;
  const { byName } = planOf(charter);
  const place = ({ name }: SectionText) => byName.get(name)?.index ?? Number.POSITIVE_INFINITY;
  const kept = unread.filter(({ name, stability }) => byName.get(name)?.stability === stability);
  return [...all, ...kept].sort((one, other) => (place(one) < place(other) ? -1 : place(one) > place(other) ? 1 : 0));
}

/**
 * Returns the beginning of every request of a session: its stable text, and an explanation of its mark if it has one. This is the
 * `prefix` of an `EarlierRequest` that another process may have sent.
 */
export function prefixOf(
  baseline: Baseline,
  options: Pick<DeliverOptions, "charter" | "receiver" | "sha256" | "tokenizer">,
): SectionText[] {
  const { charter, receiver, sha256, tokenizer } = Object(options) as typeof options;
  if (baselineOf(baseline) === null)
    throw badArgument(
      `The baseline that prefixOf was given is ${kindOf(baseline)}.`,
      "Give the `baseline` of a delivery.",
    );
  const mark = markFor(receiver, baseline.secret, sha256);
  return joinWords(charter, [...baseline.words, ...(mark === undefined ? [] : [markWords(markNote(mark), tokenizer)])]);
}

function requestOf(
  { offers, cacheKey }: Pick<DeliverInput, "offers" | "cacheKey">,
  system: ModelRequest["system"],
  messages: ModelRequest["messages"],
): ModelRequest {
  return { tools: offers, system, messages, ...defined({ cacheKey }) };
}

/**
 * Messages and offers that were checked, with their text whole: a history is sent again with every request, and each message is
 * checked once.
 */
const sound = new WeakMap<Message | ToolOffer, Message | ToolOffer>();

/** Returns things as they are where each is whole, the same list then; otherwise with those that were mended. */
function allWhole<One extends Message | ToolOffer>(
  given: readonly One[],
  whole: (one: One, index: number) => One,
): readonly One[] {
  const all = given.map((one, index) => {
    const known = sound.get(one) as One | undefined;
    if (known) return known;
    const made = whole(one, index);
    sound.set(one, made);
    return made;
  });
  return all.every((one, index) => one === given[index]) ? given : all;
}

/** Checks messages and names the first wrong one: another library's message looks alike, and has its text elsewhere. */
function wholeMessages(field: string, messages: readonly Message[]): readonly Message[] {
  return allWhole(messages, (message, index) => {
    const wrong = faultOf(message);
    if (!wrong) return wholeMessage(message);
    const [is, wanted] = wrong;
    throw badArgument(`Message ${index + 1} of the \`${field}\` that deliver was given ${is}.`, `Give ${wanted}.`);
  });
}

/** Mends a message. An answer's form of its provider cannot be mended, and is left out. */
function wholeMessage(message: Message): Message {
  if (message.role === "tool") {
    const results = mendedData(message.results);
    return results === message.results ? message : { ...message, results };
  }
  const text = mended(message.text);
  if (message.role !== "assistant") return text === message.text ? message : { ...message, text };
  const calls = mendedData(message.calls);
  if (text === message.text && calls === message.calls) return message;
  const { native: _, ...plain } = message;
  return { ...plain, text, calls };
}

function faultOf(message: Message): readonly [is: string, wanted: string] | undefined {
  if (!isObject(message)) return [`is ${kindOf(message)}`, '{ role: "user", text }'];
  const { role } = message;
  const lacks = `does not have what one of the role “${role}” has`;
  if (role === "tool")
    return areAll(message.results, ["call", "name", "output"])
      ? undefined
      : [lacks, "{ role, results: [{ call, name, output }] }, all of them texts"];
  if (role === "assistant")
    return isText(message.text) && areAll(message.calls, ["id", "name", "input"])
      ? undefined
      : [lacks, "{ role, text, calls: [{ id, name, input }] }, all of them texts; [] for no calls"];
  if (role === "user" || role === "system") return isText(message.text) ? undefined : [lacks, "{ role, text }"];
  return [`has a role that is ${kindOf(role)}`, "system, user, assistant or tool"];
}

function areAll(list: unknown, texts: readonly string[]): boolean {
  return Array.isArray(list) && list.every((one) => isRecord(one) && texts.every((field) => isText(one[field])));
}

/** Checks that tools were turned into offers: a tool's own schema is another library's, and no provider would take it. */
function wholeOffers(offers: readonly ToolOffer[]): readonly ToolOffer[] {
  const wrong = offers.findIndex(
    (offer) => !isRecord(offer) || !isText(offer.name) || "run" in offer || "execute" in offer,
  );
  if (wrong === -1) return allWhole(offers, mendedData);
  const { name } = Object(offers[wrong]) as { readonly name?: unknown };
  throw badArgument(
    `Offer ${wrong + 1} of the \`offers\` that deliver was given${isText(name) ? ` (“${name}”)` : ""} is no offer.`,
    "Give await offersOf(tools) of charter/agent: [{ name, description, input }].",
  );
}

/** The part of a session that decides who speaks for the system in it. */
type MarkedSession = Pick<Baseline, "secret" | "updates">;

/**
 * Prepares messages for a model. Only the session's own updates speak for the system: in other messages the mark is made plain,
 * and the system's role becomes the user's. All else is kept, and a message that needs no change is the same object.
 */
export function plainMessages(
  messages: readonly Message[],
  { secret, updates }: MarkedSession,
  sha256: Sha256,
): readonly Message[] {
  const mark = markOf(secret, sha256);
  let changed: Message[] | undefined;
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at] as Message;
    if (isTold(message, updates)) continue;
    const plain = plainMessage(message, mark);
    if (plain === message) continue;
    changed ??= [...messages];
    changed[at] = plain;
  }
  return changed ?? messages;
}

/**
 * Messages as they were made plain: a history is sent again with every request, and each message is searched once while its text
 * stays the same.
 */
const known = new WeakMap<Message, { readonly mark: string; readonly words: unknown; readonly plain: Message }>();

function plainMessage(message: Message, mark: string): Message {
  const words = message.role === "tool" ? message.results : message.text;
  const before = known.get(message);
  if (before?.mark === mark && before.words === words) return before.plain;
  const plain = withoutMarkIn(message, mark);
  known.set(message, { mark, words, plain });
  return plain;
}

function withoutMarkIn(message: Message, mark: string): Message {
  if (message.role === "tool") {
    const results = message.results.map((result) => ({ ...result, output: withoutMark(result.output, mark) }));
    return results.every(({ output }, index) => output === message.results[index]?.output)
      ? message
      : { ...message, results };
  }
  const text = withoutMark(message.text, mark);
  const isPlain = text === message.text;
  // Native answers stay unchanged: a provider wants them back verbatim, and may have signed them.
  if (message.role === "assistant") return isPlain || message.native !== undefined ? message : { ...message, text };
  if (message.role === "system" || message.update !== undefined) return { role: "user", text };
  return isPlain ? message : { ...message, text };
}

/**
 * Returns the numbers of prefix sections after which breakpoints stand: after all of them, and after those that every user of the
 * agent shares, where one more may be set.
 */
export function prefixBreakpoints(charter: Charter, prefix: readonly SectionText[], { cache }: Receiver): number[] {
  if (cache.kind !== "breakpoint" || prefix.length === 0 || cache.maxBreakpoints < 2) return [];
  const scopes = new Map(
    allSections(charter).map(({ section, layer }) => [section.name, sectionScope(section, layer)]),
  );
  const own = prefix.findIndex(({ name, layer }) => layer === "delivery" || scopes.get(name) === "user");
  return own > 0 && cache.maxBreakpoints > 3 ? [own, prefix.length] : [prefix.length];
}

/**
 * Returns the numbers of messages after which breakpoints stand: after all of them, and after those the previous request ended
 * with.
 */
export function historyBreakpoints(history: readonly Message[], sent: number, { cache }: Receiver): number[] {
  // What the receiver forgets with the next message can carry none, nor can a change of tools.
  const carries = (one: Message) => !("update" in one && (one.clears || one.update === toolsUpdate));
  const end = history.findLastIndex(carries) + 1;
  if (cache.kind !== "breakpoint" || end === 0 || cache.maxBreakpoints < 1) return [];
  return sent > 0 && sent < end && cache.maxBreakpoints > 2 ? [sent, end] : [end];
}

/** Joins the prefix into one block up to each breakpoint: more blocks would gain nothing. */
export function blocksOf(prefix: readonly SectionText[], breakpoints: readonly number[]): Block[] {
  const ends = breakpoints.includes(prefix.length) ? breakpoints : [...breakpoints, prefix.length];
  return ends.flatMap((end, index): Block[] => {
    const text = prefix
      .slice(index === 0 ? 0 : ends[index - 1], end)
      .map((words) => words.text)
      .join("");
    return text === "" ? [] : [breakpoints.includes(end) ? { text, breakpoint: true } : { text }];
  });
}

export function withBreakpoints(history: readonly Message[], marks: readonly number[]): ModelRequest["messages"] {
  if (marks.length === 0) return history;
  const messages: ModelRequest["messages"][number][] = [...history];
  for (const mark of marks) messages[mark - 1] = { ...(history[mark - 1] as Message), breakpoint: true };
  return messages;
}
