import { type CommonJs, createCommonJs } from "./common-js.ts";
import { importedNames, importsOf } from "./import-statement.ts";
import { moduleFile } from "./module-file.ts";
import { moduleSource } from "./module-source.ts";
import { isPiModule, piName, piNames } from "./pi-names.ts";
import { suppressWarning } from "./suppress-warning.ts";
import type { OnUse } from "./unsupported.ts";

/** One load of one extension: its files are read anew, and what they import of pi is told by name. */
type Load = {
  readonly missing: OnUse;
  readonly commonJs: CommonJs;
  /** The sources that import something of pi: which names, is said by them. */
  readonly sources: Map<string, string>;
};

const mark = "charter-extension";
const shared = Symbol.for(mark);
const loads = new Map<string, Load>();
let registered = false;

/**
 * Imports a file as if for the first time, with the files beside it that it imports. Node keeps what it once imported by
 * address; here the address carries the number of the load, and files hand it on to those they import.
 */
export async function importFresh(file: string, missing: OnUse): Promise<unknown> {
  (await import("../../../bin/resolve.js")).useSource();
  registerOnce();
  const key = `${process.pid}-${global().counted++}`;
  const commonJs = createCommonJs((one) => urlOf(one, key), missing);
  loads.set(key, { missing, commonJs, sources: new Map() });
  // What the modules made here are handed from outside; nothing else can reach into a module's own world.
  global().given.set(key, {
    piName: (specifier: string, name: string) => piName(specifier, name, missing),
    requireFor: commonJs.requireFor,
    exportsOf: commonJs.exportsOf,
  });
  return nativeImport(urlOf(process.getBuiltinModule("node:fs").realpathSync(file), key));
}

type Global = { counted: number; readonly given: Map<string, object> };

function global(): Global {
  const holder = globalThis as { [shared]?: Global };
  holder[shared] ??= { counted: 1, given: new Map() };
  return holder[shared];
}

function urlOf(file: string, key: string): string {
  return `${process.getBuiltinModule("node:url").pathToFileURL(file).href}?${mark}=${key}`;
}

/** Node's own import, also where whoever runs this code has put another in its place. */
function nativeImport(url: string): Promise<unknown> {
  const { compileFunction, constants } = process.getBuiltinModule("node:vm");
  const importing = {
    filename: import.meta.url,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  };
  return suppressWarning(() => compileFunction("return import(url)", ["url"], importing)(url)) as Promise<unknown>;
}

/** Every other module of the process passes by untouched. */
function registerOnce(): void {
  if (registered) return;
  registered = true;
  const { fileURLToPath } = process.getBuiltinModule("node:url");
  process.getBuiltinModule("node:module").registerHooks({
    resolve: (specifier, context, next) => {
      const { key, load } = loadOf(context.parentURL);
      if (load === undefined) return next(specifier, context);
      const from = context.parentURL as string;
      if (isPiModule(specifier)) {
        const url = `${mark}:${encodeURIComponent(specifier)}?${mark}=${key}&from=${encodeURIComponent(from)}`;
        return { url, format: "module", shortCircuit: true };
      }
      const file = /^(?:\.{0,2}\/|file:|\.{1,2}$)/.test(specifier)
        ? moduleFile(fileURLToPath(new URL(specifier, from)))
        : undefined;
      return file === undefined ? next(specifier, context) : { url: urlOf(file, key), shortCircuit: true };
    },
    load: (url, context, next) => {
      const { key, load } = loadOf(url);
      if (load === undefined) return next(url, context);
      if (url.startsWith(`${mark}:`)) return asModule(piSource(load, key, new URL(url)));
      const file = fileURLToPath(url);
      if (file.endsWith(".json") && context.importAttributes?.type === undefined) return asModule(jsonSource(file));
      return /\.[cm]?[jt]s$/.test(file) ? asModule(scriptSource(load, key, url, file)) : next(url, context);
    },
  });
}

function loadOf(url: string | undefined): { readonly key: string; readonly load: Load | undefined } {
  const key = url === undefined ? undefined : new RegExp(`\\?${mark}=([\\d-]+)`).exec(url)?.[1];
  return key === undefined ? { key: "", load: undefined } : { key, load: loads.get(key) };
}

function asModule(source: string) {
  return { format: "module" as const, source, shortCircuit: true };
}

const from = (key: string) => `globalThis[Symbol.for("${mark}")].given.get("${key}")`;

/** The names one file takes of a module of pi, as a module: a name has to be exported to be imported. */
function piSource(load: Load, key: string, { pathname, searchParams }: URL): string {
  const specifier = decodeURIComponent(pathname);
  const importer = load.sources.get(searchParams.get("from") ?? "") ?? "";
  const { names, everything } = importedNames(importer, specifier);
  const real = Object.keys(piNames(specifier));
  // Also for import(), which does not say what it will take.
  const exported = [...new Set([...names, ...(everything || names.size === 0 ? real : [])])];
  const lines = exported.map((name, index) => {
    const value = `const v${index} = given.piName(${JSON.stringify(specifier)}, ${JSON.stringify(name)});`;
    return `${value} export { v${index} as ${name} };`;
  });
  return [`const given = ${from(key)};`, ...lines].join("\n");
}

function scriptSource(load: Load, key: string, url: string, file: string): string {
  const { kind, text } = moduleSource(file, process.getBuiltinModule("node:fs").readFileSync(file, "utf8"));
  if (kind === "module") {
    load.sources.set(url, text);
    return usualNames(key, text) + text.replace(/^#!.*/, "");
  }
  const exported = Object(load.commonJs.exportsOf(file)) as object;
  const names = Object.keys(exported).filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== "default");
  const lines = names.map((name, index) => `const v${index} = exported.${name}; export { v${index} as ${name} };`);
  const whole = `const exported = ${from(key)}.exportsOf(${JSON.stringify(file)}); export default exported;`;
  return [whole, ...lines].join("\n");
}

/** What pi gives every file, module or not, where it uses it without having its own. On the first line: lines stay. */
function usualNames(key: string, text: string): string {
  const imported = new Set(importsOf(text).flatMap(({ names }) => names.map(({ local }) => local)));
  // Its own, be it the second of a declaration or taken out of something: `const a = 1, require = …`, `{ require } = …`.
  const declares = (name: string) =>
    imported.has(name) ||
    new RegExp(`(?:const|let|var|function|class)\\s+${name}\\b|[,{]\\s*${name}\\s*(?:[,}][^;=]*)?=(?![=>])`).test(text);
  const wants = (name: string) => new RegExp(`(?<![\\w$.])${name}(?![\\w$])`).test(text) && !declares(name);
  const made = [
    ...(wants("__filename") ? ["const __filename = import.meta.filename;"] : []),
    ...(wants("__dirname") ? ["const __dirname = import.meta.dirname;"] : []),
    ...(wants("require") ? [`const require = ${from(key)}.requireFor(import.meta.filename);`] : []),
  ];
  return made.join(" ");
}

function jsonSource(file: string): string {
  const text = process.getBuiltinModule("node:fs").readFileSync(file, "utf8");
  return `export default JSON.parse(${JSON.stringify(text)});`;
}
