/** `import Local, { Name as Local2 } from "…"`, or an export from elsewhere: what it takes, and where it stands. */
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

/** The statements of a source, as far as they stand at the start of a line or after a semicolon. */
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
 * TypeScript leaves out what is imported only as a type, whether it says `type` or not; Node does not, and stumbles over
 * a name that no module has. Only statements at the very top are looked at: further down, what looks like one may be
 * text. Lines stay where they are.
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

/** Comments and imports, up to the first statement that is neither. */
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

/** Beside `* as`, only a default can stand. */
function firstOf(names: ImportStatement["names"]): string {
  const first = names.find(({ name }) => name === "default");
  return first ? `${first.local}, ` : "";
}

/** Which names of a module a source takes. `everything`: it may take any of them, besides those it names. */
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
