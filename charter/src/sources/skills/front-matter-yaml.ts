import type * as Yaml from "yaml";
import { reasonOf } from "../../prompt/problem.ts";

/** What a YAML parser makes of front matter. `line` counts from the front matter's first. */
type YamlResult =
  | { readonly fields: ReadonlyMap<string, unknown> }
  | { readonly reason: string; readonly line: number; readonly advice: string };

/** As many times may front matter point at what it said before: a few hundred bytes can otherwise stand for gigabytes. */
const maxAliases = 20;
const options = {
  version: "1.2",
  schema: "core",
  strict: true,
  // `1: x` has the key "1"; a list or a map is no key.
  stringKeys: true,
  // The library's own check compares each key with every other.
  uniqueKeys: false,
  merge: false,
  prettyErrors: false,
  logLevel: "error",
} as const;

let library: typeof Yaml | undefined;

/** Front matter through the YAML library, which is loaded when it is needed first. Maps come as maps: no key is special. */
export function yamlFields(words: string): YamlResult {
  const { createRequire } = process.getBuiltinModule("node:module");
  library ??= createRequire(import.meta.url)("yaml") as typeof Yaml;
  const { parseDocument, visit, isScalar, isMap } = library;
  const depth = Error.stackTraceLimit;
  // A hostile file makes an error of every byte; where each was made is of no use and most of the cost.
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

const advice: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: "Put the value in quotes: it holds a colon with a space after it.",
  TAB_AS_INDENT: "Indent with spaces.",
  MISSING_CHAR: "Close what was opened, or put the whole value in quotes.",
  TAG_RESOLVE_FAILED: "Leave the tag (what begins with “!”) out, or put the value in quotes.",
  RESOURCE_EXHAUSTION: "It is nested too deeply.",
};

function invalid(words: string, message: string, offset: number, told = "Fix that line."): YamlResult {
  // What is missing at the end is missing in the last line that says something.
  const line = words.slice(0, Math.min(offset, words.trimEnd().length)).split("\n").length;
  return { reason: message.replace(/\s+/g, " ").replace(/\.$/, "").slice(0, 200), line, advice: told };
}

function duplicate(words: string, key: unknown, offset = 0): YamlResult {
  return invalid(words, `“${String(key)}” is there twice`, offset, "Keep one of them.");
}
