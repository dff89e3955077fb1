/**
 * What may not stand in words that others can change: headings down to `level`, rules where they part layers, and the
 * visible lines of a separator that is no rule.
 */
export type Forbidden = { readonly level: number; readonly rules: boolean; readonly lines: readonly string[] };

/** A place where a text forges a heading or a separator, or leaves a code fence open. */
export type Forgery = {
  readonly what: "heading" | "separator" | "open-fence";
  readonly at: number;
  readonly level: number;
};

/**
 * Makes texts that stand together inert, each with the gap after it (a heading can be made of two of them). It needs a
 * Markdown parser, so it is handed in, and whoever assembles without one pays nothing for it.
 */
export type Inert = (texts: readonly string[], gaps: readonly string[], forbidden: Forbidden) => string[];

/** Only a text with one of these can hold a heading, a rule or a fence: most need no parser. */
const suspicious = /[#=`~]|[-*_][ \t]*$/m;
const oddLineEnd = /[\r\v\f\u0085\u2028\u2029]/;

export function mayForge(text: string, { lines }: Forbidden): boolean {
  return suspicious.test(text) || oddLineEnd.test(text) || lines.some((line) => text.includes(line));
}

/** The text with every kind of line end where a parser that knows only `\n` sees it. Indices stay the same. */
export function lineShadow(text: string): string {
  if (!oddLineEnd.test(text)) return text;
  return text.replace(/\r\n/g, " \n").replace(/[\r\v\f\u0085\u2028\u2029]/g, "\n");
}

/** The same for a reader to whom only `\n`, `\r` and `\r\n` end a line. */
export function narrowShadow(text: string): string {
  return text.replace(/\r\n/g, " \n").replace(/\r/g, "\n");
}

/** Quotation marks, the marks of list items: a block may stand inside them. */
const mark = "(?:>|[-+*](?=[ \\t])|\\d{1,9}[.)](?=[ \\t]))";
/** What may stand before a block: those, and white space. */
const before = `(?:[ \\t]|${mark})*`;
const heading = new RegExp(`^${before}(#{1,6})(?=[ \\t]|$)`, "d");
const onlyBefore = new RegExp(`^${before}$`);

const deep = new RegExp(`^((?:[ \\t]*${mark}){100})((?:[ \\t]*${mark})+)`, "gm");

/**
 * The text for a parser: what is nested deeper than anyone writes is prose to it, since a parser takes time with the
 * square of the depth. Indices stay the same.
 */
export function shallow(shadow: string): string {
  return shadow.replace(deep, (_, marks: string, more: string) => marks + "x".repeat(more.length));
}

/** The end of a line, of nothing but one sign and perhaps white space between: where it begins, and how many there are. */
function signsAtEnd(line: string, signs: string, spaced: boolean): { readonly at: number; readonly count: number } {
  const isSpace = (index: number) => line[index] === " " || line[index] === "\t";
  let last = line.length - 1;
  while (isSpace(last)) last--;
  const sign = line[last] ?? "";
  let [at, count] = [last, 0];
  for (let index = last; index >= 0 && signs.includes(sign); index--) {
    if (line[index] === sign) [at, count] = [index, count + 1];
    else if (!spaced || !isSpace(index)) break;
  }
  return { at, count };
}

/**
 * Every line that could be a heading or a separator, whatever lists and quotations a reader takes it to stand in.
 * Readers of Markdown disagree on those; none takes a line for a heading that is not among these.
 */
export function candidates(shadow: string, forbidden: Forbidden): Forgery[] {
  const found: Forgery[] = [];
  let start = 0;
  let above = "?";
  for (const line of shadow.split("\n")) {
    const forgery = forgeryIn(line, above, forbidden);
    if (forgery) found.push({ ...forgery, at: start + forgery.at });
    above = line.trim();
    start += line.length + 1;
  }
  return found;
}

function forgeryIn(line: string, above: string, { level, rules, lines }: Forbidden): Forgery | undefined {
  const title = heading.exec(line);
  const depth = title?.[1]?.length ?? 0;
  if (title && depth <= level) return { what: "heading", at: placeOf(title), level: depth };
  const parting = rules ? signsAtEnd(line, "-*_", true) : undefined;
  if (parting && parting.count > 2 && onlyBefore.test(line.slice(0, parting.at)))
    return { what: "separator", at: parting.at, level: 0 };
  const under = above === "" ? undefined : signsAtEnd(line, "=-", false);
  const high = under && line[under.at] === "=" ? 1 : 2;
  if (under && under.count > 0 && high <= level && onlyBefore.test(line.slice(0, under.at)))
    return { what: "heading", at: under.at, level: high };
  const visible = lines.length === 0 ? "" : line.trim();
  if (visible !== "" && lines.includes(visible)) return { what: "separator", at: line.indexOf(visible), level: 0 };
  return undefined;
}

function placeOf(found: RegExpExecArray): number {
  return found.indices?.[1]?.[0] ?? 0;
}
