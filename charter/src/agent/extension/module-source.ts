import { withoutTypes } from "./import-statement.ts";
import { quietly } from "./quietly.ts";

const { stripTypeScriptTypes } = process.getBuiltinModule("node:module");

/** A script as Node can run it: without types, and which of the two kinds of module it is. */
export type ModuleSource = { readonly kind: "module" | "commonjs"; readonly text: string };

export function moduleSource(file: string, written: string): ModuleSource {
  const text = /\.[cm]?ts$/.test(file) ? withoutTypes(javaScript(written)) : written;
  return { text, kind: isCommonJs(file, text) ? "commonjs" : "module" };
}

/** Enums and the like are not only types: they need a compiler, which loses the place of each line. */
function javaScript(typeScript: string): string {
  return quietly(() => {
    try {
      return stripTypeScriptTypes(typeScript, { mode: "strip" });
    } catch (error) {
      if ((error as { code?: unknown }).code !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") throw error;
      return stripTypeScriptTypes(typeScript, { mode: "transform" });
    }
  });
}

/** By its ending; where that leaves it open, by what it says. No package.json is asked: pi asks none. */
function isCommonJs(file: string, text: string): boolean {
  if (/\.c[jt]s$/.test(file)) return true;
  if (/\.m[jt]s$/.test(file) || /^\s*(?:import\b(?!\s*\()|export\b)/m.test(text)) return false;
  return /\bmodule\.exports\b|\bexports\.[\w$]+\s*=|\brequire\s*\(/.test(text);
}
