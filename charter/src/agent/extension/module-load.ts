import { requirePackage } from "../../packages/load-package.ts";
import { Problem } from "../../prompt/problem.ts";
import { importedNames, importsOf, withoutTypes } from "./import-statement.ts";

/** A load of one extension: its files are read anew, and unknown names of pi that they import are reported. */
type Load = {
  readonly missing: OnUse;
  readonly commonJs: CommonJs;
  /** Sources by address of the modules that import something of pi: they say which names. */
  readonly sources: Map<string, string>;
};

const mark = "charter-extension";
const shared = Symbol.for(mark);
const loads = new Map<string, Load>();
let registered = false;

/**
 * Imports a file as if for the first time, with the files beside it that it imports. Node caches modules by address; here the
 * address carries the number of the load, and each file passes it on to those it imports.
 */
export async function importFresh(file: string, missing: OnUse): Promise<unknown> {
  (await import("../../../bin/resolve.js")).useSource();
  registerOnce();
  const key = `${process.pid}-${global().counted++}`;
  const commonJs = createCommonJs(key, missing);
  loads.set(key, { missing, commonJs, sources: new Map() });
  // Functions for the modules made here come by way of a global: nothing else reaches into a module's own scope.
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

/**
 * Returns the URL of a module as a require asks for it: Node keeps what was required by its path, so here the path carries the
 * number. It names no file, and only our hook reads it.
 */
function requiredUrlOf(file: string, key: string): string {
  return process.getBuiltinModule("node:url").pathToFileURL(`${file}?${mark}=${key}`).href;
}

/** Calls Node's own import, even where the program that runs this code has replaced it. */
function nativeImport(url: string): Promise<unknown> {
  const { compileFunction, constants } = process.getBuiltinModule("node:vm");
  const importing = {
    filename: import.meta.url,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  };
  return suppressWarning(() => compileFunction("return import(url)", ["url"], importing)(url)) as Promise<unknown>;
}

/** Registers the hooks once. Every other module of the process passes through them unchanged. */
function registerOnce(): void {
  if (registered) return;
  registered = true;
  const { fileURLToPath } = process.getBuiltinModule("node:url");
  process.getBuiltinModule("node:module").registerHooks({
    resolve: (specifier, context, next) => {
      const { key, load } = loadOf(context.parentURL);
      if (loadOf(specifier).load !== undefined) return { url: specifier, format: "module", shortCircuit: true };
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
      const file = fileURLToPath(url).replace(new RegExp(`\\?${mark}=[\\d-]+$`), "");
      const isScript = context.importAttributes?.type === undefined && /\.(?:[cm]?[jt]s|json)$/.test(file);
      return isScript ? asModule(scriptSource(load, key, url, file)) : next(url, context);
    },
  });
}

function loadOf(url: string | undefined): { readonly key: string; readonly load: Load | undefined } {
  const key = url === undefined ? undefined : new RegExp(`(?:\\?|%3F)${mark}=([\\d-]+)`).exec(url)?.[1];
  return key === undefined ? { key: "", load: undefined } : { key, load: loads.get(key) };
}

function asModule(source: string) {
  return { format: "module" as const, source, shortCircuit: true };
}

const from = (key: string) => `globalThis[Symbol.for("${mark}")].given.get("${key}")`;

/** Makes a module of the names that one file takes of a module of pi: a name has to be exported to be imported. */
function piSource(load: Load, key: string, { pathname, searchParams }: URL): string {
  const specifier = decodeURIComponent(pathname);
  const importer = load.sources.get(searchParams.get("from") ?? "") ?? "";
  const { names, everything } = importedNames(importer, specifier);
  const real = Object.keys(piNames(specifier));
  // All real names are exported for import(), which does not say what it will take.
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

/**
 * Declares the names that pi gives every file, where it uses them without declaring them. They go on the first line, so that line
 * numbers stay.
 */
function usualNames(key: string, text: string): string {
  const imported = new Set(importsOf(text).flatMap(({ names }) => names.map(({ local }) => local)));
  // A name of its own may be the second of a declaration, or taken out of something: `const a = 1, require = …`, `{ require } =
  // …`.
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

type Module = { exports: unknown };

type CommonJs = {
  /** Returns a file's exports; the file runs once. */
  readonly exportsOf: (file: string) => unknown;
  readonly requireFor: (file: string) => (specifier: string) => unknown;
};

/** `require`, with a memory of its own: Node's would give a second load the modules of the first. */
function createCommonJs(key: string, missing: OnUse): CommonJs {
  const { isBuiltin, createRequire } = process.getBuiltinModule("node:module");
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const { dirname, resolve } = process.getBuiltinModule("node:path");
  const known = new Map<string, Module>();

  const requireFor = (from: string) => (specifier: string) => {
    if (isBuiltin(specifier)) return createRequire(from)(specifier);
    if (isPiModule(specifier)) return piModule(specifier, missing);
    const file =
      /^\.{0,2}\//.test(specifier) || specifier === "." ? moduleFile(resolve(dirname(from), specifier)) : null;
    return file && /\.(?:[cm]?[jt]s|json)$/.test(file) ? exportsOf(file) : createRequire(from)(file ?? specifier);
  };

  const exportsOf = (file: string): unknown => {
    const before = known.get(file);
    if (before) return before.exports;
    const { kind, text } = moduleSource(file, readFileSync(file, "utf8"));
    if (kind === "module") return createRequire(file)(requiredUrlOf(file, key));
    const module: Module = { exports: {} };
    known.set(file, module);
    compiled(text, urlOf(file, key)).call(
      module.exports,
      module.exports,
      requireFor(file),
      module,
      file,
      dirname(file),
    );
    return module.exports;
  };

  return { exportsOf, requireFor };
}

/** Makes a proxy that has every name when it is asked for: a require does not say which it will use. */
function piModule(specifier: string, missing: OnUse): unknown {
  return new Proxy(
    { ...piNames(specifier) },
    {
      get: (target, name) =>
        typeof name === "symbol" || name === "then" || name === "__esModule" || name in target
          ? Reflect.get(target, name)
          : piName(specifier, name, missing),
    },
  );
}

/** Compiles a CommonJS file. The import() in it is Node's, whoever compiled the code here. */
function compiled(text: string, url: string): (...given: unknown[]) => unknown {
  const { compileFunction, constants } = process.getBuiltinModule("node:vm");
  const names = ["exports", "require", "module", "__filename", "__dirname"];
  const importing = { importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER };
  return suppressWarning(() =>
    compileFunction(text.replace(/^#!.*/, ""), names, { filename: url, ...importing }),
  ) as never;
}

const { stripTypeScriptTypes } = process.getBuiltinModule("node:module");

/** A script in the form Node can run: without types, and which of the two kinds of module it is. */
type ModuleSource = { readonly kind: "module" | "commonjs"; readonly text: string };

function moduleSource(file: string, written: string): ModuleSource {
  if (file.endsWith(".json"))
    return { kind: "commonjs", text: `module.exports = JSON.parse(${JSON.stringify(written)});` };
  const text = /\.[cm]?ts$/.test(file) ? withoutTypes(javaScript(file, written)) : written;
  return { text, kind: isCommonJs(file, text) ? "commonjs" : "module" };
}

/** Removes the types. Enums and the like are not only types: they need a compiler, which loses line numbers. */
function javaScript(file: string, typeScript: string): string {
  return suppressWarning(() => {
    try {
      return stripTypeScriptTypes(typeScript, { mode: "strip" });
    } catch (error) {
      if ((error as { code?: unknown }).code !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") throw inFile(file, error);
      return stripTypeScriptTypes(typeScript, { mode: "transform" });
    }
  });
}

/** Adds the file to an error of the compiler, which knows only the line. */
function inFile(file: string, error: unknown): unknown {
  if (error instanceof Error && error.stack?.startsWith(":")) error.stack = file + error.stack;
  return error;
}

/** Decides by the file's ending or, where that leaves it open, by its source. No package.json is read: pi reads none. */
function isCommonJs(file: string, text: string): boolean {
  if (/\.c[jt]s$/.test(file)) return true;
  if (/\.m[jt]s$/.test(file) || !/\bmodule\.exports\b|\bexports\.[\w$]+\s*=|\brequire\s*\(/.test(text)) return false;
  return canBeFunction(text);
}

/** Tells whether a source can be the body of a function: one with an import or export of its own cannot, and so is a module. */
function canBeFunction(text: string): boolean {
  try {
    process.getBuiltinModule("node:vm").compileFunction(text.replace(/^#!.*/, ""));
    return true;
  } catch {
    return false;
  }
}

/** Runs code without Node's warning on stderr that a feature is experimental. Every other warning still comes. */
function suppressWarning<Result>(work: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!/is an experimental feature/.test(String(warning))) emitWarning.call(process, warning, ...rest);
  }) as typeof process.emitWarning;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Packages that extensions written for pi import, with their real names; all others are only reported. */
const packages: Readonly<Record<string, () => Readonly<Record<string, unknown>>>> = {
  "@sinclair/typebox": () => typebox(),
  "@mariozechner/pi-ai": () => ({ Type: typebox().Type, StringEnum: stringEnum }),
  "@mariozechner/pi-agent-core": () => ({}),
  "@mariozechner/pi-coding-agent": () => guards,
  "@mariozechner/pi-tui": () => ({ Key: keys }),
};

function isPiModule(specifier: string): boolean {
  return Object.hasOwn(packages, specifier) || specifier.startsWith("@mariozechner/pi-");
}

/** Returns the real names of a module. */
function piNames(specifier: string): Readonly<Record<string, unknown>> {
  return Object.hasOwn(packages, specifier) ? (packages[specifier]?.() ?? {}) : {};
}

/**
 * Returns a name of such a module: the real thing, or a stand-in that can be imported and extended, but neither called nor made.
 */
function piName(specifier: string, name: string, missing: OnUse): unknown {
  const real = piNames(specifier);
  if (Object.hasOwn(real, name)) return real[name];
  missing(`${name}” of “${specifier}`);
  return missingName(specifier, name);
}

function missingName(specifier: string, name: string): unknown {
  // Classes are made from it, so it is a function: an arrow cannot be extended.
  const absent = function absent() {
    throw new Problem(
      "extension-import",
      `“${name}” of “${specifier}” is not here.`,
      "Do without it, or run the extension in pi.",
    );
  };
  return new Proxy(absent, {
    get: (target, key) =>
      typeof key === "symbol" || key === "then" || key in target
        ? Reflect.get(target, key)
        : missingName(specifier, `${name}.${key}`),
  });
}

function typebox(): typeof import("@sinclair/typebox") {
  return requirePackage("@sinclair/typebox", { purpose: "Writing schemas with typebox" });
}

/** Makes an enum in the one form every provider reads. */
function stringEnum(values: readonly string[], options: { description?: string; default?: string } = {}): unknown {
  const { description, default: usual } = options;
  return typebox().Type.Unsafe({
    type: "string",
    enum: [...values],
    ...(description ? { description } : {}),
    ...(usual ? { default: usual } : {}),
  });
}

const ofTool = (tool: string) => (event: { readonly toolName?: unknown }) => event.toolName === tool;

const guards = {
  isToolCallEventType: (tool: string, event: { readonly toolName?: unknown }) => event.toolName === tool,
  isBashToolResult: ofTool("bash"),
  isReadToolResult: ofTool("read"),
  isEditToolResult: ofTool("edit"),
  isWriteToolResult: ofTool("write"),
  isGrepToolResult: ofTool("grep"),
  isFindToolResult: ofTool("find"),
  isLsToolResult: ofTool("ls"),
};

/** Names of keys, so that a shortcut can be asked for, and reported: Key.ctrlAlt("p") is ctrl+alt+p. */
const keys = new Proxy<Record<string, unknown>>(
  {},
  {
    get: (_target, name) => {
      if (typeof name === "symbol" || name === "then") return undefined;
      const together = name.replace(/[A-Z]/g, (letter) => `+${letter.toLowerCase()}`);
      return /^(?:ctrl|shift|alt)/.test(name) ? (key: string) => `${together}+${key}` : name;
    },
  },
);

const { statSync, realpathSync } = process.getBuiltinModule("node:fs");
const { extname, join } = process.getBuiltinModule("node:path");

const endings = [".ts", ".mts", ".js", ".mjs", ".cjs", ".cts", ".json"];
const written: Readonly<Record<string, string>> = { ".js": ".ts", ".mjs": ".mts", ".cjs": ".cts" };

/**
 * Finds the file a relative import means. In TypeScript `./helper` and `./helper.js` mean helper.ts, and a directory its index;
 * Node takes only the exact name.
 */
export function moduleFile(path: string): string | undefined {
  const ending = extname(path);
  const meant = written[ending];
  const candidates = [
    path,
    ...(meant === undefined ? [] : [path.slice(0, -ending.length) + meant]),
    ...endings.map((one) => path + one),
    ...endings.map((one) => join(path, `index${one}`)),
  ];
  const file = candidates.find((one) => statSync(one, { throwIfNoEntry: false })?.isFile());
  return file === undefined ? undefined : realpathSync(file);
}

/** Gets the name of something missing when it is used. */
type OnUse = (name: string) => void;

/**
 * Makes a stand-in for something of pi that is missing here: names at any depth can be read and called, do nothing and return
 * nothing. It is never mistaken for a promise.
 */
function unsupported(name: string, used: OnUse): object {
  const nothing = () => {
    used(name);
    return undefined;
  };
  return new Proxy(nothing, {
    get: (target, key) => (isOwn(target, key) ? Reflect.get(target, key) : unsupported(`${name}.${String(key)}`, used)),
  });
}

/** Wraps an object so that its own names work, and any other is reported as missing. */
export function withUnsupported<Own extends object>(own: Own, prefix: string, used: OnUse): Own {
  return new Proxy(own, {
    get: (target, key) =>
      isOwn(target, key) ? Reflect.get(target, key) : unsupported(`${prefix}${String(key)}`, used),
  });
}

/** Tells whether a name is the object's own. Names of every object count, and those that would make it a promise. */
function isOwn(target: object, key: string | symbol): boolean {
  return typeof key === "symbol" || key === "then" || key === "toJSON" || key in target;
}
