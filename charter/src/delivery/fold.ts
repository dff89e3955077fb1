import type { Charter } from "../prompt/charter.ts";
import { type PlannedSection, planOf } from "../prompt/plan.ts";
import { grouped } from "../prompt/problem.ts";
import type { Sha256 } from "../prompt/prompt.ts";
import type { Notice } from "../prompt/reading.ts";
import type { SectionText } from "../prompt/receipt.ts";
import { mutabilityName } from "../prompt/section.ts";
import { nothingForbidden } from "../prompt/structure.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import { type Baseline, isWaiting, lastSaid, stabilityOf, type Update, updatePlaces, withUpdates } from "./baseline.ts";
import { toldWords } from "./change.ts";
import { dollarText, inDollars, messageText, messageTokens, microsOf } from "./cost.ts";
import { carriesMark, markFor, nextSecret } from "./mark.ts";
import type { Message, ToolOffer } from "./model.ts";
import type { Receiver } from "./receiver.ts";

/** The part of `deliver`'s input that decides whether a session continues from what it has sent, or starts from a new prefix. */
export type FoldInput = {
  readonly charter: Charter;
  readonly receiver: Receiver;
  /** The tools the model is offered. */
  readonly offers: readonly ToolOffer[];
  /** The session's baseline; null in its first request. */
  readonly baseline: Baseline | null;
  /** All messages of the session so far. */
  readonly past: readonly Message[];
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

type FoldResult = Decision & { readonly notices: readonly Notice[] };

/** Decides whether the session continues with updates or starts from a new baseline. */
export function decideFold(input: FoldInput, all: readonly SectionText[]): FoldResult {
  const { baseline: before, turn } = input;
  const changed = before ? changedSections(before, all) : [];
  const result = foldOrUpdate(input, all, changed);
  const changes = changesOf({ before, turn, changed: result.change.how === "opened" ? [] : changed, all });
  const notices = unstableNotices({ before, all }, changes, input.receiver);
  const isSame = JSON.stringify(changes) === JSON.stringify(before?.changes ?? {});
  return { ...result, notices, baseline: isSame ? result.baseline : { ...result.baseline, changes } };
}

function foldOrUpdate(input: FoldInput, all: readonly SectionText[], changed: readonly string[]): Decision {
  const { baseline: before, secret, sha256 } = input;
  const empty = { version: 1, secret, words: [], updates: [], offers: "", summary: null } as const;
  if (!before) return open(input, all, empty, { how: "opened" });
  const nothing = before.words.length === 0 && before.updates.length === 0;
  if (nothing && changed.length > 0) return open(input, all, before, { how: "opened" });

  const folds = (reason: string) => {
    const waiting = before.updates.filter(isWaiting).map(({ section }) => section);
    const sections = [...new Set([...changed.filter((name) => !isEvent(before, all, name)), ...waiting])];
    return open(input, all, before, { how: "folded", sections, reason });
  };
  const because = reasonToFold(input, before, all, changed);
  if (because !== undefined) return folds(because);
  const mark = markFor(input.receiver, before.secret, sha256);
  const fresh = changed.map((name) => update(input, before, name, findWords(all, name) ?? null, mark));
  const reason = outweighed(input, { baseline: before, fresh, words: all.filter(isStable) });
  if (reason !== undefined) return folds(reason);
  if (fresh.length === 0) return { baseline: before, change: { how: "kept" }, fresh };
  const baseline = { ...before, updates: withUpdates(before.updates, fresh) };
  return { baseline, change: { how: "updated", sections: changed }, fresh };
}

function isStable(words: SectionText): boolean {
  return stabilityOf(words) === "stable";
}

/**
 * Starts a new baseline, whose prefix is the current stable text. Events that were sent remain in the history, as long as the
 * charter has them and the receiver can tell who speaks; others are sent now.
 */
function open(input: FoldInput, all: readonly SectionText[], before: Baseline, change: PrefixChange): Decision {
  const { charter, receiver, past, sha256 } = input;
  const secret = unknownSecret(input, before.secret, all);
  const mark = markFor(receiver, secret, sha256);
  const { byName } = planOf(charter);
  const places = updatePlaces(before.updates, past);
  const kept = before.updates.filter(
    ({ told, text, section }, index) =>
      told !== null &&
      stabilityOf(told) === "event" &&
      standsAs(byName.get(section), told) &&
      places[index] !== -1 &&
      text.startsWith(mark ?? ""),
  );
  const base = { ...before, secret, words: [], updates: kept, offers: offersDigest(input.offers, sha256) };
  const fresh = all
    .filter((words) => stabilityOf(words) === "event" && !isSaid(base, words))
    .map((words) => update(input, null, words.name, words, mark));
  const words = all.filter(isStable);
  return { baseline: { ...base, words, updates: withUpdates(kept, fresh) }, change, fresh };
}

/** Lists sections whose text differs from what was last sent. An event that is over needs no update. */
function changedSections(before: Baseline, all: readonly SectionText[]): string[] {
  const placed = all.filter((words) => stabilityOf(words) !== "state");
  const names = new Set([
    ...before.words.map(({ name }) => name),
    ...before.updates.map(({ section }) => section),
    ...placed.map(({ name }) => name),
  ]);
  return [...names].filter((name) => {
    const now = findWords(placed, name);
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

function isEvent(before: Baseline, all: readonly SectionText[], name: string): boolean {
  const words = findWords(all, name) ?? lastSaid(before, name);
  return words ? stabilityOf(words) === "event" : false;
}

function reasonToFold(
  input: FoldInput,
  before: Baseline,
  all: readonly SectionText[],
  changed: readonly string[],
): string | undefined {
  const { receiver, past, sha256 } = input;
  if (before.offers !== offersDigest(input.offers, sha256))
    return "the tools changed, and they come before everything that is cached";
  if (input.anew !== undefined) return input.anew;
  const leak = leakOf(input, before.secret, all);
  if (leak !== undefined) return `the words of “${leak}” carry the session's mark, so it has another now`;
  const moved = movedInCharter(input.charter, before);
  if (moved !== undefined) return moved;
  const fixed = changed.find((name) => (findWords(all, name) ?? lastSaid(before, name))?.mutability === "fixed");
  if (fixed !== undefined) return `“${fixed}” is part of what is fixed`;
  const removed = changed.find((name) => lastSaid(before, name) && input.removed(name));
  if (removed !== undefined) return `the words that were taken out of “${removed}” must be gone`;
  const mark = markFor(receiver, before.secret, sha256) ?? "";
  const places = updatePlaces(before.updates, past);
  const lost = before.updates.find((one, index) => places[index] === -1 || !one.text.startsWith(mark));
  if (lost) return `what was said of “${lost.section}” is not in the history as the receiver must read it`;
  const pending = before.updates.some(isWaiting) || changed.some((name) => !isEvent(before, all, name));
  return input.cold && pending ? "the cache is cold" : undefined;
}

/** Returns the reason to fold if the charter itself changed: its order is precedence, and text it no longer has must be gone. */
function movedInCharter(charter: Charter, before: Baseline): string | undefined {
  const { byName } = planOf(charter);
  const updated = before.updates.flatMap(({ section: name, told }) => (told ? { ...told, name } : []));
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
  if (mark === undefined) return undefined;
  return all.find(({ trust, text }) => trust !== "own" && carriesMark(text, mark))?.name;
}

function update(
  { turn, step, charter }: FoldInput,
  before: Baseline | null,
  section: string,
  now: SectionText | null,
  mark: string | undefined,
): Update {
  const { forbidden = nothingForbidden } = planOf(charter).byName.get(section) ?? {};
  const previous = before ? lastSaid(before, section) : null;
  const { name: _, text, ...told } = toldWords({ section, before: previous, now, mark, forbidden });
  return { turn, step, section, text, ...(now === null ? { told: null } : { told, words: now }) };
}

type OffersText = { readonly digest: string; readonly text: string };
const writtenOffers = new WeakMap<readonly ToolOffer[], OffersText & { readonly by: Sha256 }>();

/** Writes the offered tools as JSON, with its digest. */
export function offersText(offers: readonly ToolOffer[], sha256: Sha256): OffersText {
  const known = writtenOffers.get(offers);
  if (known?.by === sha256) return known;
  const text = JSON.stringify(offers);
  const written = { by: sha256, text, digest: sha256(text) };
  writtenOffers.set(offers, written);
  return written;
}

export function offersDigest(offers: readonly ToolOffer[], sha256: Sha256): string {
  return offersText(offers, sha256).digest;
}

/** Number of turns in a row in which a section's text changes before the operator is told. */
const maxTurns = 3;
/** Number of turns of the session for which the cost is stated. */
const usualTurns = 20;

type Change = { readonly turn: string; readonly turns: number };

type Seen = {
  readonly before: Baseline | null;
  readonly turn: string;
  /** Names of the sections whose text differs from what was last sent. */
  readonly changed: readonly string[];
  readonly all: readonly SectionText[];
};

/**
 * Counts the turns in a row in which the text of each live stable section has changed. A section that was reported stays: it is
 * reported once a session.
 */
function changesOf({ before, turn, changed, all }: Seen): Readonly<Record<string, Change>> {
  const known = before?.changes ?? {};
  const moved = all.filter((words) => changed.includes(words.name) && isGenerated(words)).map(({ name }) => name);
  // Requests without a turn's name count as a turn each.
  const isNow = (one: Change | undefined) => turn !== "" && one?.turn === turn;
  const kept = Object.entries(known).filter(([, one]) => isNow(one) || one.turns >= maxTurns);
  const next = moved.map((name): [string, Change] => {
    const one = known[name];
    return [name, one && isNow(one) ? one : { turn, turns: (one?.turns ?? 0) + 1 }];
  });
  return Object.fromEntries([...kept, ...next]);
}

/**
 * Returns true for text that is generated each turn, but placed where only rarely changing text belongs. Amended text is another
 * matter.
 */
function isGenerated(words: SectionText): boolean {
  return words.mutability === "live" && stabilityOf(words) === "stable";
}

/** Warns of sections that changed in too many turns with this request, with the cost of that. */
function unstableNotices(
  { before, all }: Pick<Seen, "before" | "all">,
  changes: Readonly<Record<string, Change>>,
  receiver: Receiver,
): Notice[] {
  return Object.entries(changes).flatMap(([section, { turns }]) => {
    if (turns !== maxTurns || before?.changes?.[section]?.turns === maxTurns) return [];
    const words = all.find(({ name }) => name === section);
    const tokens = words?.tokens ?? Math.ceil((words?.text.length ?? 0) / 4);
    const message = `“${section}” counts as stable, and its text changed in ${maxTurns} turns in a row. Each change is sent as an update that later requests carry along: ${costWords(tokens, receiver)}. Declare it with stability: "state".`;
    return [{ code: "section-unstable", section, message }];
  });
}

/** Computes what updates cost beyond state: each is written once, and read in every later request. */
function costWords(tokens: number, { price, cache }: Receiver): string {
  const [written, read] = [tokens * usualTurns, (tokens * usualTurns * (usualTurns - 1)) / 2];
  const more = `about ${grouped(read)} tokens more in ${usualTurns} turns`;
  if (!price) return more;
  const asUpdates = { read, ...(cache.kind === "breakpoint" ? { written } : { fresh: written }) };
  const micros = microsOf(price, asUpdates) - microsOf(price, { fresh: written });
  return `${more}, ${dollarText(inDollars(micros))}`;
}

/** Lists the sections of a session that were reported as unstable. */
export function unstableSections(baseline: Baseline | null): string[] {
  const changes = Object.entries(baseline?.changes ?? {});
  return changes.filter(([, { turns }]) => turns >= maxTurns).map(([section]) => section);
}

type FoldCostInput = {
  readonly receiver: Receiver;
  readonly past: readonly Message[];
  readonly tokenizer?: Tokenizer;
};

/** The updates a session has sent, those it would send now, and the stable text that a new prefix would have instead. */
type FoldCostOptions = {
  readonly baseline: Baseline;
  readonly fresh: readonly Update[];
  readonly words: readonly SectionText[];
};

/** Minimum size of updates that is worth a new prefix, in tokens: no provider caches a shorter prefix. */
const minFoldTokens = 1000;

/**
 * Returns the reason why a session with a warm cache folds nevertheless: its updates cost more than a new prefix. By price, that
 * is when sending prefix and history anew costs no more than continuing, with the cost so far of carrying the updates: whatever
 * comes, the total is then at most about twice the least possible. Where no price is known, it is when the updates are longer
 * than the prefix.
 */
function outweighed(
  { receiver, past, tokenizer }: FoldCostInput,
  { baseline, fresh, words }: FoldCostOptions,
): string | undefined {
  const { updates } = baseline;
  // A receiver that keeps the history never folds: a new prefix would be a new conversation.
  if (receiver.keepsHistory || ![...updates, ...fresh].some(isWaiting)) return undefined;
  const count = (text: string) => tokenizer?.count(text) ?? text.length / 4;
  const messageSize = (one: Message) => (tokenizer ? messageTokens(one, tokenizer) : messageText(one).length / 4);
  const size = (all: readonly SectionText[]) =>
    all.reduce((sum, { text, tokens }) => sum + ((tokenizer && tokens) ?? count(text)), 0);

  const sizes = past.map(messageSize);
  const carried = carriedSizes(updates, past, sizes);
  const coming = fresh.filter(isWaiting).reduce((sum, { text }) => sum + count(text), 0);
  if (carried.now + coming < minFoldTokens) return undefined;
  const { price, cache } = receiver;
  if (!price || cache.kind === "none")
    return carried.now + coming > size(baseline.words)
      ? "the messages that tell of changes are longer than the prefix"
      : undefined;
  const first = words.findIndex(({ text }, index) => text !== baseline.words[index]?.text);
  const from = first === -1 ? words.length : first;
  const history = sizes.reduce((sum, one) => sum + one, 0) - carried.now;
  const sent = (tokens: number) => (cache.kind === "breakpoint" ? { written: tokens } : { fresh: tokens });
  const read = size(baseline.words.slice(from)) + history + carried.now;
  const goesOn = microsOf(price, { read, ...sent(coming) });
  const folds = microsOf(price, sent(size(words.slice(from)) + history));
  return folds - goesOn <= microsOf(price, { read: carried.before })
    ? "a new prefix costs less than the messages that tell of changes"
    : undefined;
}

/** Computes the tokens of waiting updates: in the next request, and in all requests since they were first sent. */
function carriedSizes(updates: readonly Update[], past: readonly Message[], sizes: readonly number[]) {
  const places = updatePlaces(updates, past);
  const waiting = new Set(places.filter((_, index) => isWaiting(updates[index] as Update)));
  let [now, before, requests] = [0, 0, 0];
  for (let place = past.length - 1; place >= 0; place--) {
    if (past[place]?.role === "assistant") requests++;
    if (!waiting.has(place)) continue;
    now += sizes[place] as number;
    before += (sizes[place] as number) * Math.max(0, requests - 1);
  }
  return { now, before };
}
