import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { doorsOf, exportsOf } from "../../scripts/reference/door.ts";

const root = resolve(import.meta.dirname, "../..");

/** A block of TypeScript in a page: where it begins, and the file it says it is. */
type Block = { readonly page: string; readonly line: number; readonly name?: string; readonly text: string };

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, "docs", page), "utf8");
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(({ index, 1: code = "" }) => {
    const name = /^\/\/ ([\w./-]+\.ts)\n/.exec(code)?.[1];
    return { page, line: text.slice(0, index).split("\n").length, text: code, ...(name ? { name } : {}) };
  });
}

/** What the text around a block speaks of, and the block takes for granted. Any name that a door gives is, too. */
const granted: Readonly<Record<string, string>> = {
  store: 'import("charter/store").Store',
  charter: 'import("charter").Charter',
  scope: 'import("charter").Scope',
  prompt: 'import("charter").Prompt',
  agent: 'import("charter/agent").Agent',
  model: 'import("charter/delivery").Model',
  receiver: 'import("charter/delivery").Receiver',
  baseline: 'import("charter/delivery").Baseline',
  usage: 'import("charter/delivery").Usage',
  calls: 'import("charter/delivery").ToolCall[]',
  host: 'import("charter/host").Host',
  readMail: 'import("charter/agent").Tool',
  readNotes: 'import("charter").Source',
  readFileSync: 'typeof import("node:fs").readFileSync',
  confirm: "(sentence: string, details: readonly string[], signal: AbortSignal) => Promise<boolean>",
  language: 'Exclude<import("ai").LanguageModel, string>',
  result: 'import("charter/store").StepResult',
  dispatchesForDead: "() => []",
  acknowledge: "() => void",
  send: "(piece: object) => Promise<void>",
  tainted: "boolean",
  micros: "number",
  ...textsNamed("input reply text session day at cwd home user token address body turn inAMinute"),
};

/** In these pages the name of a thing is meant where others mean the thing. */
const grantedOn: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "store.md": textsNamed("agent receiver"),
};

function textsNamed(names: string): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name) => [name, "string"]));
}

const doors = doorsOf(join(root, "charter")).flatMap(({ name: door, file }) =>
  exportsOf(file).map(({ name }) => [name, door] as const),
);

/** The block with declarations of what it takes for granted on its first line, so that lines stay as they are in the page. */
function wholeText({ page, text }: Block): string {
  const isFree = (name: string) =>
    new RegExp(`(?<![\\w"'/-]|(?<!\\.\\.)\\.)${name}\\b(?!["'-]|\\??:)`).test(text) &&
    !new RegExp(
      `(?:const|let|function|type) ${name}\\b|(?:import|const)[^;=]*[{,[]\\s*(?:type )?${name}\\b[^;=]*(?:from|=)|[(,{] *${name}\\b[^()]*\\) *(?:=>|\\{)`,
    ).test(text);
  const given = Object.entries({ ...granted, ...grantedOn[page] }).filter(([name]) => isFree(name));
  const known = doors.filter(([name]) => !Object.hasOwn(granted, name) && isFree(name));
  return [
    ...given.map(([name, type]) => `declare const ${name}: ${type};`),
    ...known.map(([name, door]) =>
      /^[A-Z]/.test(name)
        ? `type ${name} = import("${door}").${name};`
        : `declare const ${name}: typeof import("${door}").${name};`,
    ),
    /^(?:import|export) /m.test(text) ? text : `export {}; ${text}`,
  ].join(" ");
}

/** Compiles every TypeScript block of the pages at once, and says what is wrong with them, by page and line. */
export async function compileBlocks(): Promise<{ readonly blocks: number; readonly faults: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "charter-docs-"));
  const blocks = readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .flatMap(blocksOf);
  const places = new Map(blocks.map((block, index) => [fileOf(block, index), block]));
  try {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
    const options = { ...compilerOptions, paths: {} };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["."] }));
    for (const [file, block] of places) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), block.name ? block.text : wholeText(block));
    }
    return { blocks: blocks.length, faults: faultsIn(await typeErrors(folder), places) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function fileOf({ page, name }: Block, index: number): string {
  return join(page.replace(".md", ""), name ?? `block-${index}.ts`);
}

async function typeErrors(folder: string): Promise<string> {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  try {
    await promisify(execFile)(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { cwd: folder });
    return "";
  } catch (error) {
    const { stdout } = error as { readonly stdout?: string };
    // What names no block of ours is no finding: the compiler itself could not do its work.
    if (!stdout || /^error /m.test(stdout)) throw error;
    return stdout;
  }
}

/** Packages that only some readers have are not looked into, nor what would follow from their types. */
const foreignPackage = /^TS2307: Cannot find module '(?![.]|charter\b)|^TS70(?:06|31): /;

function faultsIn(errors: string, places: ReadonlyMap<string, Block>): string[] {
  const found = [...errors.matchAll(/^(\S+)\((\d+),\d+\): error (.*)$/gm)];
  return found.flatMap(([all, file = "", line, message = ""]) => {
    const block = places.get(file);
    if (foreignPackage.test(message)) return [];
    return [block ? `docs/${block.page}:${block.line + Number(line)}: ${message}` : all];
  });
}
