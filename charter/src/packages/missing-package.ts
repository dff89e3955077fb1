import { Problem } from "../prompt/problem.ts";

/** Installed for the whole machine, this package finds only what is so, too. Then the folder it lies in is no project. */
export function installCommand(home = import.meta.url, wanted = "charter-service"): string {
  const builtin = globalThis.process?.getBuiltinModule;
  const [project, ...inside] = home.split("/node_modules/");
  const isGlobal =
    builtin !== undefined && inside.length > 0 && !builtin("node:fs").existsSync(new URL(`${project}/package.json`));
  return `npm install ${isGlobal ? "-g " : ""}${wanted}`;
}

/** What a package that is not here is wanted for, and what helps besides installing it. */
export type Purpose = { readonly purpose: string; readonly otherwise?: string };

/** Packages that even the service does not bring, since few need them, and the release we know. */
const apart: Readonly<Record<string, string>> = { viem: "2.57.1" };

/** “PostgreSQL needs the package “pg”, which is not installed.” */
export function packageMissing(name: string, { purpose, otherwise }: Purpose): Problem {
  const serviceHint = Object.hasOwn(apart, name)
    ? `Run ${installCommand(import.meta.url, `${name}@${apart[name]}`)}.`
    : `Run ${installCommand()}: it brings everything that charter start needs.`;
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
