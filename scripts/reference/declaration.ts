import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { shortened, signatureAt } from "./signature.ts";
import { withStored } from "./stored.ts";

export type Kind = "function" | "constant" | "class" | "type";

/** What is written where a name is declared. */
export type Declaration = {
  readonly kind: Kind;
  /** Without a function's body, a constant's long value or the word “readonly”. */
  readonly signature: string;
  /** The comment before it, without its stars and tags. */
  readonly comment: string;
  /** The code of each `@example` in the comment. */
  readonly examples: readonly string[];
};

const kinds = { function: "function", const: "constant", class: "class", type: "type", interface: "type" } as const;

/**
 * Reads a declaration from the file it stands in. One that is not found, or has no comment, is an error. Types of that
 * file that it names, and that no door gives, are read along with it.
 */
export function declarationOf(file: string, name: string, isPublic: (name: string) => boolean): Declaration {
  const text = withStored(file, readFileSync(file, "utf8"));
  const found = declaredIn(text, name, "export ");
  const [first] = found;
  const where = relative(process.cwd(), file);
  if (!first) throw new Error(`${where} does not declare “${name}” in a form that is understood.`);
  const written = commentBefore(text, first.index);
  if (!written) throw new Error(`“${name}” in ${where} has no doc comment: say in a sentence what it is for.`);
  const { comment, tags } = withoutTags(written);
  const kind = kinds[first[1] as keyof typeof kinds];
  const examples = tags.flatMap((tag) => (tag.startsWith("@example") ? [tag.slice("@example".length).trim()] : []));
  if (tags.includes("@opaque")) return { kind, signature: `type ${name} = { … };`, comment, examples };
  // With overloads, the last is the one that has a body; callers see the others.
  const all = found.map(({ index }) => signatureAt(text, index + "export ".length, kind));
  const signature = shortened((all.length > 1 ? all.slice(0, -1) : all).join("\n"));
  const locals = localsIn(text, signature, (one) => one === name || isPublic(one));
  return { kind, signature: [signature, ...locals].join("\n"), comment, examples };
}

function declaredIn(text: string, name: string, before: string): RegExpExecArray[] {
  const kind = "(function|const|class|type|interface)\\*?";
  return [...text.matchAll(new RegExp(`^${before}(?:declare )?(?:async )?${kind} ${name}\\b`, "gm"))];
}

function localsIn(
  text: string,
  signature: string,
  isShown: (name: string) => boolean,
  shown = new Set<string>(),
): string[] {
  const names = [...new Set(code(signature).match(/\b[A-Za-z]\w*\b/g))].filter((name) => !isShown(name));
  return names.flatMap((name) => {
    const [found] = declaredIn(text, name, "(?:export )?");
    const isType = found?.[1] === "type" || new RegExp(`typeof ${name}\\b`).test(signature);
    if (!found || !isType || shown.has(name)) return [];
    shown.add(name);
    const start = found.index + (found[0].startsWith("export") ? "export ".length : 0);
    const local = shortened(signatureAt(text, start, "type"));
    return [local, ...localsIn(text, local, isShown, shown)];
  });
}

/** A signature without its comments and strings: what is left are names. */
export function code(signature: string): string {
  return signature.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|"[^"\n]*"/g, "");
}

/** The doc comment that ends right before an index, without its stars. */
function commentBefore(text: string, index: number): string | undefined {
  const before = text.slice(0, index);
  if (!before.endsWith("*/\n")) return undefined;
  const start = before.lastIndexOf("/**");
  if (start < 0 || before.slice(start, -3).includes("*/")) return undefined;
  const lines = before.slice(start + 3, -3).split("\n");
  return lines
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
    .join("\n")
    .trim();
}

function withoutTags(written: string): { readonly comment: string; readonly tags: readonly string[] } {
  const [comment = "", ...tags] = written.split(/^(?=@)/m).map((part) => part.trim());
  return { comment, tags };
}
