import type * as Yaml from "yaml";
import { reasonOf } from "../prompt/problem.ts";

/**
 * Fields at the beginning of a Markdown file, between two lines `---`. `open`: the text ends before the second one. They are in a
 * Map, so that a field called `__proto__` is a field like any other.
 */
type FrontMatter =
  | { readonly status: "present"; readonly fields: ReadonlyMap<string, unknown> }
  | { readonly status: "missing" }
  | { readonly status: "open" }
  | { readonly status: "invalid"; readonly reason: string; readonly line: number; readonly advice: string };

/** Reads front matter. `head`: the opening of a file with its line ends as \n. `cut`: the file goes on after it. */
export function frontMatter(head: string, cut: boolean): FrontMatter {
  const split = splitFrontMatter(head, cut);
  if ("status" in split) return split;
  const parsed = readFields(split.words);
  if ("fields" in parsed) return { status: "present", fields: parsed.fields };
  // The opening `---` is the first line of the file.
  return { status: "invalid", ...parsed, line: parsed.line + 1 };
}

/** The text between the two lines `---`, and what follows the second. */
type SplitFile = { readonly words: string; readonly rest: string } | { readonly status: "missing" | "open" };

export function splitFrontMatter(head: string, cut: boolean): SplitFile {
  const start = openingEnd(head);
  if (start === -1) return { status: "missing" };
  const end = closingStart(head, start, cut);
  if (end === -1) return { status: "open" };
  const newline = head.indexOf("\n", end);
  return { words: head.slice(start, end), rest: newline === -1 ? "" : head.slice(newline + 1) };
}

/** Reads fields: plain ones without the YAML parser. */
export function readFields(words: string): YamlResult {
  const plain = plainFields(words);
  return plain ? { fields: plain } : yamlFields(words);
}

/** End of the first line, if it is nothing but `---`; else -1. */
function openingEnd(head: string): number {
  return head.startsWith("---\n") ? 4 : (/^---[ \t]*(?:\n|$)/.exec(head)?.[0].length ?? -1);
}

/** Start of the next line that is nothing but `---`; -1 if there is none. */
function closingStart(head: string, from: number, cut: boolean): number {
  for (let at = head.indexOf("\n---", from - 1); at !== -1; at = head.indexOf("\n---", at + 1)) {
    const newline = head.indexOf("\n", at + 4);
    if (newline === at + 4) return at + 1;
    if (newline === -1 && cut) return -1;
    if (/^[ \t]*$/.test(head.slice(at + 4, newline === -1 ? head.length : newline))) return at + 1;
  }
  return -1;
}

/** Result of the YAML parser. `line` counts from the front matter's first. */
type YamlResult =
  | { readonly fields: ReadonlyMap<string, unknown> }
  | { readonly reason: string; readonly line: number; readonly advice: string };

/** Maximum number of aliases: with more, a few hundred bytes could stand for gigabytes. */
const maxAliases = 20;
const options = {
  version: "1.2",
  schema: "core",
  strict: true,
  // The key of `1: x` is the text "1"; a list or a map cannot be a key.
  stringKeys: true,
  // The library's own check compares each key with every other, which is slow.
  uniqueKeys: false,
  merge: false,
  prettyErrors: false,
  logLevel: "error",
} as const;

let library: typeof Yaml | undefined;

/** Parses front matter with the YAML library. Maps stay maps, so that no key is special. */
export function yamlFields(words: string): YamlResult {
  const { parseDocument, visit, isScalar, isMap } = yaml();
  const depth = Error.stackTraceLimit;
  // A hostile file causes an error at every byte; their stack traces are useless, and most of the cost.
  Error.stackTraceLimit = 0;
  try {
    const document = parseDocument(words, options);
    const [fault] = [...document.errors, ...document.warnings];
    if (fault) return invalid(words, fault.message, fault.pos[0], advice[fault.code]);
    if (document.contents !== null && !isMap(document.contents))
      return invalid(words, "it is not a list of fields", 0, "Write one “key: value” a line.");
    let twice: YamlResult | undefined;
    visit(document, {
      Map(_, { items }) {
        const keys = new Set<unknown>();
        for (const { key } of items) {
          const name = isScalar(key) ? key.value : key;
          if (keys.has(name)) twice ??= duplicate(words, name, isScalar(key) ? key.range?.[0] : 0);
          keys.add(name);
        }
        return twice ? visit.BREAK : undefined;
      },
    });
    return twice ?? { fields: (document.toJS({ mapAsMap: true, maxAliasCount: maxAliases }) as Fields) ?? new Map() };
  } catch (error) {
    return invalid(words, reasonOf(error), 0, "Write the values out instead.");
  } finally {
    Error.stackTraceLimit = depth;
  }
}

type Fields = ReadonlyMap<string, unknown> | null;

/**
 * Makes the function that finds the line of the value that a path of names and indices leads to, as far as it leads; for messages
 * about faults. The text is parsed once, when a line is first asked for.
 */
export function yamlLines(words: string): (path: readonly (string | number)[]) => number {
  let parsed: { readonly root: unknown; readonly lines: Yaml.LineCounter } | undefined;
  const pairs = new WeakMap<Yaml.YAMLMap, ReadonlyMap<unknown, Yaml.Pair>>();
  const pairsOf = (map: Yaml.YAMLMap) => {
    const known = pairs.get(map) ?? new Map(map.items.toReversed().map((pair) => [Object(pair.key).value, pair]));
    pairs.set(map, known);
    return known;
  };
  return (path) => {
    const { isMap, isSeq, LineCounter, parseDocument } = yaml();
    const lineCounter = new LineCounter();
    parsed ??= { root: parseDocument(words, { ...options, lineCounter }).contents, lines: lineCounter };
    let node = parsed.root;
    let at = 0;
    for (const name of path) {
      const pair = isMap(node) ? pairsOf(node).get(name) : undefined;
      const next = isSeq(node) ? node.items[name as number] : pair?.key;
      at = (next as Yaml.Node | undefined)?.range?.[0] ?? at;
      if (!pair && !isSeq(node)) break;
      node = pair ? pair.value : next;
    }
    return parsed.lines.linePos(at).line;
  };
}

/** Loads the YAML library on first use. */
export function yaml(): typeof Yaml {
  const { createRequire } = process.getBuiltinModule("node:module");
  library ??= createRequire(import.meta.url)("yaml") as typeof Yaml;
  return library;
}

const advice: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: "Put the value in quotes: it holds a colon with a space after it.",
  TAB_AS_INDENT: "Indent with spaces.",
  MISSING_CHAR: "Close what was opened, or put the whole value in quotes.",
  TAG_RESOLVE_FAILED: "Leave the tag (what begins with “!”) out, or put the value in quotes.",
  RESOURCE_EXHAUSTION: "It is nested too deeply.",
};

function invalid(words: string, message: string, offset: number, told = "Fix that line."): YamlResult {
  // An error at the end is reported for the last line with text.
  const line = words.slice(0, Math.min(offset, words.trimEnd().length)).split("\n").length;
  return { reason: message.replace(/\s+/g, " ").replace(/\.$/, "").slice(0, 200), line, advice: told };
}

function duplicate(words: string, key: unknown, offset = 0): YamlResult {
  return invalid(words, `“${String(key)}” is there twice`, offset, "Keep one of them.");
}

/**
 * Parses front matter that is as plain as nearly every skill's: one `key: value` a line, in YAML's plain or quoted style, a
 * folded or literal block, a map of such values one level down, or a list of them. `undefined` means "not sure", never "wrong":
 * the YAML parser is used then. Results are the same as that parser's (charter/test/properties/front-matter.property.test.ts),
 * forty times as fast and without loading it.
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

/** Tabs, carriage returns, other controls, and characters that may count as line ends or white space. */
const unusual =
  /[^\n\x20-\x7E\xA1-\u167F\u1681-\u1FFF\u2010-\u2027\u2030-\u205E\u2070-\u2FFF\u3001-\uD7FF\uD800-\uDFFF\uE000-\uFEFE\uFF00-\uFFFD]/;

const [newline, space, hyphen, colonMark] = [0x0a, 0x20, 0x2d, 0x3a];

/** End of the lines that belong to the one before: those that are indented, and the items of a list. */
function blockEnd(words: string, from: number): number {
  let end = from;
  while (words.charCodeAt(end) === space || words.charCodeAt(end) === hyphen) end = words.indexOf("\n", end) + 1;
  return end;
}

/** Position of the colon after a key that is plain text to YAML; -1 if there is no such key. */
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

/** Recognises A to Z, a to z, and the underscore. */
function isLetter(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || unit === 0x5f;
}

/** Words that are not text to YAML. */
const wordValues: ReadonlyMap<string, boolean | null> = new Map([
  ...["true", "True", "TRUE"].map((name) => [name, true] as const),
  ...["false", "False", "FALSE"].map((name) => [name, false] as const),
  ...["null", "Null", "NULL"].map((name) => [name, null] as const),
]);

function isWord(text: string): boolean {
  return text.length < 6 && wordValues.has(text);
}

/** Parses what follows a key's colon, or a list's dash. */
function scalar(rest: string): unknown {
  const value = rest.trim();
  const first = value.charCodeAt(0);
  if (first === 0x22) return doubleQuoted(value);
  if (first === 0x27) return singleQuoted(value);
  if (!isLetter(first) || isMarked(value)) return undefined;
  return isWord(value) ? wordValues.get(value) : value;
}

/** Checks for characters that begin a value or a comment. Single characters are searched first, which is much faster. */
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

/** Parses the lines under a key: a text block, a map or a list, all with the same indentation. */
function block(rest: string, lines: readonly string[]): unknown {
  const indent = (lines[0] as string).search(/[^ ]/);
  if (lines.some((line) => line.search(/[^ ]/) !== indent)) return undefined;
  if (rest !== "") return indent > 0 ? blockText(rest, lines, indent) : undefined;
  if ((lines[0] as string).startsWith("- ", indent)) return list(lines, indent);
  return indent > 0 ? map(lines, indent) : undefined;
}

/** Parses `>`, `>-`, `|` and `|-`, if no line is empty or ends in a space. */
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
