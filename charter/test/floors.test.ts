import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const source = resolve(import.meta.dirname, "../src");

/** A folder imports itself and the floors below it; neighbours on one floor never import each other. */
const floors: readonly (readonly string[])[] = [
  ["prompt"],
  ["amend", "packages"],
  ["sources", "store", "delivery"],
  ["schedules"],
  ["agent"],
  ["charters"],
  ["host"],
  ["channels"],
  ["operations"],
  ["server"],
  ["cli"],
  ["testing"],
];
const floorOf = (folder: string) => floors.findIndex((folders) => folders.includes(folder));

type Import = { readonly file: string; readonly names: string; readonly from: string };

const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .sort();

const imports: readonly Import[] = files.flatMap((file) => {
  const text = readFileSync(join(source, file), "utf8");
  const found = text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g);
  return [...found].map(([names, from]) => ({ file, names, from: from as string }));
});

const folderOf = (file: string) => file.split("/")[0] as string;
const targetOf = ({ file, from }: Import) => relative(source, resolve(source, dirname(file), from));

test("every folder stands on a floor", () => {
  const folders = new Set(files.filter((file) => file.includes("/")).map(folderOf));
  expect([...folders].filter((folder) => floorOf(folder) === -1)).toEqual([]);
});

test("imports only go down the floors", () => {
  const upward = imports
    .filter(({ file, from }) => from.startsWith(".") && file.includes("/"))
    .filter((one) => !targetOf(one).startsWith(".."))
    .filter((one) => {
      const [here, there] = [folderOf(one.file), folderOf(targetOf(one))];
      return here !== there && floorOf(there) >= floorOf(here);
    });
  expect(upward.map(({ file, from }) => `${file} → ${from}`)).toEqual([]);
});

/** The rooms of a floor, lowest first. What lies beside them on the floor itself, its doors and its words, is open to all. */
const rooms: Readonly<Record<string, readonly (readonly string[])[]>> = {
  amend: [["override"], ["guards"]],
  sources: [["disk"], ["charter-folder"], ["core-memory", "skills", "trust"]],
  store: [
    ["home"],
    ["texts"],
    ["automata", "publications", "turns"],
    ["channels"],
    ["accounts", "amendments", "conversations", "memory", "schedules"],
    ["chain"],
    ["import", "lifecycle", "verify"],
  ],
  delivery: [["models"], ["acp", "converters"]],
  agent: [
    ["attachments", "output", "survival"],
    ["ai", "extension", "mcp", "tools", "turn", "workspace"],
    ["replay", "sdk"],
  ],
  charters: [["artifact", "assistant", "coder", "resident", "sovereign"]],
  host: [["check", "models"]],
  channels: [["editor", "telegram"], ["scheduled"], ["automaton", "chain"]],
  server: [["http"], ["observe"], ["auth", "reference"], ["turns"], ["gateway"]],
  operations: [["print"], ["turns"], ["prompt"], ["approvals", "conversations", "here", "inbox", "sections", "users"]],
  cli: [["terminal"], ["shared"], ["command"], ["help"], ["chat", "demo", "serve"], ["acp"], ["commands"]],
  testing: [["strict"]],
};
const roomOf = (file: string) => (file.split("/").length > 2 ? file.split("/")[1] : undefined);
const heightOf = (folder: string, room: string) => (rooms[folder] ?? []).findIndex((some) => some.includes(room));

test("every room stands on a floor, and imports only go down its rooms", () => {
  const inRooms = files.filter((file) => roomOf(file) !== undefined);
  expect(inRooms.filter((file) => heightOf(folderOf(file), roomOf(file) as string) === -1)).toEqual([]);
  const upward = imports
    .filter(({ from }) => from.startsWith("."))
    .filter((one) => {
      const [here, there] = [roomOf(one.file), roomOf(targetOf(one))];
      if (here === undefined || there === undefined || here === there) return false;
      const [folder, target] = [folderOf(one.file), folderOf(targetOf(one))];
      return folder === target && heightOf(folder, there) >= heightOf(folder, here);
    });
  expect(upward.map(({ file, from }) => `${file} → ${from}`)).toEqual([]);
});

test("only the store asks its database: above it nobody writes SQL", () => {
  const asking =
    /\bsql`|\bdb\.(?:one|all|run)\(|\b(?:select\b[^;]*\bfrom|insert into|delete from|update \w+ set)\s+[a-z_]+\b/;
  const above = files.filter((file) => floorOf(folderOf(file)) > floorOf("store") && file.includes("/"));
  const found = above.flatMap((file) => {
    const code = readFileSync(join(source, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    const line = code.split("\n").find((one) => asking.test(one));
    return line === undefined ? [] : [`${file}: ${line.trim()}`];
  });
  expect(found).toEqual([]);
});

test("no file imports itself, by whatever way round", () => {
  const next = new Map<string, string[]>();
  for (const one of imports)
    if (one.from.startsWith(".")) next.set(one.file, [...(next.get(one.file) ?? []), targetOf(one)]);
  const cycles: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(" → "));
    if (done.has(file)) return;
    done.add(file);
    for (const to of next.get(file) ?? []) walk(to, [...path, file]);
  };
  for (const file of files) walk(file, []);
  expect([...new Set(cycles)]).toEqual([]);
});

test("the two lowest floors touch nothing outside themselves", () => {
  const allowed = new Set(["@lezer/markdown", "@lezer/common"]);
  const outside = imports
    .filter(({ file, from }) => /^(?:prompt|amend)\//.test(file) && !from.startsWith("."))
    .filter(({ from }) => !allowed.has(from));
  expect(outside.map(({ file, from }) => `${file} → ${from}`)).toEqual([]);
  const reaching = files
    .filter((file) => /^(?:prompt|amend)\//.test(file))
    .flatMap((file) => {
      const code = readFileSync(join(source, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
      const found = code.match(
        /\b(?:new Date\(\)|Date\.now|Math\.random|process\.|globalThis|fetch\(|console\.|setTimeout|crypto\.)/,
      );
      return found ? [`${file}: ${found[0]}`] : [];
    });
  expect(reaching).toEqual([]);
});

test("no file is a heap: 700 lines are the most, and words are not utilities", () => {
  const long = files.filter((file) => readFileSync(join(source, file), "utf8").split("\n").length > 701);
  expect(long).toEqual([]);
  expect(files.filter((file) => /(?:utils?|helpers?|types|manager|service)\.ts$/.test(file))).toEqual([]);
});

const studio = resolve(import.meta.dirname, "../../studio/src");
const studioFiles = readdirSync(studio, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .sort();
const studioText = (file: string) => readFileSync(join(studio, file), "utf8");

test("the studio sees of the product what anyone does: its doors", () => {
  const through = studioFiles
    .filter((file) => !file.includes(".test."))
    .flatMap((file) =>
      [...studioText(file).matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, from]) => [file, from as string]),
    )
    .filter(([file, from]) => {
      const path = from as string;
      if (path.startsWith("."))
        return relative(studio, resolve(studio, dirname(file as string), path)).startsWith("..");
      return path.startsWith("charter/src") || path.startsWith("node:") || path.startsWith("charter/bin");
    });
  expect(through.map(([file, from]) => `${file} → ${from}`)).toEqual([]);
});

test("the studio makes nothing of words but words", () => {
  const making =
    /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcDoc|\beval\(|new Function\b|javascript:/;
  expect(studioFiles.filter((file) => !file.includes(".test.") && making.test(studioText(file)))).toEqual([]);
});

test("no file of the studio is a heap either", () => {
  expect(studioFiles.filter((file) => studioText(file).split("\n").length > 701)).toEqual([]);
  expect(studioFiles.filter((file) => /(?:utils?|helpers?|types|manager|service)\.tsx?$/.test(file))).toEqual([]);
});

test("what a charter is, it says itself: no code asks for its name", () => {
  const names = readdirSync(join(source, "charters"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(names).toEqual(["artifact", "assistant", "coder", "resident", "sovereign"]);
  const quoted = new RegExp(`["'\`](?:${names.join("|")})["'\`]|\\b(?:${names.join("|")}):`);
  // The table of names, what a charter calls itself, examples in the API's documentation, the demo's agents, settings from before; a model's role.
  const mayName =
    /^(?:host\/built-in|cli\/demo\/demo-house|server\/schemas\/(?:agent|charter)|operations\/(?:agent-fields|agent-setup|agents|models)|store\/said-charter|charters\/.*)\.ts$/;
  const role = /\brole\b/;
  const asking = (folder: string, all: readonly string[]) =>
    all
      .filter((file) => !mayName.test(file) && !file.includes(".test."))
      .flatMap((file) =>
        readFileSync(join(folder, file), "utf8")
          .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "")
          .split("\n")
          .filter((line) => quoted.test(line) && !role.test(line))
          .map((line) => `${file}: ${line.trim()}`),
      );
  expect([...asking(source, files), ...asking(studio, studioFiles)]).toEqual([]);
});
