import { type ESTree, parseSync, Visitor } from "vite";

/** Something a person reads: a string, a template (its values as “…”), or text between tags. */
export type ReadText = { readonly line: number; readonly text: string };

type Place = { readonly start: number; readonly end: number };

/** Every string of a TypeScript file that is not the name of a module or a type; with `problems`, those of a Problem alone. */
export function textsOf(file: string, source: string, { problems = false } = {}): readonly ReadText[] {
  const found: (Place & { readonly text: string })[] = [];
  /** Names of modules and types, and what was read as a part of something larger. */
  const names = new Set<unknown>();
  const thrown: Place[] = [];
  const { program, errors } = parseSync(file, source);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  new Visitor({
    ImportDeclaration: ({ source }) => void names.add(source),
    ExportAllDeclaration: ({ source }) => void names.add(source),
    ExportNamedDeclaration: ({ source }) => void names.add(source),
    ImportExpression: ({ source }) => void names.add(source),
    TSLiteralType: ({ literal }) => void names.add(literal),
    NewExpression: ({ callee, start, end }) => {
      if (callee.type === "Identifier" && callee.name === "Problem") thrown.push({ start, end });
    },
    BinaryExpression: (node) => {
      if (node.operator === "+" && !names.has(node)) found.push({ ...node, text: sumOf(node, names) });
    },
    Literal: (node) => {
      if (typeof node.value === "string" && !names.has(node)) found.push({ ...node, text: node.value });
    },
    TemplateLiteral: (node) => {
      if (!names.has(node)) found.push({ ...node, text: templateText(node) });
    },
    JSXText: (node) => {
      found.push({ ...node, text: node.value });
    },
  }).visit(program);
  const lines = lineStarts(source);
  return found
    .filter(({ start, end }) => !problems || thrown.some((one) => one.start <= start && end <= one.end))
    .map(({ start, text }) => ({
      line: lineAt(lines, start + (/^\s*/.exec(text)?.[0].length ?? 0)),
      text: text.trim(),
    }))
    .filter(({ text }) => text !== "");
}

const templateText = ({ quasis }: ESTree.TemplateLiteral) =>
  quasis.map(({ value }) => value.cooked ?? value.raw).join("…");

/** Strings that are put together with “+”, as one; its parts are not read again. */
function sumOf(node: ESTree.Expression | ESTree.PrivateIdentifier, read: Set<unknown>): string {
  read.add(node);
  if (node.type === "BinaryExpression" && node.operator === "+")
    return sumOf(node.left, read) + sumOf(node.right, read);
  if (node.type === "TemplateLiteral") return templateText(node);
  return node.type === "Literal" && typeof node.value === "string" ? node.value : "…";
}

/** The paragraphs of a Markdown page, without its code spans; a line of a code block is one of its own. */
export function paragraphsOf(page: string): readonly ReadText[] {
  const paragraphs: { line: number; text: string }[] = [];
  let fenced = false;
  let open = false;
  for (const [index, line] of page.split("\n").entries()) {
    const fence = /^\s*```/.test(line);
    if (fence) fenced = !fenced;
    const text = fenced ? line : line.replaceAll(/`[^`]*`/g, "…");
    const last = paragraphs.at(-1);
    if (open && last && !fenced && /^\s*[^\s#|*\d-]/.test(line)) last.text += `\n${text}`;
    else if (line.trim() !== "" && !fence) paragraphs.push({ line: index + 1, text });
    open = !fenced && !fence && !/^\s*(?:#|\||$)/.test(line);
  }
  return paragraphs;
}

const lineStarts = (source: string) => [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
const lineAt = (starts: readonly number[], offset: number) => {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
};
