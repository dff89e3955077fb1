import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** What a user's file may import although its folder has no packages: what tools say their input with. */
const lent = ["zod"];

let used = false;

/**
 * From here on `charter` and its doors (`charter/agent`, …) mean this very package, whatever folder the importing file
 * is in. A user's charter file thus needs no install of its own, and shares its module instances with
 * the command that loads it. In a clone that is the source; in an installed package, the build. What is lent is found in
 * the file's own project first. Where Node's hooks are missing (in Bun), everything is looked for as usual.
 */
export function useSource() {
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
        return nextResolve(specifier, context);
      } catch (error) {
        if (!isLent(specifier) || !/MODULE_NOT_FOUND$/.test(error.code)) throw error;
        if (!context.conditions?.includes("require"))
          return nextResolve(specifier, { ...context, parentURL: import.meta.url });
        return { url: pathToFileURL(createRequire(import.meta.url).resolve(specifier)).href, shortCircuit: true };
      }
    },
  });
}

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
