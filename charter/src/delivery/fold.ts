import { remembered } from "../prompt/bounds.ts";
import type { Charter } from "../prompt/charter.ts";
import { type PlannedSection, planOf } from "../prompt/plan.ts";
import type { Sha256 } from "../prompt/prompt.ts";
import type { SectionText } from "../prompt/receipt.ts";
import { mutabilityName } from "../prompt/section.ts";
import { nothingForbidden } from "../prompt/structure.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import {
  type Baseline,
  hookLayer,
  inSentOrder,
  isOwn,
  isPrefix,
  isUpdate,
  isWaiting,
  labelOf,
  lastSaid,
  saidIn,
  stabilityOf,
  toolChangeWords,
  toolsUpdate,
  type Update,
  untrustedOpening,
  updateMessage,
  updatePlaces,
  withUpdates,
} from "./baseline.ts";
import { toldWords } from "./change.ts";
import { historyTokens, messageEnds, messageTokens, microsOf } from "./cost.ts";
import { carriesMark, markFor, nextSecret } from "./mark.ts";
import type { Message, ToolOffer } from "./model.ts";
import type { Receiver } from "./receiver.ts";

/** The part of `deliver`'s input that decides whether a session continues from what it has sent, or starts from a new prefix. */
export type FoldInput = {
  readonly charter: Charter;
  readonly receiver: Receiver;
  /** The tools the model is offered. */
  readonly offers: readonly ToolOffer[];
  /** The tools that the request before offered, where they are known: a receiver may be told of a change. */
  readonly offered?: readonly ToolOffer[] | undefined;
  /** The session's baseline; null in its first request. */
  readonly baseline: Baseline | null;
  /** All messages of the session so far. */
  readonly past: readonly Message[];
  /**
   * Messages that this step adds to `past`: the user's message in the first step of a turn; in the others the results of the
   * model's calls, or nothing if those are in `past`.
   */
  readonly added: readonly Message[];
  /** Number of messages of `past` before the running turn. A fold in the midst of a turn tells beside its input what it tells. */
  readonly from?: number;
  readonly turn: string;
  readonly step: number;
  /** Shows that nothing sent before is cached any more (`isCold`), so that a new prefix costs nothing. */
  readonly cold: boolean;
  /** The reason why the session must start from a new prefix now, if it must: its history was compacted. */
  readonly anew?: string;
  /**
   * Returns true if a section's earlier text must really be gone, should it have changed: the operator changed it, or it was
   * reset or reverted (`removedSections` in `charter/agent`).
   */
  readonly removed: (section: string) => boolean;
  /** The secret of the session: of its baseline, else a random text. The mark is derived from it. */
  readonly secret: string;
  readonly sha256: Sha256;
  /** The tokenizer that weighs updates against the prefix; without it, characters are counted. */
  readonly tokenizer?: Tokenizer;
};

/** The change of a session's prefix with a request: opened, kept, updated (by messages) or folded (rebuilt), with the reason. */
export type PrefixChange =
  | { readonly how: "opened" | "kept" }
  | { readonly how: "updated"; readonly sections: readonly string[] }
  | { readonly how: "folded"; readonly sections: readonly string[]; readonly reason: string };

/** The session's new baseline, and the updates sent with this request. */
type Decision = {
  readonly baseline: Baseline;
  readonly change: PrefixChange;
  readonly fresh: readonly Update[];
};

/**
 * Decides whether the session continues with updates or starts from a new baseline. It folds where a turn opens; in the midst of
 * one only if it must. What cannot be told now is told later.
 */
export function decideFold(input: FoldInput, all: readonly SectionText[]): Decision {
  const { baseline: before, secret, sha256, receiver } = input;
  const empty = { version: 2, secret, words: [], updates: [], offers: "", summary: null } as const;
  if (!before) return open(input, all, empty, { how: "opened" });
  const changed = changedSections(before, all);
  const nothing = before.words.length === 0 && before.updates.length === 0;
  if (nothing && changed.length > 0) return open(input, all, before, { how: "opened" });

  const folds = (reason: string) => {
    return open(input, all, before, { how: "folded", sections: rebuiltSections(before, all), reason });
  };
  const opening = isOpening(input);
  const because = reasonNow(input, before) ?? (opening ? reasonToFold(input, before, all, changed) : undefined);
  if (because !== undefined) return folds(because);
  const mark = markFor(receiver, before.secret, sha256);
  const role = lastRole(input);
  const change = toolChange(input, before);
  const told = changed.filter((name) => {
    const now = findWords(all, name);
    const waits = !opening && (mustFold(input, before, all, name) !== undefined || carries(now, mark));
    return !waits && mayFollow(role, (now ?? lastSaid(before, name))?.trust === "foreign", receiver);
  });
  const updates = told.map((name) => update(input, before, name, findWords(all, name) ?? null, mark));
  const fresh = inSentOrder(change ? [...updates, change.told] : updates, receiver);
  const reason = opening ? outweighed(input, { baseline: before, fresh, all }) : undefined;
  if (reason !== undefined) return folds(reason);
  if (fresh.length === 0) return { baseline: before, change: { how: "kept" }, fresh };
  const baseline = { ...before, ...change?.baseline, updates: withUpdates(before.updates, fresh) };
  return { baseline, change: { how: "updated", sections: change ? [...told, toolsUpdate] : told }, fresh };
}

/** Tells of other tools in a message, where the receiver takes one and the tools of before are known. */
function toolChange(
  { offers, offered, sha256, turn, step, receiver, ...input }: FoldInput,
  { offers: digest, tools }: Baseline,
): { readonly told: Update; readonly baseline: Pick<Baseline, "offers" | "tools"> } | undefined {
  const now = offersDigest(offers, sha256);
  const before = tools?.now ?? offered;
  if (digest === now || !receiver.changesTools || !before || offersDigest(before, sha256) !== digest) return undefined;
  if (!mayFollow(lastRole(input), false, receiver)) return undefined;
  const { name: section, text, ...told } = toolChangeWords(before, offers);
  const prefix = tools?.prefix ?? before;
  return { told: { turn, step, section, text, told }, baseline: { offers: now, tools: { prefix, now: offers } } };
}

/** Returns true where a turn opens: with the user's message. */
function isOpening({ past, added }: Pick<FoldInput, "past" | "added">): boolean {
  return added.some(({ role }) => role === "user") || past.length + added.length === 0;
}

/** Returns the number of messages of `past` before the running turn: unless that is known, those before its input. */
export function turnStart(input: Pick<FoldInput, "past" | "added" | "from">): number {
  const { past, from } = input;
  if (from !== undefined || isOpening(input)) return from ?? past.length;
  const at = past.findLastIndex((one) => one.role === "user" && !isUpdate(one));
  return at === -1 ? past.length : at;
}

function lastRole({ past, added }: Pick<FoldInput, "past" | "added">): Message["role"] | undefined {
  return (added.findLast((one) => !isUpdate(one)) ?? past.findLast((one) => !isUpdate(one)))?.role;
}

/**
 * Returns true if something can be told now. Text right after the results of tools lets some models end their turn; only the
 * system's own role may speak there. Right after an answer nobody may.
 */
function mayFollow(role: Message["role"] | undefined, isForeign: boolean, { voice }: Receiver): boolean {
  if (role === "tool") return voice === "system" && !isForeign;
  return role !== "assistant";
}

/**
 * Starts a new baseline, whose prefix is the current stable text. Events that were sent remain in the history, as long as the
 * charter has them and the receiver can tell who speaks; others are sent now.
 */
function open(input: FoldInput, all: readonly SectionText[], before: Baseline, change: PrefixChange): Decision {
  const { charter, receiver, past, sha256, turn, step } = input;
  const from = turnStart(input);
  const secret = unknownSecret(input, before.secret, all);
  const mark = markFor(receiver, secret, sha256);
  const { byName } = planOf(charter);
  const places = updatePlaces(before.updates, past);
  const kept = before.updates.filter((one, index) => {
    const { told, section } = one;
    const place = places[index] as number;
    const isEarlier = place !== -1 && place < from;
    const isEvent = told !== null && stabilityOf(told) === "event" && standsAs(byName.get(section), told);
    return isEarlier && isEvent && speaksAs(one, past[place] as Message, receiver, mark);
  });
  const { whole: _, tools: __, rewritten: ___, binds: ____, ...rest } = before;
  const offers = offersDigest(input.offers, sha256);
  const base: Baseline = {
    ...rest,
    version: 2,
    secret,
    words: [],
    updates: kept,
    offers,
    since: { turn, step },
    ...(receiver.binds ? { binds: true } : {}),
  };
  // Step 0: they stand beside the turn's input, in whichever step it folds.
  const fresh = inSentOrder(
    all
      .filter((words) => !isPrefix(words) && !isSaid(base, words))
      .map((words) => update({ ...input, step: 0 }, null, words.name, words, mark)),
    receiver,
  );
  return { baseline: { ...base, words: all.filter(isPrefix), updates: withUpdates(kept, fresh) }, change, fresh };
}

/** Returns true if an update stands in a history as this receiver has to read it. */
function speaksAs(one: Update, { role }: Message, receiver: Receiver, mark: string | undefined): boolean {
  const begins = isOwn(one) ? (mark ?? "") : untrustedOpening;
  return role === updateMessage(one, receiver).role && one.text.startsWith(begins);
}

/** Lists sections whose text differs from what was last sent. An event that is over needs no update. */
function changedSections(before: Baseline, all: readonly SectionText[]): string[] {
  const names = new Set([
    ...before.words.map(({ name }) => name),
    ...before.updates.map(({ section }) => section),
    ...all.map(({ name }) => name),
  ]);
  return [...names].filter((name) => {
    const now = findWords(all, name);
    if (now) return !isSaid(before, now);
    const lastWords = lastSaid(before, name);
    return lastWords && stabilityOf(lastWords) !== "event" && lastWords.text !== "";
  });
}

function isSaid(baseline: Baseline, { name, text }: SectionText): boolean {
  return (lastSaid(baseline, name)?.text ?? "") === text;
}

function findWords(all: readonly SectionText[], name: string): SectionText | undefined {
  return all.find((words) => words.name === name);
}

/** Lists the sections whose text in the prefix is another with a fold, or told in updates no longer. */
function rebuiltSections(before: Baseline, all: readonly SectionText[]): string[] {
  const updated = new Set(before.updates.map(({ section }) => section));
  const names = new Set([...before.words, ...all].map(({ name }) => name));
  const textIn = (some: readonly SectionText[], name: string) =>
    some.find((words) => words.name === name && isPrefix(words))?.text;
  return [...names].filter((name) => {
    const now = textIn(all, name);
    return textIn(before.words, name) !== now || (now !== undefined && updated.has(name));
  });
}

/** Returns the reason why the session folds wherever it is: it cannot go on as it is. */
function reasonNow(input: FoldInput, before: Baseline): string | undefined {
  const { anew, offers, sha256 } = input;
  if (before.offers !== offersDigest(offers, sha256) && toolChange(input, before) === undefined)
    return "the tools changed, and they come before everything that is cached";
  return anew;
}

function reasonToFold(
  input: FoldInput,
  before: Baseline,
  all: readonly SectionText[],
  changed: readonly string[],
): string | undefined {
  const { receiver, past, sha256, turn, step } = input;
  if (before.version === 1) return "the session is of an earlier version";
  if (before.whole !== undefined) return "the prompt was replaced for a turn";
  if (before.rewritten) return "a hook changed the messages of a turn";
  const leak = leakOf(input, before.secret, all);
  if (leak !== undefined) return `the words of “${leak}” carry the session's mark, so it has another now`;
  const moved = movedInCharter(input.charter, before);
  if (moved !== undefined) return moved;
  for (const name of changed) {
    const reason = mustFold(input, before, all, name);
    if (reason !== undefined) return reason;
  }
  const mark = markFor(receiver, before.secret, sha256);
  const places = updatePlaces(before.updates, past);
  const lost = before.updates.find((one, index) => {
    const message = past[places[index] as number];
    // One of this step was never answered, and is sent anew with it.
    if (message === undefined) return one.turn !== turn || one.step !== step;
    return !speaksAs(one, message, receiver, mark);
  });
  if (lost) return `what was said of “${lost.section}” is not in the history as the receiver must read it`;
  if (!input.cold || receiver.binds) return undefined;
  return rebuiltSections(before, all).length > 0 ? "the cache is cold" : undefined;
}

/** Returns the reason to fold if a section's new text has to replace the old one, and must not only be told. */
function mustFold(input: FoldInput, before: Baseline, all: readonly SectionText[], name: string): string | undefined {
  const last = lastSaid(before, name);
  const words = findWords(all, name) ?? last;
  if (words?.mutability === "fixed") return `“${name}” is part of what is fixed`;
  if (last && input.removed(name)) return `the words that were taken out of “${name}” must be gone`;
  return planOf(input.charter).byName.get(name)?.section.replaced ? `“${name}” was replaced` : undefined;
}

/** Returns the reason to fold if the charter itself changed: its order is precedence, and text it no longer has must be gone. */
function movedInCharter(charter: Charter, before: Baseline): string | undefined {
  const { byName } = planOf(charter);
  const updated = before.updates.flatMap(({ section: name, told }) =>
    told && told.layer !== hookLayer && name !== toolsUpdate ? { ...told, name } : [],
  );
  const moved = [...before.words, ...updated].find((words) => !standsAs(byName.get(words.name), words));
  if (moved) return `“${moved.name}” has no such place in the charter any more`;
  const order = before.words.map(({ name }) => byName.get(name)?.index as number);
  return order.some((index, at) => at > 0 && index < (order[at - 1] as number))
    ? "the order of the charter changed"
    : undefined;
}

function standsAs(
  planned: PlannedSection | undefined,
  words: Pick<SectionText, "layer" | "mutability" | "stability">,
): boolean {
  if (planned === undefined || planned.layer.name !== words.layer) return false;
  const mutability = mutabilityName(planned.mutability);
  const stability = stabilityOf({ mutability, stability: planned.stability });
  return mutability === words.mutability && stability === stabilityOf(words);
}

/** Returns a secret whose mark appears in nobody's text. */
function unknownSecret(input: FoldInput, secret: string, all: readonly SectionText[]): string {
  const leaked = leakOf(input, secret, all) !== undefined;
  return leaked ? unknownSecret(input, nextSecret(secret, input.sha256), all) : secret;
}

/** Finds a section in which somebody else's text carries the mark. */
function leakOf({ receiver, sha256 }: FoldInput, secret: string, all: readonly SectionText[]): string | undefined {
  const mark = markFor(receiver, secret, sha256);
  return all.find((words) => carries(words, mark))?.name;
}

function carries(words: SectionText | undefined, mark: string | undefined): boolean {
  return mark !== undefined && words !== undefined && words.trust !== "own" && carriesMark(words.text, mark);
}

function update(
  { turn, step, charter, receiver }: FoldInput,
  before: Baseline | null,
  section: string,
  now: SectionText | null,
  mark: string | undefined,
): Update {
  const planned = planOf(charter).byName.get(section);
  const previous = before ? lastSaid(before, section) : null;
  const label = labelOf(section, planned?.section.heading, now ?? previous);
  const forbidden = planned?.forbidden ?? nothingForbidden;
  const { name: _, text, ...told } = toldWords({ section, label, before: previous, now, mark, forbidden });
  const isForgotten = receiver.clears && receiver.voice === "system" && now?.layer === hookLayer;
  const clears = isForgotten ? { clears: true as const } : {};
  const said = { turn, step, section, text, told: now && told, ...clears };
  return now === null || saidIn(said)?.text === now.text ? said : { ...said, words: now };
}

const written = remembered((sha256: Sha256) =>
  remembered((offers: readonly ToolOffer[]) => {
    const text = JSON.stringify(offers);
    return { text, digest: sha256(text) };
  }),
);

/** Writes the offered tools as JSON, with its digest. */
export function offersText(offers: readonly ToolOffer[], sha256: Sha256): { digest: string; text: string } {
  return written(sha256)(offers);
}

export function offersDigest(offers: readonly ToolOffer[], sha256: Sha256): string {
  return offersText(offers, sha256).digest;
}

/** The updates a session has sent, those it would send now, and the stable text that a new prefix would have instead. */
type FoldCostOptions = Pick<Decision, "baseline" | "fresh"> & { readonly all: readonly SectionText[] };

/** Counts where no tokenizer is known. */
const byLength: Tokenizer = { name: "", exact: false, count: ({ length }) => length / 4 };

/** Minimum size of updates that is worth a new prefix, in tokens: no provider caches a shorter prefix. */
const minFoldTokens = 1000;

/**
 * Returns the reason why a session with a warm cache folds nevertheless: its updates cost more than a new prefix. By price, that
 * is when sending prefix and history anew costs no more than continuing, with the cost so far of carrying the updates: whatever
 * comes, the total is then at most about twice the least possible. Where no price is known, it is when the updates are longer
 * than the prefix.
 */
function outweighed(
  { receiver, past, cold, tokenizer = byLength }: FoldInput,
  { baseline, fresh, all }: FoldCostOptions,
): string | undefined {
  const { updates } = baseline;
  // A receiver that keeps the history never folds: a new prefix would be a new conversation.
  if (receiver.keepsHistory || ![...updates, ...fresh].some(isWaiting)) return undefined;
  const size = (all: readonly SectionText[]) =>
    all.reduce((sum, { text, tokens }) => sum + (tokens ?? tokenizer.count(text)), 0);

  const carried = carriedSizes(updates, past, tokenizer);
  const coming = historyTokens(
    fresh.filter(isWaiting).map((one) => updateMessage(one, receiver)),
    tokenizer,
  );
  if (carried.now + coming < minFoldTokens) return undefined;
  const { price, cache } = receiver;
  const words = all.filter(isPrefix);
  const again = size(all.filter((one) => !isPrefix(one) && stabilityOf(one) !== "event"));
  if (!price || cache.kind === "none")
    return carried.now + coming > again + (cache.kind === "none" ? minFoldTokens : size(baseline.words))
      ? "the messages that tell of changes are longer than the prefix"
      : undefined;
  const first = words.findIndex(({ text }, index) => text !== baseline.words[index]?.text);
  const from = first === -1 ? words.length : first;
  const history = (messageEnds(tokenizer, past).at(-1) as number) - carried.now;
  const sent = (tokens: number) => (cache.kind === "breakpoint" ? { written: tokens } : { fresh: tokens });
  const read = size(baseline.words.slice(from)) + history + carried.now;
  const goesOn = microsOf(price, cold ? sent(read + coming) : { read, ...sent(coming) });
  const folds = microsOf(price, sent(size(words.slice(from)) + history + again));
  return folds - goesOn <= microsOf(price, { read: carried.before })
    ? "a new prefix costs less than the messages that tell of changes"
    : undefined;
}

/** Computes the tokens of waiting updates: in the next request, and in all requests since they were first sent. */
function carriedSizes(updates: readonly Update[], past: readonly Message[], tokenizer: Tokenizer) {
  const places = updatePlaces(updates, past);
  const waiting = new Set(places.filter((_, index) => isWaiting(updates[index] as Update)));
  let [now, before, requests] = [0, 0, 0];
  for (let place = past.length - 1; place >= 0; place--) {
    if (past[place]?.role === "assistant") requests++;
    if (!waiting.has(place)) continue;
    const size = messageTokens(past[place] as Message, tokenizer);
    now += size;
    before += size * Math.max(0, requests - 1);
  }
  return { now, before };
}
