import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A way into the package, as package.json lists it: what is imported from it, and the file that says what it gives. */
export type Door = { readonly name: string; readonly file: string };

/** A name that a door gives, and where it is declared: the file, and the name it has there. */
export type DoorExport = { readonly name: string; readonly file: string; readonly declared: string };

type Package = { name: string; exports: Record<string, string | { "charter-source"?: string }> };

/** The doors of the package in a folder. Those without a source in TypeScript (a JSON file, say) give no names. */
export function doorsOf(folder: string): Door[] {
  const { name, exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Package;
  return Object.entries(exports).flatMap(([path, target]) => {
    const source = typeof target === "string" ? undefined : target["charter-source"];
    return source?.endsWith(".ts") ? [{ name: join(name, path), file: join(folder, source) }] : [];
  });
}

const ownExport = /^export (?:declare )?(?:abstract )?(?:async )?(?:type|const|function\*?|class|interface) (\w+)/gm;
const passedOn = /^export (?:type )?\{([^}]*)\} from "([^"]+)";$/gm;
const allPassedOn = /^export (?:type )?\* from "([^"]+)";$/gm;

/** Everything a file gives, each name once, in the order of the alphabet. */
export function exportsOf(file: string): DoorExport[] {
  const text = readFileSync(file, "utf8");
  refuseOtherForms(file, text);
  const own = [...text.matchAll(ownExport)].map(([, name = ""]) => ({ name, file, declared: name }));
  const passed = [...text.matchAll(passedOn)].flatMap(([, names = "", from = ""]) => {
    const there = new Map(exportsOf(join(dirname(file), from)).map((found) => [found.name, found]));
    return namesIn(names).map(([outside, inside]) => {
      const found = there.get(inside);
      if (!found) throw new Error(`${file} passes on “${inside}”, which ${from} does not export.`);
      return { ...found, name: outside };
    });
  });
  const all = [...text.matchAll(allPassedOn)].flatMap(([, from = ""]) => exportsOf(join(dirname(file), from)));
  const byName = new Map([...all, ...passed, ...own].map((found) => [found.name, found]));
  return [...byName.values()].sort((one, other) => compare(one.name, other.name));
}

/** `a, type B, c as d` as pairs: the name outside, and the one inside. */
function namesIn(list: string): [outside: string, inside: string][] {
  return list
    .split(",")
    .map((name) => name.trim().replace(/^type /, ""))
    .filter((name) => name !== "")
    .map((name) => {
      const [inside = "", outside = inside] = name.split(" as ");
      return [outside, inside];
    });
}

/** Every line that begins with “export” is of a form that is understood, or this ends here: no name is left out. */
function refuseOtherForms(file: string, text: string): void {
  const understood = [ownExport, passedOn, allPassedOn].flatMap((form) => [...text.matchAll(form)]).length;
  const lines = [...text.matchAll(/^export\b/gm)].length;
  if (lines !== understood) throw new Error(`${file} has ${lines} exports, of which ${understood} are understood.`);
}

function compare(one: string, other: string): number {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  return a < b ? -1 : a > b ? 1 : one < other ? -1 : 1;
}
