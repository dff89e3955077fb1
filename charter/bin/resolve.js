import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

/** What a user's file may import although its folder has no packages: what tools say their input with. */
const lent = ["zod"];

/** Users' files, by their URLs, and those they import of their own. */
const files = new Set();
let used = false;

/**
 * From here on `charter` and its doors (`charter/agent`, …) mean this very package, whatever folder the importing file
 * is in. A user's charter file thus needs no install of its own, and shares its module instances with
 * the command that loads it. In a clone that is the source; in an installed package, the build. What is lent is found in
 * the file's own project first. Where Node's hooks are missing (in Bun), everything is looked for as usual.
 */
export function useSource(file) {
  if (file !== undefined) files.add(pathToFileURL(realpathSync(fileURLToPath(file))).href);
  if (used) return;
  used = true;
  const { registerHooks } = process.getBuiltinModule("node:module");
  if (registerHooks === undefined) return;
  const doors = readDoors();
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const url = doors.get(specifier);
      if (url !== undefined) return { url, shortCircuit: true };
      try {
        return asWritten(nextResolve(specifier, context), context);
      } catch (error) {
        if (!isLent(specifier) || !/MODULE_NOT_FOUND$/.test(error.code)) throw error;
        if (!context.conditions?.includes("require"))
          return nextResolve(specifier, { ...context, parentURL: import.meta.url });
        return { url: pathToFileURL(createRequire(import.meta.url).resolve(specifier)).href, shortCircuit: true };
      }
    },
  });
}

/** The users' files that were imported, as URLs: whoever they are from is trusted with all this process may do. */
export function usedFiles() {
  return [...files];
}

/**
 * A file that imports and exports is a module, also in a project that says of itself that it has none: npm init writes
 * that into every package.json.
 */
function asWritten(found, { parentURL }) {
  const own = files.has(found.url) || (files.has(parentURL) && !found.url.includes("/node_modules/"));
  if (!own || !found.format?.startsWith("commonjs") || /\.c[jt]s$/.test(found.url)) return found;
  const text = readFileSync(fileURLToPath(found.url), "utf8");
  if (!statement.test(text) || oldExport.test(text)) return found;
  files.add(found.url);
  return { ...found, format: found.format.replace("commonjs", "module") };
}

const statement =
  /^(?:import\s*[\w${*"']|export\s+(?:default\b|const\b|let\b|async\b|function\b|class\b|type\b|[{*]))/m;

/** Where this stands, the other is in a comment or a text. */
const oldExport = /^(?:module\.)?exports\b[\w.[\]"']*\s*=/m;

function isLent(specifier) {
  return lent.some((name) => specifier === name || specifier.startsWith(`${name}/`));
}

function readDoors() {
  const manifest = new URL("../package.json", import.meta.url);
  const { name, exports } = JSON.parse(readFileSync(manifest, "utf8"));
  const condition = existsSync(new URL("../src/cli/main.ts", import.meta.url)) ? "charter-source" : "default";
  return new Map(
    Object.entries(exports).map(([door, target]) => [name + door.slice(1), new URL(target[condition], manifest).href]),
  );
}
