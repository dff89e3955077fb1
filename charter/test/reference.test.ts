import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { code, declarationOf } from "../../scripts/reference/declaration.ts";
import { doorsOf, exportsOf } from "../../scripts/reference/door.ts";
import { withFolderFields } from "../../scripts/reference/folder-table.ts";
import { withCommands, withRoutes } from "../../scripts/reference/operation-table.ts";
import { referenceOf } from "../../scripts/reference/pages.ts";
import { withSettings } from "../../scripts/reference/setting-table.ts";

const home = resolve(import.meta.dirname, "..");
const folder = resolve(home, "../docs/reference");
const { pages, entries } = referenceOf(home);

test("docs/reference is what the comments in the source say; if this fails: npm run reference", () => {
  const written = readdirSync(folder).map((name): [string, string] => [name, readFileSync(join(folder, name), "utf8")]);
  expect(Object.fromEntries(written)).toEqual(Object.fromEntries(pages));
});

test.each([
  ["docs/assistant.md", withSettings],
  ["docs/http.md", withRoutes],
  ["docs/cli.md", withCommands],
  ["docs/charter-folder.md", withFolderFields],
])("the table in %s is what the source says; if this fails: npm run reference", (name, withTable) => {
  const page = readFileSync(resolve(home, "..", name), "utf8");
  expect(withTable(page)).toBe(page);
});

describe.each(doorsOf(home))("$name", ({ name: door, file }) => {
  test("every value that it really gives has an entry, and nothing else has", async () => {
    const given = Object.keys(await import(file));
    const listed = entries.filter((entry) => entry.door === door && entry.kind !== "type").map(({ name }) => name);
    expect(listed.toSorted()).toEqual(given.toSorted());
  });

  test("every export has a heading on its page", () => {
    const page = pages.get(`${door.split("/").at(-1)}.md`);
    expect(exportsOf(file).filter(({ name }) => !page?.includes(`\n### ${name}\n`))).toEqual([]);
  });
});

test("docs/architecture.md names every door", () => {
  const page = readFileSync(resolve(home, "../docs/architecture.md"), "utf8");
  expect(doorsOf(home).filter(({ name }) => !page.includes(`\`${name}\``))).toEqual([]);
});

test("every export says in a sentence what it is for", () => {
  const silent = entries.filter(({ comment }) => !/^\S+ \S+.*[.!](?:\s|$)/s.test(comment));
  expect(silent.map(({ door, name, comment }) => `${door}: ${name}: ${comment}`)).toEqual([]);
});

test("a hint that says where something is had is right", () => {
  const files = readdirSync(join(home, "src"), { recursive: true, encoding: "utf8" }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  );
  const hints = files.flatMap((file) => [
    ...readFileSync(join(home, "src", file), "utf8").matchAll(/await (\w+)\([^\n]*?\)`? of (charter\/\w+)/g),
  ]);
  expect(hints.length).toBeGreaterThan(3);
  const isThere = (name: string, door: string) => entries.some((entry) => entry.name === name && entry.door === door);
  expect(hints.filter(([, name = "", door = ""]) => !isThere(name, door)).map(([words]) => words)).toEqual([]);
});

test("an export stands at one door", () => {
  const doors = Map.groupBy(entries, ({ name }) => name);
  const twice = [...doors].filter(([, those]) => those.length > 1);
  expect(twice.map(([name, those]) => `${name}: ${those.map(({ door }) => door).join(", ")}`)).toEqual([]);
});

/** What TypeScript, JavaScript and the web bring along. */
const everyones = new Set(
  `AbortSignal ArrayLike AsyncIterable Awaited Date Error Exclude Extract Map NodeJS NonNullable Omit Parameters Partial Pick ProcessEnv
   Promise PromiseLike PropertyKey Readonly ReadonlyMap ReadonlySet Record Request Required Response ReturnType Set TransformStream Uint8Array
   URL`.split(/\s+/),
);

test("whoever holds a thing can name it: the types in a signature are exports, or are shown with it", () => {
  const given = new Set(entries.map(({ name }) => name));
  const unknown = entries.flatMap(({ door, name, file, signature }) => {
    const text = code(signature);
    const own = new Set([...declaredNames(text), ...packageNames(readFileSync(file, "utf8"))]);
    const types = [...new Set(text.match(/\b[A-Z]\w*\b/g))];
    return types
      .filter((type) => !given.has(type) && !own.has(type) && !everyones.has(type))
      .map((type) => `${door}: ${name} names ${type}`);
  });
  expect(unknown).toEqual([]);
});

/** The types that are declared in a signature, their parameters, and the keys they are made over. */
function declaredNames(text: string): string[] {
  const declared = [...text.matchAll(/\b(?:type|class|function) (\w+)(?:<([^>]*)>)?/g)].flatMap(
    ([, name = "", parameters = ""]) => [
      name,
      ...parameters.split(",").map((one) => one.trim().split(" ")[0] as string),
    ],
  );
  const generic = [...text.matchAll(/<(\w+) extends /g)].map(([, name = ""]) => name);
  return [...declared, ...generic, ...[...text.matchAll(/\[(\w+) in /g)].map(([, key = ""]) => key)];
}

/** What a file has from other packages. */
function packageNames(text: string): string[] {
  return [...text.matchAll(/import (?:type )?\{([^}]*)\} from "[^."]/g)].flatMap(
    ([, names = ""]) => names.match(/\w+/g) ?? [],
  );
}

describe("how a declaration is read", () => {
  const folder = mkdtempSync(join(tmpdir(), "charter-reference-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const read = (text: string, name = "it", isPublic = (_: string) => false) => {
    writeFileSync(join(folder, "it.ts"), text);
    return declarationOf(join(folder, "it.ts"), name, isPublic);
  };
  const about = "/** It is this. */\n";

  test.each([
    [
      "a function's head, whatever its types hold",
      "export async function it(a: { b: string }): Promise<readonly { c: number }[]> {\n  return [];\n}\n",
      "function it(a: { b: string }): Promise<{ c: number }[]>;",
    ],
    [
      "an argument that is taken apart has the name of its type",
      "export function it({ a = {}, b }: ItOptions, { c }: Sea = {}): void {\n}\n",
      "function it(options: ItOptions, sea: Sea = {}): void;",
    ],
    [
      "a default that is a name of ours makes the argument optional",
      'export function it(a: A = ours, b: (c: C) => D = (c) => c, e: "x" | "y" = "x"): F {\n}\n',
      'function it(a?: A, b?: (c: C) => D, e: "x" | "y" = "x"): F;',
    ],
    [
      "overloads, without the one that has a body",
      "export function it(a: A): B;\nexport function it(a: C): D;\nexport function it(a: A | C): B | D {\n}\n",
      "function it(a: A): B;\nfunction it(a: C): D;",
    ],
    ["a constant's type", "export const it: Guard = ({ a }) =>\n  a;\n", "const it: Guard;"],
    ["a constant's value on one line", 'export const it = "a;b";\n', 'const it = "a;b";'],
    [
      "a type with the comments in it",
      "export type it = {\n  /** A; b. */\n  readonly a?: () => void;\n};\n",
      "type it = {\n  /** A; b. */\n  a?: () => void;\n};",
    ],
    [
      "a class without what it does",
      "export class it extends Error {\n  readonly a: A;\n\n  constructor(a: A) {\n    super();\n  }\n}\n",
      "class it extends Error {\n  a: A;\n\n  constructor(a: A);\n};",
    ],
    [
      "a type that no door gives is shown with it",
      "export type it = { a: B };\nexport type B = (typeof c)[number] | D;\nconst c = [1] as const;\n",
      "type it = { a: B };\ntype B = (typeof c)[number] | D;\nconst c = [1] as const;",
    ],
  ])("%s", (_, text, signature) => {
    expect(read(about + text)).toMatchObject({ signature, comment: "It is this.", examples: [] });
  });

  test("a type that a door gives is not shown again", () => {
    const text = `${about}export type it = { a: B };\nexport type B = 1;\n`;
    expect(read(text, "it", (name) => name === "B").signature).toBe("type it = { a: B };");
  });

  test("tags are no part of the comment: an example is kept, and what is opaque is not shown", () => {
    expect(read("/**\n * It is this.\n *\n * @example it()\n * @opaque\n */\nexport type it = { a: 1 };\n")).toEqual({
      kind: "type",
      signature: "type it = { … };",
      comment: "It is this.",
      examples: ["it()"],
    });
  });

  test("one without a comment, or that is not there, is an error that names it", () => {
    expect(() => read("export type it = 1;\n")).toThrow("“it” in");
    expect(() => read(`${about}\nexport type it = 1;\n`)).toThrow("has no doc comment");
    expect(() => read("/** Of other things. */\nconst a = 1;\nexport type it = 1;\n")).toThrow("has no doc comment");
    expect(() => read(`${about}export type it = 1;\n`, "that")).toThrow("does not declare “that”");
  });

  test("all that is wrong is said at once", () => {
    writeFileSync(
      join(folder, "package.json"),
      '{ "name": "it", "exports": { ".": { "charter-source": "./it.ts" } } }',
    );
    writeFileSync(join(folder, "it.ts"), "export type A = 1;\nexport const b = 1;\n");
    expect(() => referenceOf(folder)).toThrow(/“A” in .*\n“b” in /);
  });

  test("an export in a form that is not understood is an error, never left out", () => {
    const file = join(folder, "door.ts");
    writeFileSync(file, "export type A = 1;\nexport default 1;\n");
    expect(() => exportsOf(file)).toThrow("has 2 exports, of which 1 are understood");
  });
});
