/**
 * The fields of front matter, when it is as plain as nearly every skill's: one `key: value` a line, in YAML's plain or
 * quoted style, a folded or literal block, a map of such values one level down, or a list of them. `undefined` means "not
 * sure", never "wrong": the YAML parser is asked then. Whatever is answered here is what that parser would answer
 * (charter/test/properties/front-matter.property.test.ts), forty times as fast and without loading it.
 */
export function plainFields(words: string): ReadonlyMap<string, unknown> | undefined {
  if (unusual.test(words) || !words.endsWith("\n")) return undefined;
  const fields = new Map<string, unknown>();
  for (let at = 0; at < words.length; ) {
    const end = words.indexOf("\n", at);
    if (end === at) {
      at++;
      continue;
    }
    const colon = keyEnd(words, at);
    const key = words.slice(at, colon);
    if (colon === -1 || isWord(key) || fields.has(key)) return undefined;
    const close = blockEnd(words, end + 1);
    const value =
      close > end + 1
        ? block(words.slice(colon + 1, end), words.slice(end + 1, close - 1).split("\n"))
        : colon + 1 === end
          ? null
          : scalar(words.slice(colon + 1, end));
    if (value === undefined) return undefined;
    fields.set(key, value);
    at = close;
  }
  return fields.size > 0 ? fields : undefined;
}

/** Tabs, carriage returns, other controls, and what may be taken for the end of a line or for white space. */
const unusual =
  /[^\n\x20-\x7E\xA1-\u167F\u1681-\u1FFF\u2010-\u2027\u2030-\u205E\u2070-\u2FFF\u3001-\uD7FF\uD800-\uDFFF\uE000-\uFEFE\uFF00-\uFFFD]/;

const [newline, space, hyphen, colonMark] = [0x0a, 0x20, 0x2d, 0x3a];

/** Where the lines end that belong to the one before: those that are indented, and the items of a list. */
function blockEnd(words: string, from: number): number {
  let end = from;
  while (words.charCodeAt(end) === space || words.charCodeAt(end) === hyphen) end = words.indexOf("\n", end) + 1;
  return end;
}

/** Where the colon stands after a key that is plain text to YAML; -1 when there is no such key. */
function keyEnd(line: string, from: number): number {
  if (!isLetter(line.charCodeAt(from))) return -1;
  for (let at = from + 1; at < from + 64; at++) {
    const unit = line.charCodeAt(at);
    if (unit === colonMark) {
      const next = line.charCodeAt(at + 1);
      return next === space || next === newline || Number.isNaN(next) ? at : -1;
    }
    if (!isLetter(unit) && unit !== hyphen && !(unit >= 0x30 && unit <= 0x39)) return -1;
  }
  return -1;
}

/** A to Z, a to z, and the underscore. */
function isLetter(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || unit === 0x5f;
}

/** Letters that are not text to YAML. */
const wordValues: ReadonlyMap<string, boolean | null> = new Map([
  ...["true", "True", "TRUE"].map((name) => [name, true] as const),
  ...["false", "False", "FALSE"].map((name) => [name, false] as const),
  ...["null", "Null", "NULL"].map((name) => [name, null] as const),
]);

function isWord(text: string): boolean {
  return text.length < 6 && wordValues.has(text);
}

/** What stands after a key's colon, or a list's dash. */
function scalar(rest: string): unknown {
  const value = rest.trim();
  const first = value.charCodeAt(0);
  if (first === 0x22) return doubleQuoted(value);
  if (first === 0x27) return singleQuoted(value);
  if (!isLetter(first) || isMarked(value)) return undefined;
  return isWord(value) ? wordValues.get(value) : value;
}

/** Does it hold what begins a value or a comment? Single characters are looked for first, which is much faster. */
function isMarked(value: string): boolean {
  if (value.includes("#") && value.includes(" #")) return true;
  return value.includes(":") && (value.includes(": ") || value.endsWith(":"));
}

function doubleQuoted(value: string): string | undefined {
  const inner = value.slice(1, -1);
  if (!inner.includes("\\") && !inner.includes('"')) return closes(value, '"') ? inner : undefined;
  return /^(?:[^"\\]|\\["\\/])*$/.test(inner) && closes(value, '"') ? inner.replace(/\\(.)/g, "$1") : undefined;
}

function singleQuoted(value: string): string | undefined {
  const inner = value.slice(1, -1);
  return /^(?:[^']|'')*$/.test(inner) && closes(value, "'") ? inner.replaceAll("''", "'") : undefined;
}

function closes(value: string, quote: string): boolean {
  return value.length > 1 && value.endsWith(quote);
}

/** What stands in the lines under a key: a text in a style of its own, a map or a list. All are indented alike. */
function block(rest: string, lines: readonly string[]): unknown {
  const indent = (lines[0] as string).search(/[^ ]/);
  if (lines.some((line) => line.search(/[^ ]/) !== indent)) return undefined;
  if (rest !== "") return indent > 0 ? blockText(rest, lines, indent) : undefined;
  if ((lines[0] as string).startsWith("- ", indent)) return list(lines, indent);
  return indent > 0 ? map(lines, indent) : undefined;
}

/** `>`, `>-`, `|` and `|-` over lines none of which is empty or ends in a space. */
function blockText(rest: string, lines: readonly string[], indent: number): string | undefined {
  const style = /^ ([>|])(-?)$/.exec(rest);
  if (!style || lines.some((line) => line.endsWith(" "))) return undefined;
  const joined = lines.map((line) => line.slice(indent)).join(style[1] === ">" ? " " : "\n");
  return style[2] === "-" ? joined : `${joined}\n`;
}

function list(lines: readonly string[], indent: number): unknown[] | undefined {
  const items = lines.map((line) => (line.startsWith("- ", indent) ? scalar(line.slice(indent + 2)) : undefined));
  return items.includes(undefined) ? undefined : items;
}

function map(lines: readonly string[], indent: number): ReadonlyMap<string, unknown> | undefined {
  const fields = new Map<string, unknown>();
  for (const line of lines) {
    const colon = keyEnd(line, indent);
    const key = line.slice(indent, colon);
    if (colon === -1 || isWord(key) || fields.has(key)) return undefined;
    const value = scalar(line.slice(colon + 1));
    if (value === undefined) return undefined;
    fields.set(key, value);
  }
  return fields;
}
