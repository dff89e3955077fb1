import type { Kind } from "./declaration.ts";

/** The code of a declaration from its keyword on: of a function its head, of a constant its type or its one line. */
export function signatureAt(text: string, start: number, kind: Kind): string {
  const head = text.slice(start, endAt(text, start, kind)).trim();
  return `${(kind === "class" ? withoutBodies(head) : head).replace(/^async /, "").replace(/;$/, "")};`;
}

/**
 * As a reader needs it: without “readonly”, with one name for an argument that is taken apart, and without defaults that
 * only a name of ours could say.
 */
export function shortened(signature: string): string {
  const named = signature.replaceAll(
    /([(,]\s*)\{(?:[^{}]|\{[^{}]*\})*\}: (\w*)/g,
    (_, before: string, type: string) => {
      const isOptions = type === "" || type.endsWith("Options");
      const isMade = ["Omit", "Partial", "Pick", "Readonly"].includes(type);
      const name = isOptions ? "options" : isMade ? "given" : type.charAt(0).toLowerCase() + type.slice(1);
      return `${before}${name}: ${type}`;
    },
  );
  const plain = named.startsWith("function") ? withoutOwnDefaults(named) : named;
  return plain.replaceAll(/\breadonly /g, "");
}

/** `wait: Wait = (reading) => reading` becomes `wait?: Wait`; what a literal says stays. */
function withoutOwnDefaults(head: string): string {
  const defaults: { start: number; end: number; name: number }[] = [];
  let [colon, equals] = [0, 0];
  for (const { sign, index, depth } of signsFrom(head, 0)) {
    if (depth === 1 && sign === ":" && equals === 0) colon ||= index;
    if (depth === 1 && sign === "=" && head[index + 1] !== ">") equals ||= index;
    const ends = (depth === 1 && sign === ",") || (depth === 0 && sign === ")");
    if (!ends) continue;
    const isOurs = equals > 0 && colon > 0 && !/^(?:["\d{[]|true|false|null)/.test(head.slice(equals + 1).trimStart());
    if (isOurs) defaults.push({ start: equals - 1, end: index, name: colon });
    [colon, equals] = [0, 0];
    if (depth === 0) break;
  }
  return defaults
    .toReversed()
    .reduce(
      (text, { start, end, name }) => `${text.slice(0, name)}?${text.slice(name, start)}${text.slice(end)}`,
      head,
    );
}

function endAt(text: string, start: number, kind: Kind): number {
  if (kind === "function") return endOfHead(text, start);
  if (kind === "constant") return endOfConstant(text, start);
  if (kind === "class" || text.startsWith("interface", start)) return text.indexOf("\n}", start) + 2;
  for (const { sign, index, depth } of signsFrom(text, start)) if (sign === ";" && depth === 0) return index;
  throw noEnd(text, start);
}

/** Where the body of a function begins: at a brace outside of all brackets that begins no type. */
function endOfHead(text: string, start: number): number {
  for (const { sign, index, depth } of signsFrom(text, start)) {
    if (depth === 0 && sign === ";") return index;
    if (depth === 1 && sign === "{" && !/(?:[:|&]|=>|\breadonly)\s*$/.test(text.slice(start, index))) return index;
  }
  throw noEnd(text, start);
}

/** Of a constant its type is shown, where one is written; else its value, where that stands on one line. */
function endOfConstant(text: string, start: number): number {
  const line = text.slice(start, text.indexOf("\n", start));
  const [name = ""] = line.split(" = ");
  return start + (name.includes(":") || !line.endsWith(";") ? name : line).length;
}

/** A class without what its methods do, and those that are its own. */
function withoutBodies(text: string): string {
  return text.replaceAll(/^( {2}\S.*) \{\n(?: {4}.*\n|\n)* {2}\}$/gm, "$1;").replaceAll(/^ {2}private .*\n\n/gm, "");
}

type Sign = { readonly sign: string; readonly index: number; readonly depth: number };

/** The signs of a text that are neither in a string nor in a comment; the depth counts the brackets that are open. */
export function* signsFrom(text: string, start: number): Generator<Sign> {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    const end = quotedUntil(text, index);
    if (end > index) {
      index = end;
      continue;
    }
    const sign = text.charAt(index);
    if ("([{<".includes(sign)) depth++;
    if (")]}".includes(sign) || (sign === ">" && text[index - 1] !== "=")) depth--;
    yield { sign, index, depth };
  }
}

/** The last index of the string or comment that begins here; the index itself where none does. */
function quotedUntil(text: string, index: number): number {
  if (text.startsWith("//", index)) return text.indexOf("\n", index) - 1;
  if (text.startsWith("/*", index)) return text.indexOf("*/", index) + 1;
  const quote = text.charAt(index);
  if (!`"'\``.includes(quote)) return index;
  for (let at = index + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === quote) return at;
  }
  throw noEnd(text, index);
}

function noEnd(text: string, start: number): Error {
  return new Error(`No end was found of: ${text.slice(start, text.indexOf("\n", start))}`);
}
