import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { signsFrom } from "./signature.ts";

/** What a record has of a column, by the kind the column is declared with; other kinds are text. */
const types: Readonly<Record<string, string>> = {
  json: "unknown",
  data: "unknown",
  count: "number",
  counted: "number",
  truth: "boolean",
  bytes: "Uint8Array",
};

const owners: Readonly<Record<string, string>> = { user: "\n  scope: Scope;", agent: "\n  agent: string;" };

/** A file's text in which records of tables (`RecordOf<typeof dispatches>`) are written out; what they name stands below it. */
export function withStored(file: string, text: string): string {
  const tables = new Map<string, string>();
  const written = text.replaceAll(/\bRecordOf<typeof (\w+)>/g, (_, name: string) => {
    const there = whereIs(file, text, name);
    if (there.file !== file) tables.set(there.file, there.text);
    return recordIn(there, name);
  });
  return [written, ...tables.values()].join("\n");
}

type Source = { readonly file: string; readonly text: string };

/** The file that a name comes from: the one it is imported from, or this. */
function whereIs(file: string, text: string, name: string): Source {
  const from = new RegExp(`import [^;]*\\b${name}\\b[^;]* from "(\\.[^"]+)"`).exec(text)?.[1];
  if (from === undefined) return { file, text };
  const there = join(dirname(file), from);
  return { file: there, text: readFileSync(there, "utf8") };
}

function recordIn({ file, text }: Source, name: string): string {
  const start = text.indexOf(`const ${name} = table(`);
  if (start < 0) throw new Error(`No table is declared as “${name}” where it comes from.`);
  const [, options = "", columns = ""] = partsIn(text, text.indexOf("(", start));
  const owner = owners[/\bof: "(\w+)"/.exec(options)?.[1] ?? ""] ?? "";
  const fields = partsIn(columns, columns.indexOf("{")).flatMap((column) => {
    if (!column.startsWith("...")) return [column];
    const shared = column.slice("...".length);
    const there = whereIs(file, text, shared).text;
    return partsIn(there, there.indexOf("{", there.indexOf(`const ${shared} = {`)));
  });
  return `{${owner}${fields.map(fieldOf).join("")}\n}`;
}

/** What stands between a bracket and the one that closes it, in parts. */
function partsIn(text: string, open: number): string[] {
  const parts: string[] = [];
  let start = open + 1;
  for (const { sign, index, depth } of signsFrom(text, open)) {
    if (depth > 1 || (sign !== "," && depth > 0)) continue;
    parts.push(
      text
        .slice(start, index)
        .replaceAll(/^\s*\/\/.*\n/gm, "")
        .trim(),
    );
    start = index + 1;
    if (depth === 0) break;
  }
  return parts.filter((part) => part !== "");
}

/** A column as a record has it, with the comment before it. */
function fieldOf(column: string): string {
  // What several tables share is for lists, and in no record.
  if (column.startsWith("...")) return "";
  const [, comment = "", name, kind = ""] = /^((?:\/\*\*[\s\S]*?\*\/\s*)?)(\w+): (\w+)/.exec(column) ?? [];
  const declared = column.slice(comment.length);
  if (!name) throw new Error(`This column is not understood: ${column}`);
  if (declared.includes(".hidden()")) return "";
  const values = /oneOf\(([^)]*)\)/.exec(declared)?.[1]?.match(/"[^"]*"/g);
  const given = /^\w+: \w+<([\s\S]*?)>\(/.exec(declared)?.[1];
  const type = given ?? values?.join(" | ") ?? types[kind] ?? "string";
  const [optional, nullable] = [declared.includes(".optional()") ? "?" : "", declared.includes(".nullable()")];
  const said = comment && `${comment.trim().replaceAll(/\n\s+\*/g, "\n   *")}\n  `;
  return `\n  ${said}${name}${optional}: ${type}${nullable ? " | null" : ""};`;
}
