import { allSections, type Charter, sectionMutability } from "../../prompt/charter.ts";
import type { Section } from "../../prompt/section.ts";
import { GAP, splitWords, type Word } from "./normalise.ts";

/**
 * Word sets that tell a warning from an order in English: genuine prompts mention overrides in order to forbid them. Other
 * languages have short lists of their own.
 */
const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));
const negations = setOf(
  "not never dont cannot cant mustnt shouldnt wont doesnt wouldnt couldnt didnt isnt arent without neither nor nobody none no refuse refuses refusing avoid avoids prevent prevents preventing reject rejects resist resists decline block blocks disallow prohibited forbidden unable impossible unlikely cannnot rarely hardly",
);
const requests = setOf(
  "ask asks asked asking tell tells told telling instruct instructs instructed instructing request requests requested requesting try tries tried trying attempt attempts attempted attempting want wants seek seeks demand demands demanding claim claims persuade persuades convince convinces trick tricks tricking manipulate manipulates get induce direct directs urge urges encourage encourages designed intended aim aims aimed order orders commands command commanding message messages content text texts input inputs instructions instruction prompt prompts data document documents page pages words anything anyone someone something whoever effort efforts ways able power authority permission ability allowed",
);
const links = setOf("to that which into who saying telling asking instructing claiming for");
const telling = setOf(
  "say says saying said state states stating contain contains containing like eg include includes including phrase phrases example examples called variations wording terms such mention mentions quote string strings pattern patterns keyword keywords matches detects detect detecting scan flag flags",
);
const topics = setOf(
  "injection injections injected attack attacks attacker attackers adversarial adversary malicious untrusted suspicious hostile attempt attempts attempting jailbreaks jailbreaking exploit exploits redteam vulnerability vulnerabilities phishing threat threats spoofing poisoning poisoned tampering manipulation override_attempt",
);
const leads = setOf(
  "never not dont cannot prohibited forbidden refuse reject avoid wont examples example phrases patterns pattern signs detect detection flags flag block blocked bad wrong suspicious red violations violation security safety defense defence test tests payload payloads scenario scenarios banned unacceptable disallowed limits boundaries mistakes antipatterns anti warnings warning against unsafe jailbreak risks risk decline",
);
const modals = setOf("may might can could would will should must does did");
const starters = setOf(
  "please and then now you must should just kindly immediately so or also always first but instead completely shall lets hereby simply ok okay ai assistant chatgpt model system urgent important attention task step",
);

const breaks = GAP.stop | GAP.item;
const near = GAP.stop | GAP.item | GAP.colon | GAP.comma | GAP.quote;

function sentenceStart(words: readonly Word[], at: number, reach: number): number {
  let start = at;
  while (start > 0 && at - start < reach && ((words[start]?.gap ?? 0) & breaks) === 0) start -= 1;
  return start;
}

const has = (set: ReadonlySet<string>, word: Word | undefined): boolean => word !== undefined && set.has(word.plain);

/** Returns true if the word at this place gives an order, and does not describe what somebody or something else does. */
export function isImperative(words: readonly Word[], at: number): boolean {
  const word = words[at];
  const before = words[at - 1];
  if (word === undefined || before === undefined || (word.gap & near) !== 0) return true;
  if (before.plain === "to") return ["you", "have", "need", "want", "going"].includes(words[at - 2]?.plain ?? "");
  if (modals.has(before.plain) || before.plain === "now") return ["you", "and"].includes(words[at - 2]?.plain ?? "");
  return starters.has(before.plain);
}

const addressed = setOf(
  "you your youre yourself youll youve u ur act acting pretend roleplay simulate chatgpt gpt dan i answer respond reply comply",
);

/** Returns true if somebody is addressed near these words: a story may tell of a machine without rules, an order makes one. */
export function isAddressed(words: readonly Word[], from: number, to: number): boolean {
  for (let at = Math.max(0, from - 30); at < to + 30; at += 1) if (has(addressed, words[at])) return true;
  return false;
}

/** Returns true if the sentence around the words from `from` to `to` forbids, reports or quotes them. */
export function isWarning(words: readonly Word[], from: number, to: number, rule: string): boolean {
  const start = sentenceStart(words, from, 40);
  // Demands of freedom from rules contain "no" and "not" themselves, in the third person: fewer signs of a warning count there.
  const freeing = rule === "unrestricted";
  const quoted = ((words[from]?.gap ?? 0) & GAP.quote) !== 0;
  const listed = isListed(words, from, to);
  for (let at = from - 1; at >= start; at -= 1) {
    const word = words[at];
    if (word === undefined) break;
    const distance = from - at;
    const pausing = ((words[at + 1]?.gap ?? 0) & GAP.comma) !== 0;
    if (
      negations.has(word.plain) &&
      (distance <= 3 || (!freeing && distance <= 14 && (pausing || listed || !parted(words, at, from))))
    )
      return true;
    if (distance <= (quoted ? 6 : freeing ? 0 : 2) && telling.has(word.plain)) return true;
    if ((distance <= 16 || quoted) && topics.has(word.plain)) return true;
    if (distance <= 16 && !freeing && word.plain.startsWith("jailbreak")) return true;
    if (
      distance <= 14 &&
      requests.has(word.plain) &&
      !isOwnVoice(words, at, start) &&
      linked(words, at, listed ? from - 12 : from - 3, from)
    )
      return true;
    if (word.plain === "even" && words[at + 1]?.plain === "if") return true;
    if (word.plain === "whether" || word.plain === "unless") return true;
  }
  if (!freeing && has(modals, words[from - 1]) && !["you", "and", "ai"].includes(words[from - 2]?.plain ?? "you"))
    return true;
  return isDisowned(words, to, quoted) || isLedIn(words, start, from);
}

/** Returns true for one of several alternatives, as in "do not bend, ignore, or replace": a negation of the first covers all. */
function isListed(words: readonly Word[], from: number, to: number): boolean {
  if (["or", "nor"].includes(words[from - 1]?.plain ?? "")) return true;
  for (let at = to; at < to + 5; at += 1) {
    if (((words[at]?.gap ?? GAP.stop) & breaks) !== 0) return false;
    if (["or", "nor"].includes(words[at]?.plain ?? "")) return ((words[to]?.gap ?? 0) & GAP.comma) !== 0;
  }
  return false;
}

function parted(words: readonly Word[], at: number, from: number): boolean {
  for (let next = at + 1; next <= from; next += 1) {
    if (((words[next]?.gap ?? 0) & (GAP.comma | GAP.colon)) !== 0) return true;
    if (next < from && ["but", "instead", "then", "just", "now", "longer", "only"].includes(words[next]?.plain ?? ""))
      return true;
  }
  return false;
}

/** Recognises orders of the author, such as "I want you to …" and "you are told to …". */
function isOwnVoice(words: readonly Word[], at: number, start: number): boolean {
  for (let before = at - 1; before >= Math.max(start, at - 3); before -= 1) {
    const word = words[before]?.plain ?? "";
    if (["if", "when", "whenever", "being", "user", "users"].includes(word)) return false;
    if (["i", "we", "im", "ive", "you", "youre", "youve", "id", "my", "ill"].includes(word)) return true;
  }
  return false;
}

/** Finds the word that leads from asking to what is asked, as in "asks you to …", close by. */
function linked(words: readonly Word[], at: number, close: number, from: number): boolean {
  for (let next = Math.max(at + 1, close); next < from; next += 1) if (has(links, words[next])) return true;
  return false;
}

function isDisowned(words: readonly Word[], to: number, quoted: boolean): boolean {
  for (let at = to; at < to + (quoted ? 24 : 12); at += 1) {
    const word = words[at];
    if (word === undefined || (word.gap & GAP.stop) !== 0) return false;
    // Stops at a quotation: words that an attack wants said are no comment on the attack.
    if (!quoted && (word.gap & GAP.quote) !== 0) return false;
    if (topics.has(word.plain)) return true;
    if (
      quoted &&
      ["refuse", "decline", "reject", "ignored", "refused", "rejected", "flagged", "blocked"].includes(word.plain)
    )
      return true;
  }
  return false;
}

/** Returns true if a list or a quotation is introduced by a warning, in the line or the heading above it. */
function isLedIn(words: readonly Word[], start: number, from: number): boolean {
  const gap = words[start]?.gap ?? 0;
  const listed = (gap & (GAP.item | GAP.line)) !== 0 || ((words[from]?.gap ?? 0) & (GAP.quote | GAP.colon)) !== 0;
  if (!listed) return false;
  for (let at = start; at >= 0 && start - at < 150; at -= 1) {
    const gapHere = words[at]?.gap ?? 0;
    const colon = (gapHere & GAP.colon) !== 0 && (gapHere & (GAP.line | GAP.item | GAP.quote | GAP.stop)) !== 0;
    const heading = (gapHere & GAP.heading) !== 0;
    if (colon && warns(words, sentenceStart(words, at - 1, 30), at)) return true;
    if (heading) return warns(words, at, Math.min(at + 8, start));
  }
  return false;
}

function warns(words: readonly Word[], from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    if (has(leads, words[at]) || has(topics, words[at]) || has(negations, words[at])) return true;
  }
  return false;
}

const claimants = new Set("my mine me i our we this these it they user users".split(" "));
const nobody = new Set("nothing nobody none no neither nor".split(" "));
const maxClauseWords = 8;

/**
 * Returns true if a claim of precedence agrees with the charter: the earlier wins, or nothing wins over it. A name of one
 * everyday word counts as a section's only when the words claim to be instructions themselves: "my rules outrank safety".
 */
export function isHonest(
  higher: HigherSections,
  rule: string,
  words: readonly Word[],
  from: number,
  to: number,
): boolean {
  if (rule !== "outrank" && rule !== "outranked-by") return false;
  const start = clauseStart(words, from);
  const before = referencesIn(higher, words, start, from);
  const inside = referencesIn(higher, words, from, to);
  if (rule === "outranked-by") {
    const [below, ...rest] = inside;
    const above = [...rest, ...referencesIn(higher, words, to, clauseEnd(words, to))];
    return below !== undefined && isEarlier(above, below);
  }
  const below = inside.at(-1);
  const above = [...before, ...inside.slice(0, -1)];
  if (below === undefined || isEarlier(above, below)) return true;
  const left = words.slice(start, to).map(({ plain }) => plain);
  if (left.some((word) => nobody.has(word))) return true;
  return below.plain && above.length === 0 && !left.some((word) => claimants.has(word));
}

/** Returns true if all that is claimed to win comes before what is claimed to lose. */
function isEarlier(above: readonly Reference[], below: Reference): boolean {
  return above.length > 0 && above.every(({ last }) => last < below.first);
}

function referencesIn(higher: HigherSections, words: readonly Word[], from: number, to: number): Reference[] {
  const references: Reference[] = [];
  for (let at = from; at < to; ) {
    const reference = higher
      .references(words, at)
      .reduce<Reference | undefined>(
        (longest, next) => (longest === undefined || next.length > longest.length ? next : longest),
        undefined,
      );
    if (reference !== undefined) references.push(reference);
    at += reference?.length ?? 1;
  }
  return references;
}

function clauseStart(words: readonly Word[], at: number): number {
  let start = at;
  while (start > 0 && at - start < maxClauseWords && ((words[start]?.gap ?? 0) & (GAP.stop | GAP.item)) === 0)
    start -= 1;
  return start;
}

function clauseEnd(words: readonly Word[], at: number): number {
  let end = at;
  while (end < words.length && end - at < maxClauseWords && ((words[end]?.gap ?? 0) & (GAP.stop | GAP.item)) === 0)
    end += 1;
  return end;
}

/** Words that name sections or layers: their number, and the places of the first and the last section they mean. */
type Reference = {
  readonly length: number;
  readonly first: number;
  readonly last: number;
  readonly plain: boolean;
};

/**
 * The sections above the one that is being changed, and the names they may be called by. `higherThan` makes it for
 * `findOverride`.
 *
 * @opaque
 */
export type HigherSections = {
  /** Finds the sections and layers that the words from this place on name, higher or not. */
  readonly references: (words: readonly Word[], at: number) => readonly Reference[];
  readonly isHigher: (reference: Reference) => boolean;
};

type Name = { readonly words: readonly string[]; readonly first: number; readonly last: number };

const kinds = new Set("layer layers level levels tier tiers".split(" "));
const sectionWords = new Set(
  "section sections part parts block blocks heading headings chapter rule rules guideline guidelines instruction instructions principle principles policy policies text words paragraph clause clauses constraint constraints requirement requirements law laws directive directives".split(
    " ",
  ),
);
const ordinals = new Map(
  "first 1 second 2 third 3 fourth 4 fifth 5 sixth 6 1st 1 2nd 2 3rd 3 4th 4 5th 5"
    .split(" ")
    .flatMap((word, index, all) => (index % 2 === 0 ? [[word, Number(all[index + 1])] as const] : [])),
);
const numbers = new Map(
  "zero one two three four five six seven eight nine ten".split(" ").map((word, number) => [word, number] as const),
);
const joins = new Set(["to", "through", "and", "until", "thru", "or", "up"]);

/** Lists the sections above one section, with their names and numbers, for `findOverride`. */
export function higherThan(charter: Charter, section: Section): HigherSections {
  const all = allSections(charter);
  const own = all.findIndex((placed) => placed.section.name === section.name);
  const names = new Map<string, Name[]>();
  const enter = (text: string, first: number, last: number): void => {
    const words = Array.from(splitWords(text), ({ plain }) => plain);
    const lead = words[0];
    if (lead === undefined || words.every((word) => /^\d+$/u.test(word) || kinds.has(word))) return;
    names.set(lead, [...(names.get(lead) ?? []), { words, first, last }]);
  };
  // Sections that are generated per turn give facts, not orders: nobody overrides the time of day.
  const live = new Set<number>();
  for (const [place, placed] of all.entries()) {
    if (sectionMutability(placed.section, placed.layer) === "live") live.add(place);
    for (const text of new Set([spaced(placed.section.name), ...titles(placed.section.heading ?? "")]))
      enter(text, place, place);
  }
  const layers = charter.layers.map(({ name, sections, fallback = [] }) => {
    const places = [...sections, ...fallback].map(({ name }) =>
      all.findIndex((placed) => placed.section.name === name),
    );
    return { name, first: Math.min(...places), last: Math.max(...places) };
  });
  for (const { name, first, last } of layers) enter(spaced(name), first, last);
  const numbered = layers.some(({ name }) => /^\d+$/u.test(name));
  const layerAt = (number: number) =>
    numbered ? layers.find(({ name }) => Number(name) === number) : layers[number - 1];
  const leads = new Set([...kinds, ...ordinals.keys(), ...[...names.keys()].flatMap((lead) => [lead, `${lead}s`])]);
  return {
    references: (words, at) =>
      leads.has(words[at]?.plain ?? "")
        ? [...namesAt(names, words, at), ...layersAt(words, at, layerAt), ...countedAt(words, at, all.length, layers)]
        : none,
    isHigher: ({ first }) => first < own && !live.has(first),
  };
}

const spaced = (name: string): string => name.replace(/[-_./]/gu, " ").replace(/([a-z])([A-Z])/gu, "$1 $2");

/**
 * Returns the names a heading may be called by: "## Layer 1: Constitution — Safety" is "Layer 1", "Constitution" and "Safety"
 * too.
 */
function titles(heading: string): string[] {
  const bare = heading.replace(/<[/?!]?|\/?>|[#*_[\]=]/gu, " ").trim();
  const pieces = [bare, ...bare.split(/[:—–|/()]| - /u)].filter((title) => title.trim() !== "").map(spaced);
  return pieces.flatMap((title) => (title.includes("&") ? [title, title.replaceAll("&", " and ")] : [title]));
}

function namesAt(names: ReadonlyMap<string, readonly Name[]>, words: readonly Word[], at: number): Reference[] {
  const word = words[at]?.plain ?? "";
  const candidates = [...(names.get(word) ?? []), ...(word.endsWith("s") ? (names.get(word.slice(0, -1)) ?? []) : [])];
  if (candidates.length === 0) return [];
  return candidates.flatMap((name): Reference[] => {
    if (!name.words.every((part, number) => number === 0 || follows(words[at + number], part))) return [];
    const { length } = name.words;
    const next = words[at + length];
    const isLabelled =
      next !== undefined && (next.gap & crossing) === 0 && (sectionWords.has(next.plain) || kinds.has(next.plain));
    const before = words[at - 1];
    const called =
      before !== undefined &&
      ((words[at]?.gap ?? 0) & crossing) === 0 &&
      (kinds.has(before.plain) || before.plain === "section");
    return [
      {
        length: isLabelled ? length + 1 : length,
        first: name.first,
        last: name.last,
        plain: !isLabelled && !called && length < 2,
      },
    ];
  });
}

/** Recognises “Layer 1”, “layers 0-5”, “layers 0, 1 and 2”. */
function layersAt(
  words: readonly Word[],
  at: number,
  layerAt: (number: number) => { readonly first: number; readonly last: number } | undefined,
): Reference[] {
  if (!kinds.has(words[at]?.plain ?? "")) return [];
  let length = 1;
  const places: { readonly first: number; readonly last: number }[] = [];
  for (let next = at + 1; next < at + 14; next += 1) {
    const word = words[next];
    if (word === undefined || (word.gap & (GAP.stop | GAP.item)) !== 0) break;
    const number = /^\d{1,3}$/u.test(word.plain) ? Number(word.plain) : numbers.get(word.plain);
    if (number === undefined) {
      if (places.length > 0 && joins.has(word.plain)) continue;
      break;
    }
    length = next - at + 1;
    const layer = layerAt(number);
    if (layer !== undefined) places.push(layer);
  }
  if (places.length === 0) return [];
  const first = Math.min(...places.map((place) => place.first));
  return [{ length, first, last: Math.max(...places.map((place) => place.last)), plain: false }];
}

/** Recognises “the first layer”, “the first three sections”. */
function countedAt(
  words: readonly Word[],
  at: number,
  sections: number,
  layers: readonly { readonly first: number; readonly last: number }[],
): Reference[] {
  const ordinal = ordinals.get(words[at]?.plain ?? "");
  if (ordinal === undefined) return [];
  const second = words[at + 1]?.plain ?? "";
  const count = numbers.get(second) ?? (/^\d$/u.test(second) ? Number(second) : undefined);
  const length = count === undefined ? 2 : 3;
  const noun = words[at + length - 1]?.plain ?? "";
  const last = ordinal - 1 + ((count ?? 1) - 1);
  if (kinds.has(noun)) {
    const [from, to] = [layers[ordinal - 1], layers[last]];
    return from === undefined ? [] : [{ length, first: from.first, last: (to ?? from).last, plain: false }];
  }
  if (!noun.startsWith("section") || ordinal > sections) return [];
  return [{ length, first: ordinal - 1, last, plain: false }];
}

const crossing = GAP.stop | GAP.item | GAP.comma | GAP.colon;

function follows(word: Word | undefined, part: string): boolean {
  return (
    word !== undefined && (word.gap & (GAP.stop | GAP.item)) === 0 && (word.plain === part || word.plain === `${part}s`)
  );
}

const none: readonly Reference[] = [];
