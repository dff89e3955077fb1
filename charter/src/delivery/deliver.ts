import {
  badArgument,
  checkOptions,
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
import type { Charter } from "../prompt/charter.ts";
import { planOf } from "../prompt/plan.ts";
import { type Prompt, type Sha256, sectionTexts } from "../prompt/prompt.ts";
import type { Notice } from "../prompt/reading.ts";
import type { Placement, SectionText } from "../prompt/receipt.ts";
import {
  type Baseline,
  baselineOf,
  bodiesOf,
  isUpdate,
  isUpdateOf,
  joinWords,
  lastSaid,
  markWords,
  stabilityOf,
  stateWords,
  updateMessage,
  updatePlacements,
  withGap,
  withoutFoldedUpdates,
} from "./baseline.ts";
import { decideFold, type FoldInput, offersDigest, type PrefixChange } from "./fold.ts";
import { markFor, markNote, markOf, withoutMark } from "./mark.ts";
import type { Block, Message, ModelRequest, ToolOffer } from "./model.ts";
import { isReceiver, type Receiver } from "./receiver.ts";

type DeliverInput = FoldInput & {
  readonly prompt: Prompt;
  /** State that is not a section of the charter, such as text that a hook added for this turn. */
  readonly besides?: readonly SectionText[];
  /**
   * Messages that this step adds to `past`: the user's message in the first step of a turn; in the others the results of the
   * model's calls, or nothing if those are in `past`. Updates come before it, but after results.
   */
  readonly added: readonly Message[];
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
  /** Warnings for the operator: a section that counts as stable but changes every turn. Each is given once a session. */
  readonly notices: readonly Notice[];
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
 * Stable text is the prefix, as it was first sent; a change is sent once, as a message of the history; state comes at
 * the end of every request and is never part of the history. So between requests in which only state changed, the bytes
 * before the state are the same. Each section's current text is in exactly one place.
 */
export function deliver(options: DeliverOptions): Delivery {
  checkOptions("deliver", options, deliverChecks);
  const { offers = [], baseline = null, past = [], added = [], sent = 0, turn = "", step = 1 } = options;
  checkMessages("past", past);
  checkMessages("added", added);
  checkOffers(offers);
  const { charter, prompt } = options;
  if (prompt.charter !== charter.name)
    throw badArgument(
      `The prompt that deliver was given is of the charter “${prompt.charter}”, and not of “${charter.name}”.`,
      "Give the charter that the prompt was assembled from.",
    );
  const { cold = false, removed = () => false } = options;
  const input: DeliverInput = { ...options, offers, baseline, past, added, sent, turn, step, cold, removed };
  return input.receiver.slots === "one-string" ? inOneString(input) : inLayers(input);
}

/** Places everything in the charter's own order: changed sections appear there as they are now, so no updates are sent. */
function inOneString(delivering: DeliverInput): Delivery {
  const { baseline: before, secret, sha256 } = delivering;
  const offers = offersDigest(delivering.offers, sha256);
  const base: Baseline = before ?? { version: 1, secret, words: [], updates: [], offers, summary: null };
  const sections = inOrder(delivering);
  const text = sections.map((words) => words.text).join("");
  const plain = (messages: readonly Message[]) => plainMessages(messages, base, sha256);
  const added = plain(delivering.added);
  const history = [...plain(delivering.past.filter((message) => !isUpdate(message))), ...added];
  return {
    request: requestOf(delivering, text === "" ? [] : [{ text }], history),
    baseline: base.offers === offers ? base : { ...base, offers },
    placements: [{ slot: "system", sections }],
    history,
    said: [],
    added,
    marks: [],
    prefixChange: { how: before ? "kept" : "opened" },
    notices: [],
  };
}

function inOrder({ prompt, besides = [], tokenizer }: DeliverInput): SectionText[] {
  const words = sectionTexts(prompt, tokenizer);
  const last = words.at(-1);
  return last && besides.length > 0
    ? [...words.slice(0, -1), withGap(last, "\n\n"), ...besides]
    : [...words, ...besides];
}

function inLayers(delivering: DeliverInput): Delivery {
  const { charter, receiver, sent, sha256, tokenizer } = delivering;
  const all = allWords(delivering);
  const { baseline, change, fresh, notices } = decideFold(delivering, all);
  const past = change.how === "folded" ? withoutFoldedUpdates(delivering.past, baseline) : delivering.past;
  const said = fresh.map((one) => updateMessage(one, receiver));
  const added = plainMessages(delivering.added, baseline, sha256);
  const history = [...plainMessages(past, baseline, sha256), ...withUpdates(said, added)];

  const prefix = prefixOf(baseline, delivering);
  const breakpoints = prefixBreakpoints(charter, prefix, receiver);
  const marks = historyBreakpoints(history.length, change.how === "folded" ? 0 : sent, receiver);
  const state = all.filter((words) => stabilityOf(words) === "state");
  const tail = stateWords(charter, state, markFor(receiver, baseline.secret, sha256), tokenizer);
  const messages = [...withBreakpoints(history, marks), ...tailMessage(tail, receiver)];
  return {
    request: requestOf(delivering, blocksOf(prefix, breakpoints), messages),
    baseline,
    placements: [
      { slot: "system", sections: prefix, breakpoints },
      ...updatePlacements(baseline.updates, history),
      ...(tail.length > 0 ? [{ slot: "state", sections: tail, message: history.length }] : []),
    ],
    history,
    said,
    added,
    marks,
    prefixChange: change,
    notices,
  };
}

/** Puts updates before the added messages, but never between calls and their results: a provider would reject that. */
function withUpdates(updates: readonly Message[], added: readonly Message[]): Message[] {
  const results = added.findIndex(({ role }) => role !== "tool");
  const at = results === -1 ? added.length : results;
  return [...added.slice(0, at), ...updates, ...added.slice(at)];
}

/**
 * Lists the current text of all sections, in the charter's order. A section that could not be read just now keeps the text last
 * sent, unless that was taken back since: out of reach is not gone.
 */
function allWords({ charter, prompt, besides = [], baseline, removed, tokenizer }: DeliverInput): SectionText[] {
  const all = [...bodiesOf(prompt, tokenizer), ...besides];
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

function tailMessage(tail: readonly SectionText[], { voice }: Receiver): Message[] {
  return tail.length === 0 ? [] : [{ role: voice, text: tail.map(({ text }) => text).join("") }];
}

function requestOf(
  { offers, cacheKey }: DeliverInput,
  system: ModelRequest["system"],
  messages: ModelRequest["messages"],
): ModelRequest {
  return { tools: offers, system, messages, ...(cacheKey === undefined ? {} : { cacheKey }) };
}

/** Messages that were checked: a history is sent again with every request, and each message is checked once. */
const sound = new WeakSet<Message>();

/** Checks messages and names the first wrong one: another library's message looks alike, and has its text elsewhere. */
function checkMessages(field: string, messages: readonly Message[]): void {
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as Message;
    if (sound.has(message)) continue;
    const wrong = faultOf(message);
    if (wrong === undefined) {
      sound.add(message);
      continue;
    }
    const [is, wanted] = wrong;
    throw badArgument(`Message ${index + 1} of the \`${field}\` that deliver was given ${is}.`, `Give ${wanted}.`);
  }
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
function checkOffers(offers: readonly ToolOffer[]): void {
  const wrong = offers.findIndex(
    (offer) => !isRecord(offer) || !isText(offer.name) || "run" in offer || "execute" in offer,
  );
  if (wrong === -1) return;
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
    if (isUpdate(message) && updates.some((update) => isUpdateOf(message, update))) continue;
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
  const scopes = new Map(charter.layers.flatMap(({ sections }) => sections.map(({ name, scope }) => [name, scope])));
  const own = prefix.findIndex(({ name, layer }) => layer === "delivery" || scopes.get(name) === "user");
  return own > 0 && cache.maxBreakpoints > 3 ? [own, prefix.length] : [prefix.length];
}

/**
 * Returns the numbers of messages after which breakpoints stand: after all of them, and after those the previous request ended
 * with.
 */
export function historyBreakpoints(length: number, sent: number, { cache }: Receiver): number[] {
  if (cache.kind !== "breakpoint" || length === 0 || cache.maxBreakpoints < 1) return [];
  return sent > 0 && sent < length && cache.maxBreakpoints > 2 ? [sent, length] : [length];
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
