import { checkText } from "../../../prompt/argument.ts";
import { holdsControlToken, replaceIn, tokenRests } from "../../../prompt/sound.ts";

/**
 * Control tokens on their way to a server that would take them for its own. A middle dot behind a token's first sign breaks
 * it (`<·|im_start|>`), and one more goes behind those that words have there already. So each text is escaped to one other,
 * and is turned back from it; a text without a token stays as it is.
 */
const mark = "·";
const { angle, square, turned } = tokenRests;

function signs(marks: string): RegExp {
  return new RegExp(`[<\\uFF1C\\uFE64]${marks}(?=${angle})|\\[${marks}(?=${square})|\\]${marks}(?=${turned})`, "g");
}

const bareSigns = signs("");
const anySigns = signs(`${mark}*`);
const markedSigns = signs(`${mark}+`);
const marked = (found: string) => found + mark;

export function escapeTokens(text: string): string {
  return mayChange(text) ? text.replace(anySigns, marked) : text;
}

/** A fast look, which most texts need no other than. */
function mayChange(text: string): boolean {
  return text.includes(mark) || holdsControlToken(text);
}

/** Texts that a server may join: a token that they make together is escaped where it begins. */
export function escapeTogether(texts: readonly string[]): string[] {
  if (!mayChange(texts.join(""))) return [...texts];
  return replaceIn(texts, { between: "", pattern: anySigns, change: marked });
}

/**
 * An answer's texts, on their way back to the model. The marks that it thought between stay, where it began with them: its
 * server knows old thoughts by them.
 */
export function escapeAnswer(texts: readonly string[]): string[] {
  const all = texts.join("");
  if (!mayChange(all)) return [...texts];
  const own = thoughtMarks(all);
  const change = (found: string, at: number) => (own.includes(at) ? found : found + mark);
  return replaceIn(texts, { between: "", pattern: anySigns, change });
}

const thoughts = [
  ["<think>", "</think>"],
  ["[THINK]", "[/THINK]"],
  ["<seed:think>", "</seed:think>"],
] as const;

function thoughtMarks(text: string): readonly number[] {
  const start = text.length - text.trimStart().length;
  const [, end] = thoughts.find(([begin]) => text.startsWith(begin, start)) ?? [];
  return end === undefined ? [] : [start, text.indexOf(end)];
}

/** A model's thoughts, which are kept as it wrote them: what it escaped itself stays so. */
export function escapeThoughts(text: string): string {
  return mayChange(text) ? text.replace(bareSigns, marked) : text;
}

/**
 * Turns back what a model wrote whose server does not guard itself: each control token as it was before it was
 * escaped. Models that were loaded here, and `fromAnthropic` and its like, do so by themselves.
 */
export function unescapeTokens(text: string): string {
  checkText("unescapeTokens", text);
  return text.includes(mark) ? text.replace(markedSigns, (found) => found.slice(0, -1)) : text;
}

/** The texts in JSON, changed. All else stays as it was written, and so does each text that does not change. */
export function changeJson(json: string, change: (text: string) => string): string {
  let out = "";
  let from = 0;
  for (let at = json.indexOf('"'); at !== -1; at = json.indexOf('"', from)) {
    const end = literalEnd(json, at);
    const written = json.slice(at, end);
    const text = parsedText(written);
    const after = text === undefined ? undefined : change(text);
    out += json.slice(from, at) + (after === undefined || after === text ? written : JSON.stringify(after));
    from = end;
  }
  return out + json.slice(from);
}

/** After its last quotation mark. No pattern: one would take more room than there is for a long text full of backslashes. */
function literalEnd(json: string, start: number): number {
  for (let index = start + 1; index < json.length; index++) {
    if (json[index] === "\\") index++;
    else if (json[index] === '"') return index + 1;
  }
  return json.length;
}

function parsedText(written: string): string | undefined {
  try {
    return JSON.parse(written) as string;
  } catch {
    return undefined;
  }
}

/** Text as it arrives, turned back: what may be the beginning of an escaped token waits for what follows. */
export function createUnescaper() {
  let held = "";
  return {
    add(delta: string): string {
      const text = held + delta;
      const places = Array.from(text.matchAll(markedSigns), ({ index, 0: found }) => [index, found.length] as const);
      const end = settledEnd(text, new Set(places.map(([at]) => at)));
      let settled = "";
      let from = 0;
      for (const [at, length] of places) {
        if (at >= end) break;
        settled += text.slice(from, at + length - 1);
        from = at + length;
      }
      held = text.slice(end);
      return settled + text.slice(from, end);
    },
    end(): string {
      const rest = unescapeTokens(held);
      held = "";
      return rest;
    },
  };
}

/** A sign that a token may follow, and no more of it than a token has. */
const unsettled = new RegExp(`[<\\uFF1C\\uFE64\\[\\]](?:${mark}+[^\\s${mark}]{0,80})?$`, "g");

/** Whoever sends more dots than this sends no token. */
const longestHeld = 1000;

/** Where the first token begins that is not whole yet. */
function settledEnd(text: string, whole: ReadonlySet<number>): number {
  unsettled.lastIndex = 0;
  for (let found = unsettled.exec(text); found; found = unsettled.exec(text)) {
    if (!whole.has(found.index)) return text.length - found.index > longestHeld ? text.length : found.index;
    unsettled.lastIndex = found.index + 1;
  }
  return text.length;
}
