import { badArgument, isList, isObject } from "../prompt/argument.ts";
import { differences, type Effort } from "../prompt/diff.ts";

/**
 * A range of a section's current text and the revision that wrote it; 0 is the original. The ranges cover the whole
 * text.
 */
export type AuthoredSpan = { readonly start: number; readonly end: number; readonly revision: number };

/** Words that stood in one text and stand in the next. */
type KeptStretch = { readonly from: number; readonly to: number; readonly length: number };

/** A stretch, and where it stands in the words of the revision that wrote it. */
type TracedSpan = AuthoredSpan & { readonly at: number };

const effort: Effort = { edits: 1000, steps: 2_000_000 };

/**
 * Says which revision wrote which part of a section's text. Each amendment is compared with the text before it, line by
 * line, and changed lines word by word. Where that would take too long the comparison is coarser, never wrong.
 *
 * `amendments` come oldest first. `original` is the text they start from, with its revision.
 */
export function blame(
  original: { readonly text: string; readonly revision: number },
  amendments: readonly { readonly revision: number; readonly after: string }[],
): readonly AuthoredSpan[] {
  if (!isObject(original) || !isList(amendments))
    throw badArgument(
      "blame was given no words to begin with, or no amendments.",
      "Give blame({ text, revision: 0 }, amendments), oldest first.",
    );
  let { text } = original;
  let traced = wholly(text, original.revision);
  for (const { revision, after } of amendments) {
    if (after === text) continue;
    traced = carried(traced, keptIn(text, after), after.length, revision);
    text = after;
  }
  return traced.map(({ start, end, revision }) => ({ start, end, revision }));
}

function wholly({ length }: string, revision: number): TracedSpan[] {
  return length === 0 ? [] : [{ start: 0, end: length, revision, at: 0 }];
}

/** What was kept stays its author's; what stands between is the new revision's. */
function carried(
  before: readonly TracedSpan[],
  kept: readonly KeptStretch[],
  length: number,
  revision: number,
): TracedSpan[] {
  const out: TracedSpan[] = [];
  const add = (one: TracedSpan) => {
    const last = out.at(-1);
    const goesOn = last?.revision === one.revision && last.at + (last.end - last.start) === one.at;
    if (last && goesOn) out[out.length - 1] = { ...last, end: one.end };
    else if (one.end > one.start) out.push(one);
  };
  let done = 0;
  let first = 0;
  for (const { from, to, length: many } of kept) {
    add({ start: done, end: to, revision, at: done });
    while ((before[first]?.end ?? from + many) <= from) first++;
    for (let index = first; index < before.length; index++) {
      const one = before[index] as TracedSpan;
      if (one.start >= from + many) break;
      const start = Math.max(one.start, from);
      const end = Math.min(one.end, from + many);
      add({ start: start - from + to, end: end - from + to, revision: one.revision, at: one.at + start - one.start });
    }
    done = to + many;
  }
  add({ start: done, end: length, revision, at: done });
  return out;
}

const word = /[\p{L}\p{N}]/u;
const lines = /[^\n]*\n|[^\n]+/g;
/** Words and what stands between them. Where a language has no spaces, each character is a word. */
const words =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]\p{M}*|[\p{L}\p{N}][\p{L}\p{M}\p{N}_'’]*|[^\p{L}\p{N}]+/gu;
/** Words, white space, and single signs, of which none is taken apart: a flag or a family is one. */
const signs = /\n|[^\S\n]+|[\p{L}\p{M}\p{N}_'’]+|\p{RI}\p{RI}?|.(?:[\p{M}\p{EMod}]|\u200d.)*/gsu;

/**
 * Lines first, then words, then what stands between them: a blank line or a comma that stands in both texts must not
 * keep a word from being found again.
 */
function keptIn(before: string, after: string): KeptStretch[] {
  const kept: KeptStretch[] = [];
  const add = (from: number, to: number, length: number) => {
    const last = kept.at(-1);
    if (last && last.from + last.length === from && last.to + last.length === to)
      kept[kept.length - 1] = { ...last, length: last.length + length };
    else if (length > 0) kept.push({ from, to, length });
  };
  /** The stretch of one text against the stretch of the other. */
  const compare = (one: Stretch, other: Stretch, by: "lines" | "words" | "signs") => {
    if (one.start === one.end || other.start === other.end) return;
    if (by === "signs") return compareSigns(one, other);
    const finer = by === "lines" ? "words" : "signs";
    const [own, others] = [unitsOf(before, one, by), unitsOf(after, other, by)];
    let [from, to] = [one.start, other.start];
    for (const [index, place] of found(own.texts, others.texts)) {
      const [start, next] = [own.starts[index] as number, others.starts[place] as number];
      const { length } = own.texts[index] as string;
      compare({ start: from, end: start }, { start: to, end: next }, finer);
      add(start, next, length);
      from = start + length;
      to = next + length;
    }
    compare({ start: from, end: one.end }, { start: to, end: other.end }, finer);
  };
  /** Only at both ends: what is in the middle stands between words that are all new. */
  const compareSigns = (one: Stretch, other: Stretch) => {
    const first = sameFirst(opening(before, one), opening(after, other));
    const rest = ({ start, end }: Stretch) => ({ start: start + first, end });
    const last = sameFirst(ending(before, rest(one)), ending(after, rest(other)));
    add(one.start, other.start, first);
    add(one.end - last, other.end - last, last);
  };
  compare({ start: 0, end: before.length }, { start: 0, end: after.length }, "lines");
  return kept;
}

type Stretch = { readonly start: number; readonly end: number };

/** The lines of a stretch that say something, or its words; and where each begins. */
function unitsOf(text: string, { start, end }: Stretch, by: "lines" | "words") {
  const texts: string[] = [];
  const starts: number[] = [];
  let at = start;
  for (const unit of text.slice(start, end).match(by === "lines" ? lines : words) ?? []) {
    if (word.test(unit)) {
      texts.push(unit);
      starts.push(at);
    }
    at += unit.length;
  }
  return { texts, starts };
}

/** Which of one list are found again in the other, and where. */
function* found(one: readonly string[], other: readonly string[]): Generator<readonly [number, number]> {
  let [index, place] = [0, 0];
  for (const { kind, lines: some } of differences(one, other, effort)) {
    if (kind === "same") for (let at = 0; at < some.length; at++) yield [index + at, place + at];
    if (kind !== "added") index += some.length;
    if (kind !== "removed") place += some.length;
  }
}

/** More signs in a row are nobody's style. */
const most = 1000;

function opening(text: string, { start, end }: Stretch): readonly string[] {
  return text.slice(start, Math.min(end, start + most)).match(signs) ?? [];
}

/** From its end backwards. */
function ending(text: string, { start, end }: Stretch): readonly string[] {
  const found = text.slice(Math.max(start, end - most), end).match(signs) ?? [];
  return (end - start > most ? found.slice(1) : [...found]).reverse();
}

/** How long the beginning is that two lists of signs share. */
function sameFirst(one: readonly string[], other: readonly string[]): number {
  let [count, length] = [0, 0];
  while (count < one.length && one[count] === other[count]) length += (one[count++] as string).length;
  return length;
}
