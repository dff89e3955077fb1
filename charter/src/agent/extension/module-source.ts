import { withoutTypes } from "./import-statement.ts";
import { suppressWarning } from "./suppress-warning.ts";

const { stripTypeScriptTypes } = process.getBuiltinModule("node:module");

/** A script as Node can run it: without types, and which of the two kinds of module it is. */
type ModuleSource = { readonly kind: "module" | "commonjs"; readonly text: string };

export function moduleSource(file: string, written: string): ModuleSource {
  const text = /\.[cm]?ts$/.test(file) ? withoutTypes(javaScript(file, written)) : written;
  return { text, kind: isCommonJs(file, text) ? "commonjs" : "module" };
}

/** Enums and the like are not only types: they need a compiler, which loses the place of each line. */
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

/** The compiler knows the line, but not which file it was given. */
function inFile(file: string, error: unknown): unknown {
  if (error instanceof Error && error.stack?.startsWith(":")) error.stack = file + error.stack;
  return error;
}

/** By its ending; where that leaves it open, by what it says. No package.json is asked: pi asks none. */
function isCommonJs(file: string, text: string): boolean {
  if (/\.c[jt]s$/.test(file)) return true;
  if (/\.m[jt]s$/.test(file) || !/\bmodule\.exports\b|\bexports\.[\w$]+\s*=|\brequire\s*\(/.test(text)) return false;
  return canBeFunction(text);
}

/** An import or export of its own can stand in no function: then it is a module, whatever else it says. */
function canBeFunction(text: string): boolean {
  try {
    process.getBuiltinModule("node:vm").compileFunction(text.replace(/^#!.*/, ""));
    return true;
  } catch {
    return false;
  }
}
