/** What declaration files import: those they reach by relative paths, and the packages they name. */
export type DeclarationGraph = {
  readonly files: ReadonlySet<string>;
  /** Which file names the package first. */
  readonly packages: ReadonlyMap<string, string>;
};

const imported = /(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']|<reference (?:types|path)="([^"]+)"/g;

/** All that is reached from some declaration files. */
export function reachable(
  doors: readonly string[],
  read: (file: string) => string,
  join: (from: string, to: string) => string,
): DeclarationGraph {
  const files = new Set<string>();
  const packages = new Map<string, string>();
  const walk = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const [, name = "", reference] of withoutComments(read(file)).matchAll(imported)) {
      const to = reference ?? name;
      if (to.startsWith("."))
        walk(
          join(file, to)
            .replace(/\.js$/, ".d.ts")
            .replace(/(?<!\.d)\.ts$/, ".d.ts"),
        );
      else if (!packages.has(to)) packages.set(to, file);
    }
  };
  for (const door of doors) walk(door);
  return { files, packages };
}

/** Doc comments hold examples, with imports in them; a reference is a comment of its own kind. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "");
}

/** “./agent.js” in place of “./agent.ts”, and arrays of bytes without what they lie in: older ones know no other. */
export function asOlderTypeScript(text: string): string {
  return text
    .replace(/((?:\bfrom|\bimport)\s*\(?\s*["']\.[^"']*)\.ts(["'])/g, "$1.js$2")
    .replaceAll("Uint8Array<ArrayBufferLike>", "Uint8Array");
}
