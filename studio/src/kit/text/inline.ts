/** What Markdown makes of words within a paragraph. A link leads to a web address or is none. */
export type Inline =
  | string
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "slanted"; readonly text: string }
  | { readonly kind: "strong"; readonly of: readonly Inline[] }
  | { readonly kind: "link"; readonly href: string; readonly text: string };

const special = /`+|\*\*|[*_[]|https?:\/\//g;
const bare = /https?:\/\/[^\s<>)\]]+/y;
const target = /\((https?:\/\/[^\s)]+)\)/y;
const word = /[\p{L}\p{N}_]/u;

/** In one pass, whatever it is given: what opens and is never closed is not looked for again and again. */
export function inline(text: string): readonly Inline[] {
  const found: Inline[] = [];
  const next = finder(text);
  let done = 0;
  const take = (from: number, to: number, one: Inline) => {
    if (from > done) found.push(text.slice(done, from));
    found.push(one);
    done = to;
  };
  special.lastIndex = 0;
  // The pattern is shared, and what is strong is read within: where it stands is kept here.
  for (let at = 0; ; ) {
    special.lastIndex = at;
    const open = special.exec(text);
    if (open === null) break;
    const [mark] = open;
    const from = open.index;
    const inside = from + mark.length;
    at = inside;
    if (mark[0] === "`") {
      const close = next(mark, inside, isAlone);
      if (close > inside) take(from, close + mark.length, { kind: "code", text: codeIn(text.slice(inside, close)) });
    } else if (mark === "**") {
      const close = next(mark, inside + 1);
      if (close > 0 && !isSpace(text[inside]))
        take(from, close + 2, { kind: "strong", of: inline(text.slice(inside, close)) });
    } else if (mark === "*" || mark === "_") {
      const close = slantedEnd(text, from);
      if (close > 0) take(from, close + 1, { kind: "slanted", text: text.slice(inside, close) });
    } else if (mark === "[") {
      const close = next("]", inside);
      const label = close > inside && close < next("\n", inside, undefined, text.length) ? close : -1;
      const href = label > 0 ? matchAt(target, text, label + 1)?.[1] : undefined;
      if (href !== undefined)
        take(from, label + 3 + href.length, { kind: "link", href, text: text.slice(inside, label) });
    } else {
      const href = matchAt(bare, text, from)?.[0].replace(/[.,;:!?'"*_]{1,100}$/, "");
      if (href !== undefined && href.length > mark.length)
        take(from, from + href.length, { kind: "link", href, text: href });
    }
    at = Math.max(at, done);
  }
  if (done < text.length) found.push(text.slice(done));
  return found;
}

type Holds = (text: string, at: number, mark: string) => boolean;

/** Looks for a mark from somewhere on, and remembers how far it has looked. */
function finder(text: string) {
  const known = new Map<string, number>();
  return (mark: string, from: number, holds: Holds = () => true, never = -1): number => {
    let at = known.get(mark) ?? -2;
    if (at !== -1 && at < from) {
      at = text.indexOf(mark, from);
      while (at !== -1 && !holds(text, at, mark)) at = text.indexOf(mark, runEnd(text, at));
      known.set(mark, at);
    }
    return at === -1 ? never : at;
  };
}

function runEnd(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && text[end] === text[at]) end++;
  return end;
}

/** A run of ticks as long as the one that opened. */
function isAlone(text: string, at: number, mark: string): boolean {
  return text[at - 1] !== "`" && text[at + mark.length] !== "`";
}

/** Of words that begin and end with a space, one space on either side makes room for ticks. */
function codeIn(text: string): string {
  return text.startsWith(" ") && text.endsWith(" ") && text.trim() !== "" ? text.slice(1, -1) : text;
}

function slantedEnd(text: string, from: number): number {
  if (isSpace(text[from + 1]) || word.test(text[from - 1] ?? "")) return -1;
  let at = from + 1;
  while (at < text.length && !"*_\n".includes(text[at] as string)) at++;
  const closes = at > from + 1 && text[at] === text[from] && !isSpace(text[at - 1]) && !word.test(text[at + 1] ?? "");
  return closes ? at : -1;
}

function isSpace(letter: string | undefined): boolean {
  return letter === undefined || letter.trim() === "";
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
