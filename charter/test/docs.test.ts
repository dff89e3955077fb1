import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { operationKinds } from "../src/amend/amendment.ts";
import { commands as commandTable } from "../src/operations/commands.ts";
import { charter } from "./cli.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const pages = [
  "README.md",
  "AGENTS.md",
  "CHANGELOG.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** The blocks of code in a page, with the language each is in. */
const blocksOf = (page: string) =>
  [...read(page).matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({
    language: language as string,
    text: text as string,
  }));

/** The command's words in what a shell is given: its name, what comes after it, and its options, without what is quoted. */
const uses = (text: string) =>
  [
    ...text
      .replaceAll(/"[^"]*"|'[^']*'/g, "…")
      .matchAll(/\b(?:npx charter|npm run charter --) ([a-z]+)([^|>;&()$\n#]*)/g),
  ].map(([words, command, more]) => ({
    words,
    command: command as string,
    options: [...(more as string).matchAll(/ (--[a-z-]+)/g)].map((found) => found[1] as string),
  }));

const commands = Object.keys(commandTable);
const helpOf = (command: string) => charter([command, "--help"]).stdout;

test("the README opens with a picture and the twelve lines of the first example, to the letter", () => {
  const [picture, code] = [read("README.md").indexOf("![The Prompt page"), read("README.md").indexOf("```ts")];
  expect(picture > 0 && picture < code).toBe(true);
  const text = blocksOf("README.md").find(({ language }) => language === "ts")?.text ?? "";
  expect(text).toBe(read("examples/01-hello.ts"));
  expect(text.split("\n").filter((line) => line !== "").length).toBeLessThanOrEqual(12);
});

test("docs/README.md has four shelves, and every page of docs/ is on exactly one of them", () => {
  const shelves = read("docs/README.md").split(/^## /m).slice(1);
  expect(shelves.map((shelf) => shelf.split("\n")[0])).toEqual(["Begin", "How to", "Look up", "Why"]);
  const onShelves = shelves.flatMap((shelf) => [...shelf.matchAll(/\]\(([\w-]+\.md)\)/g)].map((found) => found[1]));
  const all = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md") && name !== "README.md");
  expect(onShelves.toSorted()).toEqual(all.toSorted());
});

test("the README and the tour name examples that there are", () => {
  const words = `${read("README.md")}${read("docs/tour.md")}`;
  const files = [...words.matchAll(/npm run (?:--silent )?example (examples\S+)/g)].map((found) => found[1] as string);
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test("every command line in the pages is one that the help knows; they really run among the doors", () => {
  const shown = pages.flatMap((page) =>
    blocksOf(page).flatMap(({ language, text }) => (/^(?:console|sh)$/.test(language) ? uses(text) : [])),
  );
  expect(shown.length).toBeGreaterThan(10);
  const pageOf = new Map(commands.map((command) => [command, helpOf(command)]));
  const wrong = shown.filter(
    ({ command, options }) => !options.every((option) => pageOf.get(command)?.includes(option)) || !pageOf.has(command),
  );
  expect(wrong).toEqual([]);
});

test("every Problem has its line in docs/problems.md, and no line is left over", () => {
  const sources = [
    ...readdirSync(join(root, "charter/src"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .map((file) => `charter/src/${file}`),
    "charter/bin/charter.js",
  ];
  const text = sources.map(read).join("\n");
  const thrown = new Set([...text.matchAll(/new Problem\(\s*"([a-z-]+)"/g)].map((found) => found[1]));
  const tables = sources
    .filter((file) => file.endsWith("-problem.ts"))
    .map(read)
    .join("\n");
  const fromTables = tables.matchAll(/(?:code: |^ {2,4}|=> \[)"([a-z-]+)"[,:]/gm);
  for (const found of fromTables) thrown.add(found[1]);
  if (text.includes("node-too-old:")) thrown.add("node-too-old");
  const documented = [...read("docs/problems.md").matchAll(/^\| `([a-z-]+)` \|/gm)].map((found) => found[1]);
  expect(documented).toEqual([...thrown].sort());
});

test("every guard has its line in docs/guards.md, and every operation stands in docs/cli.md", () => {
  const folder = "charter/src/amend/guards";
  const names = readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
  const files = ["charter/src/amend/guards.ts", ...names.filter((name) => !name.endsWith(".test.ts"))].map(read);
  const guards = [
    ...new Set(files.flatMap((text) => [...text.matchAll(/\bguard: "([a-z-]+)"/g)].map((found) => found[1]))),
  ];
  const documented = [...read("docs/guards.md").matchAll(/^\| `([a-z-]+)` \|/gm)].map((found) => found[1]);
  expect(documented.toSorted()).toEqual(guards.toSorted());
  expect(read("docs/cli.md")).toContain(operationKinds.join("|"));
});

test("every command has a page of help", () => {
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) {
    expect(helpOf(command)).toMatch(new RegExp(`^charter ${command}: `));
  }
});

test("every link between the pages leads somewhere", () => {
  const dead = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)]
      .map((found) => found[1] as string)
      .filter((target) => !existsSync(join(root, dirname(page), target)))
      .map((target) => `${page} → ${target}`),
  );
  expect(dead).toEqual([]);
});

test("AGENTS.md is a map of forty lines at most", () => {
  expect(read("AGENTS.md").trimEnd().split("\n").length).toBeLessThanOrEqual(40);
});
