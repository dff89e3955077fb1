import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { parseArgs } from "node:util";
import { Parser } from "commonmark";
import { inert } from "../charter/src/prompt/fence.ts";
import { placesIn } from "../charter/src/prompt/forgery.ts";
import { controlTokens } from "../charter/src/prompt/sound.ts";
import { nothingForbidden } from "../charter/src/prompt/structure.ts";
import { type Package, packageFiles } from "./screen/packages.ts";
import { allRows } from "./screen/sets.ts";

const usage = `usage: npm run eval:inert -- [folder…] [--show <kind>]
  How much of real texts is escaped when they stand in a prompt: lines beyond the headings and rules that CommonMark sees,
  those of them with a control token of a chat template, and texts of which every code block stays as it is. Without a folder: public texts from the npm registry, and the READMEs
  and sources of what is installed here. --show prints each such line of one kind.`;

/** A text, and what it is by where it lies. */
type Text = { readonly kind: string; readonly name: string; readonly text: string };

/** Public prompts, skills and documentation. They are fetched, never kept in this repository. */
const packages: readonly Package[] = [
  {
    name: "ecc-universal",
    version: "2.0.0",
    sha512: "Dj7vsfOiuBD58OSvRJX8w9vHbyyIS6DxvtSs2LWnUBR2Wn/UeuJ0vwpISfk10VwLpFc6KPIfzdmkPQjPy9QJMw==",
  },
  {
    name: "bmad-method",
    version: "6.12.0",
    sha512: "gbbHo32TxCPwo4Yy70kqykFRwN5UdYqfnDKTsKAsF9m5qtLeoiCgEawj/LuzLBHLrYA0WTOyL/XWtXpgyDonMQ==",
  },
  {
    name: "oh-my-opencode",
    version: "4.19.4",
    sha512: "MlL8JiB9zhpF+Cl7J6ilyuUS39dTzj2d2t14hhaSUc5v4jYldnfEuZfY+43vkPUzfjrWbQOvuPm3kd8yFvtL4g==",
  },
  {
    name: "fastify",
    version: "5.12.8",
    sha512: "moP8exb2sCHLUbJkwp+I6C0padhy4D8lp0SdmzY7HhSdZuqm7O/u3o2aq7u8okaQ//33QDzj3G/u+FsSdB8Qzw==",
  },
  {
    name: "undici",
    version: "8.12.4",
    sha512: "8Mx+uNKKER2bA4AdtedkqRbwUCIJFr2nJckXRe5yrDqzePqwLP7VNcctN8/XdmDSbF7mS+jJKIszlL+vbam1VA==",
  },
];

const root = join(import.meta.dirname, "..");
const cache = join(root, "node_modules/.cache/screen");
const source = /^\.(?:[cm]?[jt]sx?|css|py|c|h|cc|cpp|rs|go|java|rb|sh|pl)$/;

function kindOf(name: string): string | undefined {
  if (/(?:^|\/)SKILL\.md$/.test(name)) return "skills";
  if (/(?:^|\/)readme\.md$/i.test(name)) return "READMEs";
  if (/(?:^|\/)(?:agents|commands|prompts|rules)\/.*\.md$/.test(name)) return "prompts";
  if (name.endsWith(".md")) return "docs";
  return source.test(extname(name)) ? `code, ${extname(name)}` : undefined;
}

function textsIn(folder: string, wanted: (kind: string) => boolean): Text[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry): Text[] => {
    const name = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name.startsWith(".cache") ? [] : textsIn(name, wanted);
    const kind = entry.isFile() ? kindOf(name) : undefined;
    if (kind === undefined || !wanted(kind) || statSync(name).size > 200_000) return [];
    return [{ kind, name, text: readFileSync(name, "utf8") }];
  });
}

function publicTexts(): Text[] {
  const modules = join(root, "node_modules");
  const packed = packages.flatMap((pinned) =>
    [...packageFiles(pinned, cache)].flatMap(([path, text]): Text[] => {
      const kind = kindOf(path);
      return kind === undefined || kind.startsWith("code") ? [] : [{ kind, name: `${pinned.name}/${path}`, text }];
    }),
  );
  const rows = allRows(cache).filter(({ kind, set }) => kind.startsWith("ordinary") && !/oh-my/i.test(set));
  const chats = rows.map(({ set, text }): Text => ({ kind: "chats", name: set, text }));
  const installed = textsIn(modules, (kind) => kind === "READMEs" || kind.startsWith("code"));
  const own = installed.filter(
    ({ kind, name }, index) => !kind.startsWith("code") || (index % 12 === 0 && !/[/.]min\.|\/dist\//.test(name)),
  );
  return [...packed, ...thinned(chats, 1500), ...own];
}

/** So many of them, spread evenly. */
function thinned(texts: readonly Text[], count: number): Text[] {
  const step = Math.max(1, Math.floor(texts.length / count));
  return texts.filter((_, index) => index % step === 0);
}

type Node = {
  type: string;
  level: number;
  literal: string;
  sourcepos: [[number, number], [number, number]] | null;
  _isFenced: boolean;
};
type Walker = { next(): { entering: boolean; node: Node } | null };

function walk(text: string, see: (node: Node) => void): void {
  const walker = (new Parser().parse(text) as { walker(): Walker }).walker();
  for (let step = walker.next(); step; step = walker.next()) if (step.entering) see(step.node);
}

/** The lines a plain CommonMark reader takes for a heading as high as the section's own, or for a rule. */
function headingLines(text: string): Set<number> {
  const lines = new Set<number>();
  walk(text, ({ type, level: high, sourcepos }) => {
    if ((type === "heading" && high <= level) || type === "thematic_break")
      for (let line = sourcepos?.[0][0] ?? 0; line <= (sourcepos?.[1][0] ?? -1); line++) lines.add(line);
  });
  return lines;
}

function codeBlocks(text: string): string {
  const found: string[] = [];
  walk(text, ({ type, literal, _isFenced }) => {
    if (type === "code_block" && _isFenced) found.push(literal);
  });
  return JSON.stringify(found);
}

const level = 2;

function touchedLines(text: string): number[] {
  const { places } = placesIn(text, { ...nothingForbidden, level, rules: true });
  const lines = linesOf(text, places);
  const headings = places.length === 0 ? lines : headingLines(text);
  return [...new Set([...lines].filter((line) => !headings.has(line)).concat(...tokenLines(text)))];
}

/** The lines with a control token of a chat template. */
function tokenLines(text: string): Set<number> {
  return linesOf(text, controlTokens(text));
}

function linesOf(text: string, places: readonly { readonly at: number }[]): Set<number> {
  return new Set(places.map(({ at }) => text.slice(0, at).split("\n").length));
}

let given: { values: { show?: string | undefined }; positionals: string[] };
try {
  given = parseArgs({ options: { show: { type: "string" } }, allowPositionals: true });
} catch (error) {
  process.stderr.write(`bad-arguments: ${error instanceof Error ? error.message : error}\n${usage}\n`);
  process.exit(2);
}
const texts =
  given.positionals.length === 0 ? publicTexts() : given.positionals.flatMap((folder) => textsIn(folder, () => true));
const sound = texts.filter(({ text }) => text.trim() !== "" && text.isWellFormed() && !text.includes("\0"));
const rows = [["kind", "texts", "lines", "touched", "", "tokens", "", "code kept"]];
for (const [kind, ofKind] of [...Map.groupBy(sound, (one) => one.kind)].sort()) {
  let [lines, touched, tokens, kept] = [0, 0, 0, 0];
  for (const { name, text } of ofKind) {
    const own = touchedLines(text);
    lines += text.split("\n").length;
    touched += own.length;
    tokens += tokenLines(text).size;
    if (codeBlocks(text) === codeBlocks(inert(text, { level, rules: true }))) kept++;
    if (given.values.show === kind)
      for (const line of own) process.stdout.write(`${name}:${line}: ${text.split("\n")[line - 1]?.slice(0, 150)}\n`);
  }
  const share = (part: number, whole: number) => `${((100 * part) / whole).toFixed(2)} %`;
  const code = kind.startsWith("code") ? "–" : `${kept} (${share(kept, ofKind.length)})`;
  rows.push([
    kind,
    `${ofKind.length}`,
    `${lines}`,
    `${touched}`,
    share(touched, lines),
    `${tokens}`,
    share(tokens, lines),
    code,
  ]);
}
const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
for (const row of rows)
  process.stdout.write(
    `${row.map((cell, column) => (column === 0 ? cell.padEnd(width(0)) : cell.padStart(width(column)))).join("  ")}\n`,
  );
