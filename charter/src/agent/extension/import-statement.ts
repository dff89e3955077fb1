/** An `import Local, { Name as Local2 } from "…"`, or an export from elsewhere: the names it takes, and its place. */
type ImportStatement = {
  readonly start: number;
  readonly end: number;
  readonly from: string;
  readonly names: readonly { readonly name: string; readonly local: string }[];
  /** The local name of `* as everything`. */
  readonly everything?: string;
  readonly kind: "import" | "export";
};

const comment = String.raw`//[^\n]*|/\*[\s\S]*?\*/`;
const statement = new RegExp(
  String.raw`(?<=^|[\n;])[ \t]*(import|export)\b((?:[\w$*\s{},]|${comment})*?)(?<![\w$])from\s*(["'])([^"'\n]+)\3`,
  "g",
);
const comments = new RegExp(comment, "g");

/** Lists the statements of a source that stand at the start of a line or after a semicolon. */
export function importsOf(source: string): ImportStatement[] {
  return [...source.matchAll(statement)].map((found) => {
    const [whole, kind, clause, , from] = found as unknown as [string, "import" | "export", string, string, string];
    return {
      start: found.index,
      end: found.index + whole.length,
      from,
      kind,
      ...namesIn(clause.replace(comments, "")),
    };
  });
}

function namesIn(clause: string): Pick<ImportStatement, "names" | "everything"> {
  const inBraces = /\{([^}]*)\}/.exec(clause)?.[1] ?? "";
  const outside = clause.replace(/\{[^}]*\}/, "");
  const everything = /\*\s*as\s+([\w$]+)/.exec(outside)?.[1];
  const first = /^\s*([\w$]+)/.exec(outside.replace(/\*\s*as\s+[\w$]+/, ""))?.[1];
  const names = inBraces.split(",").flatMap((one) => {
    const [name, local] = one.trim().split(/\s+as\s+/);
    return name ? [{ name, local: local ?? name }] : [];
  });
  return {
    names: [...(first === undefined ? [] : [{ name: "default", local: first }]), ...names],
    ...(everything === undefined ? {} : { everything }),
  };
}

/**
 * Removes names that are imported only as types, with or without the word `type`, as TypeScript does: Node would fail on a name
 * that no module has. Only statements at the very top are changed: further down, the like may be text. Lines stay where they are.
 */
export function withoutTypes(source: string): string {
  const tops = topOf(source, importsOf(source));
  const rest = tops.reduceRight((text, { start, end }) => text.slice(0, start) + text.slice(end), source);
  const code = rest.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");
  const used = (local: string) => uses(code, local);
  return tops.reduceRight((text, one) => {
    const kept = one.names.filter(({ local }) => used(local));
    const everything = one.everything !== undefined && used(one.everything) ? one.everything : undefined;
    if (kept.length === one.names.length && everything === one.everything) return text;
    const lines = "\n".repeat(text.slice(one.start, one.end).split("\n").length - 1);
    return text.slice(0, one.start) + written(one.from, kept, everything) + lines + text.slice(one.end);
  }, source);
}

/** Returns comments and imports up to the first statement that is neither. */
function topOf(source: string, statements: readonly ImportStatement[]): ImportStatement[] {
  const tops: ImportStatement[] = [];
  const between = /^(?:\s|;|\/\/[^\n]*|\/\*[\s\S]*?\*\/|#![^\n]*|import\s*["'][^"'\n]*["'])*$/;
  let end = 0;
  for (const one of statements) {
    if (one.kind !== "import" || !between.test(source.slice(end, one.start))) break;
    tops.push(one);
    end = one.end;
  }
  return tops;
}

function uses(code: string, local: string): boolean {
  const name = local.replace(/\$/g, "\\$");
  return new RegExp(`(?<![\\w$])(?<!(?<!\\.\\.)\\.)${name}(?![\\w$])`).test(code);
}

function written(from: string, names: ImportStatement["names"], everything: string | undefined): string {
  if (names.length === 0 && everything === undefined) return "";
  const braces = names.map(({ name, local }) => (name === local ? name : `${name} as ${local}`)).join(", ");
  const [clauses, last] = everything === undefined ? ["", `{ ${braces} }`] : [firstOf(names), `* as ${everything}`];
  return `import ${clauses}${last} from ${JSON.stringify(from)}`;
}

/** Writes the default import: beside `* as`, nothing else can stand. */
function firstOf(names: ImportStatement["names"]): string {
  const first = names.find(({ name }) => name === "default");
  return first ? `${first.local}, ` : "";
}

/** Lists the names of a module that a source takes. `everything`: it may take any other, too. */
export function importedNames(
  source: string,
  from: string,
): { readonly names: Set<string>; readonly everything: boolean } {
  const names = new Set<string>();
  let everything = false;
  for (const one of importsOf(source).filter((statement) => statement.from === from)) {
    for (const { name } of one.names) names.add(name);
    if (one.everything === undefined) everything ||= one.kind === "export" && one.names.length === 0;
    else {
      everything = true;
      const local = one.everything.replace(/\$/g, "\\$");
      for (const [, name] of source.matchAll(new RegExp(`(?<![\\w$.])${local}\\.([\\w$]+)`, "g")))
        names.add(name as string);
    }
  }
  return { names, everything };
}
