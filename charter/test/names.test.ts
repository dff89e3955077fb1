import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const source = resolve(import.meta.dirname, "../src");
const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .sort();
const textOf = (file: string) => readFileSync(join(source, file), "utf8");

/** Words of the glossary that end like a participle and are nouns all the same. */
const nouns = new Set([
  "Reading",
  "Finding",
  "Standing",
  "Rendering",
  "Opening",
  "Setting",
  "Closing",
  "Heading",
  "Listing",
  "Need",
  "Spending",
  "Finding",
  "Wording",
]);
const participle =
  /^(?:[A-Z][a-z]+(?:ed|ing)|Came|Gone|Kept|Sent|Said|Told|Given|Found|Left|Made|Taken|Begun|Seen|Shown|Written|Known|Went|Ran|Put|Held|Heard|Thought|Broken|Chosen|Drawn|Lost|Met|Paid|Read|Sold|Spent|Stood|Understood|Won)$/;

test("no exported type is a bare participle", () => {
  const bare = files.flatMap((file) =>
    [...textOf(file).matchAll(/^export (?:type|interface|class) (\w+)/gm)]
      .map(([, name]) => name as string)
      .filter((name) => participle.test(name) && !nouns.has(name))
      .map((name) => `${file}: ${name}`),
  );
  expect(bare).toEqual([]);
});

test("a name stands for one thing at all doors", () => {
  const { exports } = JSON.parse(readFileSync(join(source, "../package.json"), "utf8")) as {
    exports: Readonly<Record<string, { readonly "charter-source": string }>>;
  };
  const meanings = new Map<string, Set<string>>();
  for (const { "charter-source": path } of Object.values(exports)) {
    const door = path.replace("./src/", "");
    for (const [name, from] of exportsOf(door)) meanings.set(name, (meanings.get(name) ?? new Set()).add(from));
  }
  expect(
    [...meanings].filter(([, from]) => from.size > 1).map(([name, from]) => `${name}: ${[...from].join(", ")}`),
  ).toEqual([]);
});

test("what is exported is used outside its file", () => {
  const root = resolve(source, "../..");
  const readers = ["charter", "studio", "bench", "examples", "scripts"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(?:tsx?|mjs)$/.test(file) && !/(?:^|\/)(?:node_modules|dist)\//.test(file))
      .map((file) => join(root, folder, file)),
  );
  const used = new Map<string, Set<string>>();
  const use = (from: string, to: string, name: string) => {
    const path = resolve(dirname(from), to);
    used.set(path, (used.get(path) ?? new Set()).add(name));
  };
  for (const file of readers) {
    // The name the studio has for the types of answers.
    const answers = relative(dirname(file), join(source, "server/answers.ts"));
    const text = readFileSync(file, "utf8").replaceAll('"charter/answers"', `"./${answers}"`);
    for (const [, names, to] of text.matchAll(/(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*"(\.[^"]+)"/g))
      for (const name of (names as string).split(","))
        use(
          file,
          to as string,
          name
            .trim()
            .replace(/^type /, "")
            .split(" as ")[0] as string,
        );
    for (const [, to] of text.matchAll(/(?:import\(|\* from |\* as \w+ from )"(\.[^"]+)"/g))
      use(file, to as string, "*");
  }
  const unused = files
    .filter((file) => basename(file) !== "index.ts" && file !== "cli/main.ts")
    .flatMap((file) => {
      const names = used.get(join(source, file)) ?? new Set();
      const own = [...textOf(file).matchAll(/^export (?:async )?(?:type|const|function|class|interface) (\w+)/gm)];
      return names.has("*")
        ? []
        : own.filter(([, name]) => !names.has(name as string)).map(([, name]) => `${file}: ${name}`);
    });
  expect(unused).toEqual([]);
});

/** What a file gives, by name, and the file each is written in. */
function exportsOf(file: string): [name: string, from: string][] {
  const text = textOf(file);
  const own = [
    ...text.matchAll(/^export (?:declare )?(?:async )?(?:type|const|function|class|interface|let) (\w+)/gm),
  ].map(([, name]): [string, string] => [name as string, file]);
  const passed = [...text.matchAll(/export (?:type )?\{([^}]*)\} from "([^"]+)"/g)].flatMap(([, names, from]) => {
    const target = join(dirname(file), from as string);
    const known = new Map(exportsOf(target));
    return (names as string)
      .split(",")
      .map((name) => name.trim().replace(/^type /, ""))
      .filter((name) => name !== "")
      .map((name): [string, string] => {
        const [there, here = there] = name.split(" as ") as [string, string?];
        return [here, known.get(there) ?? target];
      });
  });
  return [...own, ...passed];
}
