import { get_encoding } from "tiktoken";
import { countPieces, createPiece, type Tokenizer } from "../../charter/src/prompt/tokens.ts";
import type { Report, Row } from "../report.ts";
import { cl100k, o200k } from "../tokenizers.ts";
import { type Random, rng } from "../workloads/rng.ts";

/** A stretch of a prompt and the white space after it, as `createPiece` takes them. */
type Stretch = readonly [shown: string, gap: string];

/**
 * What is nasty at a seam: everything that a pre-token may reach across, or that two tokenizers may see differently, as
 * U+0085 and U+FEFF, of which one is white space to JavaScript and the other to Unicode.
 */
const atoms = [
  ..."\n|\n\n|\r|\r\n|\n \n|\n\t|\v|\f|\u2028|\u2029|\u00a0|\u1680|\u2003|\u202f|\u3000|\u200b|\u180e|\u0085|\ufeff".split(
    "|",
  ),
  ..." |  |   |\t|\t\t| \t|/|//|/ |./|/\n|/*|\\|\\n".split("|"),
  ..."a|I|the|The|THE|aB|Ab|camelCase|HTTPServer|don|naïve|ǅ|ß|\u017f|\u212a|ﬁ|ʰ|ª|x86".split("|"),
  ..."'s|'S|'t|'re|'VE|'m|'ll|'d|'ſ|’s|'x|''|s'".split("|"),
  ..."0|7|42|123|1234|1,000|3.14|²|½|٣|Ⅷ|①|1e9".split("|"),
  ...'. , ; : ! ? ... -- --- - # ## ### * ** _ ` ``` ~~~ > < = == === { } [ ] ( ) @ $ % ^ & + " “ ” … • —'.split(" "),
  ..."你好|。|、|日本語|カタカナ|한국어|ไทย|العربية|עברית|हिन्दी|ქართული|Ελλάδα|Привет".split("|"),
  ..."🙂|👩‍👩‍👧‍👦|🏳️‍🌈|🇩🇪|👍🏽|❤️|\u200d|\ufe0f|e\u0301|\u0301|\u0308|\u20dd|\u0b95\u0bcd|\u{1d400}|\u{20000}|\u{10ffff}".split(
    "|",
  ),
  ..."<|endoftext|>~<|im_start|>~<|fim_prefix|>~<|endofprompt|>~<|~|>".split("~"),
  ..."|\u0001|\u001b[0m|\u007f|\u00ad|\ufffd|\ue000|\u202e|\u2066".split("|"),
];
const gaps = ["", "\n", "\n", "\n", "\n", "\n\n", "\n\n", "\n\n---\n\n", "\r\n", " ", "\n ", "\n\n\n", "\t\n"];

/** Are counts that were added up those of the whole text, by an oracle of other hands? */
export function joins(count: number): Report {
  const rows: Row[] = [];
  const wrong: string[] = [];
  for (const tokenizer of [o200k, cl100k]) {
    const oracle = get_encoding(tokenizer.name as "o200k_base" | "cl100k_base");
    const whole = (text: string) => oracle.encode_ordinary(text).length;
    const { differing, seams, cut } = fuzz(count, tokenizer, whole);
    oracle.free();
    rows.push(
      {
        case: "joins",
        what: `${tokenizer.name}: sums that are not tiktoken's count of the whole`,
        figure: differing.length,
        target: 0,
      },
      { case: "joins", what: `${tokenizer.name}: seams counted apart, of ${seams.toLocaleString("en")}`, figure: cut },
    );
    if (differing[0]) wrong.push(`${tokenizer.name}: the counts of ${shown(differing[0])} add up to another number.`);
  }
  return {
    title: `Joins  ${count.toLocaleString("en")} hostile texts, counted piece by piece, against tiktoken`,
    about: "a sum is held against tiktoken's count of the whole text",
    rows,
    wrong,
  };
}

function shown(stretches: readonly Stretch[]): string {
  return JSON.stringify(stretches).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function fuzz(count: number, tokenizer: Tokenizer, whole: (text: string) => number) {
  const random = rng(20260220);
  const differing: (readonly Stretch[])[] = [];
  const addsUp = (some: readonly Stretch[]) => sum(some, tokenizer) === whole(joined(some));
  let seams = 0;
  let cut = 0;
  for (let left = count; left > 0; left--) {
    const stretches = Array.from({ length: 2 + random.int(4) }, () => stretch(random));
    const pieces = stretches.map(([text, gap]) => createPiece(text, gap));
    for (let index = 1; index < pieces.length; index++, seams++)
      if (pieces[index - 1]?.ends && pieces[index]?.opens) cut++;
    if (!addsUp(stretches)) differing.push(differing.length === 0 ? smallest(stretches, addsUp) : stretches);
  }
  return { differing, seams, cut };
}

function stretch(random: Random): Stretch {
  let text = "";
  for (let left = random.int(7); left > 0; left--) text += random.pick(atoms);
  return [text, random.pick(gaps)];
}

function joined(stretches: readonly Stretch[]): string {
  return stretches.map(([text, gap]) => text + gap).join("");
}

/** Each piece counted by itself first, as a prompt that was built before has it. */
function sum(stretches: readonly Stretch[], tokenizer: Tokenizer): number {
  return countPieces(
    stretches.map(([text, gap]) => createPiece(text, gap)),
    tokenizer,
  );
}

/** The least that still fails: whole stretches taken out, then gaps, then characters. */
function smallest(stretches: readonly Stretch[], holds: (some: readonly Stretch[]) => boolean): readonly Stretch[] {
  for (const candidate of simpler(stretches)) if (!holds(candidate)) return smallest(candidate, holds);
  return stretches;
}

function* simpler(stretches: readonly Stretch[]): Generator<readonly Stretch[]> {
  for (const [index, [text, gap]] of stretches.entries()) {
    yield stretches.toSpliced(index, 1);
    if (gap !== "") yield stretches.with(index, [text, gap.slice(1)]);
    const characters = [...text];
    for (let at = 0; at < characters.length; at++)
      yield stretches.with(index, [characters.toSpliced(at, 1).join(""), gap]);
  }
}
