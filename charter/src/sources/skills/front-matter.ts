import { plainFields } from "./front-matter-fast.ts";
import { yamlFields } from "./front-matter-yaml.ts";

/**
 * The fields a Markdown file begins with, between two lines `---`. `open`: what was given ends before the second one.
 * Maps and not objects, so that a field called `__proto__` is a field like any other.
 */
type FrontMatter =
  | { readonly status: "present"; readonly fields: ReadonlyMap<string, unknown> }
  | { readonly status: "missing" }
  | { readonly status: "open" }
  | { readonly status: "invalid"; readonly reason: string; readonly line: number; readonly advice: string };

/** `head`: the opening of a file with its line ends as \n. `cut`: the file goes on after it. */
export function frontMatter(head: string, cut: boolean): FrontMatter {
  const start = openingEnd(head);
  if (start === -1) return { status: "missing" };
  const end = closingStart(head, start, cut);
  if (end === -1) return { status: "open" };
  const words = head.slice(start, end);
  const plain = plainFields(words);
  if (plain) return { status: "present", fields: plain };
  const parsed = yamlFields(words);
  if ("fields" in parsed) return { status: "present", fields: parsed.fields };
  // The first line of the file is the opening one.
  return { status: "invalid", ...parsed, line: parsed.line + 1 };
}

/** Where the first line ends, when it is nothing but `---`. */
function openingEnd(head: string): number {
  return head.startsWith("---\n") ? 4 : (/^---[ \t]*(?:\n|$)/.exec(head)?.[0].length ?? -1);
}

/** Where the next line begins that is nothing but `---`. */
function closingStart(head: string, from: number, cut: boolean): number {
  for (let at = head.indexOf("\n---", from - 1); at !== -1; at = head.indexOf("\n---", at + 1)) {
    const newline = head.indexOf("\n", at + 4);
    if (newline === at + 4) return at + 1;
    if (newline === -1 && cut) return -1;
    if (/^[ \t]*$/.test(head.slice(at + 4, newline === -1 ? head.length : newline))) return at + 1;
  }
  return -1;
}
