import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const source = resolve(import.meta.dirname, "..");

/** The files that are loaded with a file: its imports, and theirs, but no types, and nothing that is loaded on demand. */
function loadedWith(file: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(source, file), "utf8");
  for (const [, names, from] of text.matchAll(/^(?:import|export) (?!type\b)(?:\{([^}]*)\} from )?"([^"]+)";/gm)) {
    const onlyTypes = (names ?? "").split(",").every((name) => name.trim() === "" || name.trim().startsWith("type "));
    if (names !== undefined && onlyTypes) continue;
    if (from?.startsWith(".")) loadedWith(relative(source, resolve(source, dirname(file), from)), found);
    else found.add(from as string);
  }
  return found;
}

test("the door loads nothing but itself and the lowest floor until a store is asked for: it opens in a browser, too", () => {
  const loaded = [...loadedWith("testing/index.ts")];
  expect(loaded).toContain("testing/expect-prompt.ts");
  expect(loaded.filter((file) => !/^(?:testing|prompt)\//.test(file))).toEqual([]);
});
