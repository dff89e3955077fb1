import { Problem } from "../prompt/problem.ts";

const serviceHint = "Run npm install charter-service: it brings everything that charter start needs.";

/** What a package that is not here is wanted for, and what helps besides installing it. */
export type Purpose = { readonly purpose: string; readonly otherwise?: string };

/** “PostgreSQL needs the package “pg”, which is not installed.” */
export function packageMissing(name: string, { purpose, otherwise }: Purpose): Problem {
  return new Problem(
    "package-missing",
    `${purpose} needs the package “${name}”, which is not installed.`,
    otherwise === undefined ? serviceHint : `${serviceHint} ${otherwise}`,
  );
}

/** The package an import names: “hono” of “hono/cookie”, “@hono/node-server” of itself; nothing where it names a file. */
export function packageOf(specifier: string): string | undefined {
  return /^((?:@[^/\\:]+\/)?[^./\\#:@][^/\\:]*)(?:\/|$)/.exec(specifier)?.[1];
}

/** The import that was found nowhere, by what Node or Bun threw; nothing where something else went wrong. */
export function missingImport(thrown: unknown): string | undefined {
  const { code, message } = Object(thrown) as { readonly code?: unknown; readonly message?: unknown };
  if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return undefined;
  const name = /^Cannot find (?:package|module) ['"]([^'"]+)['"]/.exec(String(message))?.[1];
  return name === undefined ? undefined : packageOf(name);
}
