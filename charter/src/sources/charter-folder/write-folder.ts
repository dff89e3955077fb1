import type { Charter } from "../../prompt/charter.ts";
import { headings } from "../../prompt/passage.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import { type Mutability, mutabilityName, type Section } from "../../prompt/section.ts";
import { yaml } from "../front-matter.ts";
import { bodyField, charterFile } from "./charter-files.ts";
import { layerFields, sectionFields } from "./field.ts";
import { isTemplate } from "./template.ts";

const { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, rmdirSync, statSync, writeFileSync } =
  process.getBuiltinModule("node:fs");
const { basename, dirname, join, resolve } = process.getBuiltinModule("node:path");

/** Names the sources of a section, which are functions and cannot be written. */
type SourceNames = (section: Section) => readonly string[];

/** Writes a charter as the files of a folder, by their names. Functions are left out; sources are written by name. */
export function filesOf(charter: Charter, sourceNames: SourceNames = () => []): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const stems = createStems();
  const written = (sections: readonly Section[], layer: Mutability) =>
    sections.map((section) => {
      const stem = stems(section.name);
      files.set(`${stem}.md`, sectionFile(section, stem, section.mutability ?? layer, sourceNames(section)));
      return stem;
    });
  const { layers, ...top } = charter;
  const layout = {
    ...top,
    layers: layers.map((layer) => ({
      ...knownFields(layer, layerFields),
      sections: written(layer.sections, layer.mutability),
      ...(layer.fallback ? { fallback: written(layer.fallback, layer.mutability) } : {}),
    })),
  };
  return new Map([[charterFile, yamlText(layout)], ...files]);
}

function sectionFile(section: Section, stem: string, mutability: Mutability, sources: readonly string[]): string {
  const field = bodyField(mutability);
  const body = section[field];
  const isBody = body !== undefined && isPlain(body) && !(mutability === "live" && isTemplate(body));
  const { sources: given, ...fields } = knownFields(section, sectionFields);
  if (fields.name === stem) delete fields.name;
  if (isBody) delete fields[field];
  if (given !== undefined) fields.sources = sources;
  const front =
    Object.keys(fields).length === 0 && !(isBody && body.startsWith("---")) ? "" : `---\n${yamlText(fields)}---\n\n`;
  return `${front}${isBody ? `${body}\n` : ""}`;
}

/** Tells whether a text may be a body: it is read back as it is. Any other is a field, where YAML escapes it. */
function isPlain(text: string): boolean {
  return text !== "" && text.isWellFormed() && !/^\n|\n$|[\r\0]|^\uFEFF/.test(text);
}

function knownFields(given: object, fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => value !== undefined && Object.hasOwn(fields, name)),
  );
}

function yamlText(value: object): string {
  if (Object.keys(value).length === 0) return "";
  // In a block or over several lines, the library changes lines that are nothing but blanks.
  const onOneLine = {
    lineWidth: 0,
    blockQuote: false,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  } as const;
  return yaml().stringify(value, { version: "1.2", ...onOneLine });
}

/** Makes file names of the names of sections: small letters that every disk has, each name once. */
function createStems(): (name: string) => string {
  const taken = new Set<string>();
  return (name) => {
    const plain = name
      .normalize("NFKD")
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 60);
    const first =
      plain === "" || /^(?:readme|con|prn|aux|nul|(?:com|lpt)\d)$/.test(plain)
        ? `section-${plain}`.replace(/-$/, "")
        : plain;
    for (let number = 1; ; number++) {
      const stem = number === 1 ? first : `${first}-${number}`;
      if (taken.has(stem)) continue;
      taken.add(stem);
      return stem;
    }
  };
}

/**
 * Makes a charter of a text: one fixed section for each of its highest headings, which together are the text to the letter; one
 * for all of it where they would not be.
 */
export function charterOfText(name: string, given: string): Charter {
  const text = given
    .replace(/^\uFEFF/, "")
    .replace(/\r\n?/g, "\n")
    .replace(/^\n+|\s+$/g, "");
  if (text === "")
    throw new Problem(
      "usage",
      "The text is empty: there is nothing to make a charter of.",
      "Give a file with the words of a prompt.",
    );
  const all = headings(text);
  const level = Math.min(...all.map((heading) => heading.level));
  const starts = all.filter((heading) => heading.level === level).map(({ start }) => start);
  const cuts = [...new Set([0, ...starts])];
  const pieces = cuts.map((start, index) => text.slice(start, cuts[index + 1] ?? text.length).replace(/\n+$/, ""));
  const split = pieces.length > 1 && pieces.join("\n\n") === text && pieces.every((piece) => piece !== "");
  const stems = createStems();
  const sections = (split ? pieces : [text]).map((words) => {
    const title = split ? headings(words)[0]?.title : "prompt";
    return { name: stems(title ?? "opening"), words };
  });
  return { name, layers: [{ name: "rules", mutability: "fixed", sections }] };
}

/** Writes a folder whole or not at all; one with something in it is never written to. */
export function writeCharterFolder(path: string, files: ReadonlyMap<string, string>): void {
  const folder = resolve(path);
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats && (!stats.isDirectory() || readdirSync(folder).length > 0))
    throw new Problem(
      "usage",
      `There is something at ${path} already. Nothing was written.`,
      "Name a folder that is not there yet.",
    );
  try {
    mkdirSync(dirname(folder), { recursive: true });
    const beside = mkdtempSync(join(dirname(folder), `.${basename(folder)}-`));
    try {
      for (const [name, text] of files) writeFileSync(join(beside, name), text, { flag: "wx" });
      if (stats) rmdirSync(folder);
      renameSync(beside, folder);
    } catch (error) {
      rmSync(beside, { recursive: true, force: true });
      throw error;
    }
  } catch (error) {
    throw new Problem(
      "unwritable",
      `The folder ${path} could not be written: ${reasonOf(error)}`,
      "Check the path and its permissions.",
    );
  }
}

/** A folder to begin with, where there is no text yet: words of the operator's, a text that agents may change, and a fact. */
export function firstCharter(name: string): Charter {
  return {
    name,
    layers: [
      {
        name: "rules",
        mutability: "fixed",
        sections: [
          { name: "rules", heading: "## Rules", words: "You are helpful, and say so when you do not know something." },
        ],
      },
      {
        name: "own",
        mutability: { amendableBy: ["agent", "operator"], scope: "user" },
        sections: [{ name: "goals", heading: "## Goals", original: "None yet." }],
      },
    ],
  };
}

/** Lists the sections of a charter with their files, for whoever made it: what is fixed, and how long it is. */
export function sectionList(charter: Charter): { file: string; section: string; mutability: string; chars: number }[] {
  const stems = createStems();
  return charter.layers.flatMap(({ sections, mutability }) =>
    sections.map((section) => ({
      file: `${stems(section.name)}.md`,
      section: section.name,
      mutability: mutabilityName(section.mutability ?? mutability),
      chars: [...(section.words ?? section.original ?? "")].length,
    })),
  );
}
