import { Problem, reasonOf } from "../../prompt/problem.ts";

type SearchPattern = {
  readonly pattern: string;
  readonly literal?: boolean | undefined;
  readonly ignoreCase?: boolean | undefined;
};

/** A regular expression of JavaScript; one that begins with `(?i)`, as other tools write it, looks past case. */
export function patternRegex({ pattern, literal = false, ignoreCase = false }: SearchPattern): RegExp {
  const [, inline = "", written = ""] = /^(\(\?i\))?([\s\S]*)$/.exec(pattern) ?? [];
  const words = literal ? pattern.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&") : written;
  const flags = ignoreCase || (!literal && inline !== "") ? "i" : "";
  try {
    return new RegExp(words, `${flags}u`);
  } catch {
    // What is no mistake elsewhere, like an escaped hyphen, is one by the strict rules.
    return looseRegex(pattern, words, flags);
  }
}

function looseRegex(pattern: string, words: string, flags: string): RegExp {
  try {
    return new RegExp(words, flags);
  } catch (error) {
    const reason = reasonOf(error).replace(/^Invalid regular expression: .*: (?=[^:]*$)/s, "");
    throw new Problem(
      "bad-pattern",
      `“${pattern}” is no regular expression: ${reason}.`,
      "Fix it, or search for the very words with literal: true.",
    );
  }
}
