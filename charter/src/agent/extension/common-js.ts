import { moduleFile } from "./module-file.ts";
import { moduleSource } from "./module-source.ts";
import { isPiModule, piName, piNames } from "./pi-names.ts";
import { suppressWarning } from "./suppress-warning.ts";
import type { OnUse } from "./unsupported.ts";

type Module = { exports: unknown };

export type CommonJs = {
  /** What a file exports; it runs once. */
  readonly exportsOf: (file: string) => unknown;
  readonly requireFor: (file: string) => (specifier: string) => unknown;
};

/** `require`, with a memory of its own: Node's would give a second load the modules of the first. */
export function createCommonJs(urlOf: (file: string) => string, missing: OnUse): CommonJs {
  const { isBuiltin, createRequire } = process.getBuiltinModule("node:module");
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const { dirname, resolve } = process.getBuiltinModule("node:path");
  const known = new Map<string, Module>();

  const requireFor = (from: string) => (specifier: string) => {
    if (isBuiltin(specifier)) return createRequire(from)(specifier);
    if (isPiModule(specifier)) return piModule(specifier, missing);
    const file =
      /^\.{0,2}\//.test(specifier) || specifier === "." ? moduleFile(resolve(dirname(from), specifier)) : null;
    return file && /\.[cm]?[jt]s$/.test(file) ? exportsOf(file) : createRequire(from)(file ?? specifier);
  };

  const exportsOf = (file: string): unknown => {
    const before = known.get(file);
    if (before) return before.exports;
    const { kind, text } = moduleSource(file, readFileSync(file, "utf8"));
    if (kind === "module") return createRequire(file)(file);
    const module: Module = { exports: {} };
    known.set(file, module);
    compiled(text, urlOf(file)).call(module.exports, module.exports, requireFor(file), module, file, dirname(file));
    return module.exports;
  };

  return { exportsOf, requireFor };
}

/** Every name is there when it is asked for: a require does not say which it will want. */
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

/** Its own import() is Node's, whoever compiled the code this stands in. */
function compiled(text: string, url: string): (...given: unknown[]) => unknown {
  const { compileFunction, constants } = process.getBuiltinModule("node:vm");
  const names = ["exports", "require", "module", "__filename", "__dirname"];
  const importing = { importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER };
  return suppressWarning(() =>
    compileFunction(text.replace(/^#!.*/, ""), names, { filename: url, ...importing }),
  ) as never;
}
