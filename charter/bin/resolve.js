import { existsSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";

let used = false;

/**
 * From here on `charter` and its doors (`charter/agent`, …) mean this very package, whatever folder the importing file
 * is in. A user's charter file thus needs no install of its own, and shares its module instances with
 * the command that loads it. In a clone that is the source; in an installed package, the build.
 */
export function useSource() {
  if (used) return;
  used = true;
  const doors = readDoors();
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const url = doors.get(specifier);
      return url === undefined ? nextResolve(specifier, context) : { url, shortCircuit: true };
    },
  });
}

function readDoors() {
  const manifest = new URL("../package.json", import.meta.url);
  const { name, exports } = JSON.parse(readFileSync(manifest, "utf8"));
  const condition = existsSync(new URL("../src/cli/main.ts", import.meta.url)) ? "charter-source" : "default";
  return new Map(
    Object.entries(exports).map(([door, target]) => [name + door.slice(1), new URL(target[condition], manifest).href]),
  );
}
