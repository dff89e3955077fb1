import { type Charter, charterFaults, defineCharter, sectionTrust } from "../../prompt/charter.ts";
import { counted, grouped, listed, Problem } from "../../prompt/problem.ts";
import type { Part, Reading, Source, Trust } from "../../prompt/reading.ts";
import type { Layer, Mutability, Section } from "../../prompt/section.ts";
import { readFields as readYaml, splitFrontMatter, yamlLines } from "../front-matter.ts";
import { charterFields, type FieldFault, type Fields, guessOf, readFields, sectionFields } from "./field.ts";
import { isTemplate, parseTemplate, type Template, templateSource } from "./template.ts";

/**
 * The files of a charter, read: `charter.yaml`, which has the layers in order, and a Markdown file for each section. Nothing in
 * them runs. The body of a file is its section's `words` in a fixed layer, its `original` in one that can be amended, and a
 * template in one that is live.
 */
export type CharterFiles = {
  readonly name: string;
  /** Names of the tools its agents have; undefined: all that are offered. */
  readonly tools: readonly string[] | undefined;
  /** Names of the sources its sections read. */
  readonly sources: readonly string[];
  /** The file of each section, by the section's name. */
  readonly files: ReadonlyMap<string, string>;
  /** Makes the charter: with sources by name, and the facts that an agent's settings have. */
  readonly charter: (sources: NamedSources, facts: object) => Charter;
};

/** A source that files may name. Its parts are never trusted more than `trust` says. */
export type NamedSource = {
  readonly read: Source;
  readonly trust: Trust;
  /** Says that it is read from an address, where others may write. */
  readonly isAddress?: true;
};

/** Sources that charters in folders may name, by their names. */
export type NamedSources = Readonly<Record<string, NamedSource>>;

export const charterFile = "charter.yaml";

/** Reads the files of a charter, by their names, with line ends as \n. All faults are named at once, in one Problem. */
export function readCharterFiles(
  place: string,
  files: ReadonlyMap<string, string>,
  faults: readonly string[] = [],
): CharterFiles {
  const all: Fault[] = [...faults];
  const layout = readLayout(files, all);
  const sections = new Map<string, SectionFile>();
  for (const [file, text] of files) {
    const stem = stemOf(file);
    // Without layers, files are read all the same, for what is wrong with their fields.
    const mutability = stem === undefined ? undefined : layout.values.layers ? layout.mutability.get(stem) : "fixed";
    if (stem !== undefined && mutability !== undefined)
      sections.set(stem, readSection({ file, stem, text, mutability }, all));
  }
  const draft: Draft = { layout, sections };
  if (all.length === 0) all.push(...faultsOfCharter(draft));
  if (all.length > 0) throw invalidFiles(place, all);
  const named = [...sections.values()].flatMap(({ sources }) => sources.map(({ name }) => name));
  return {
    name: layout.values.name as string,
    tools: layout.values.tools as readonly string[] | undefined,
    sources: [...new Set(named)],
    files: new Map([...sections.values()].map(({ file, section }) => [section.name, file])),
    charter: (sources, facts) => {
      const unknown = [...sections.values()].flatMap((one) => unknownSources(one, sources));
      if (unknown.length > 0) throw invalidFiles(place, unknown);
      return defineCharter(charterOf(draft, sources, facts));
    },
  };
}

const maxFaults = 50;

/** A fault; a function where finding its words or its line takes time, since only the first are told. */
type Fault = string | (() => string);

function invalidFiles(place: string, faults: readonly Fault[]): Problem {
  const told = faults.slice(0, maxFaults).map((one) => (typeof one === "string" ? one : one()));
  const more = faults.length > maxFaults ? ` There are ${counted(faults.length - maxFaults, "more fault")}.` : "";
  return new Problem(
    "charter-invalid",
    `The charter in ${place} cannot be used. ${told.join(" ")}${more}`,
    "Fix the files; docs/charter-folder.md has every field.",
  );
}

/** What `charter.yaml` says, and the mutability of each section's layer, by the section's file. */
type Layout = FileFields & {
  readonly mutability: ReadonlyMap<string, Mutability>;
};

type LayerEntry = Omit<Layer, "sections" | "fallback"> & {
  readonly sections: readonly string[];
  readonly fallback?: readonly string[];
};

function readLayout(files: ReadonlyMap<string, string>, faults: Fault[]): Layout {
  const text = files.get(charterFile);
  if (text === undefined) {
    faults.push(`There is no ${charterFile}, which names it and its layers.`);
    return { values: {}, at: () => charterFile, mutability: new Map() };
  }
  const { values, at } = readFileFields(
    { file: charterFile, words: text, above: 0, what: "a charter", fields: charterFields },
    faults,
  );
  const stems = new Set([...files.keys()].flatMap((file) => stemOf(file) ?? []));
  const mutability = new Map<string, Mutability>();
  const layers = (values.layers ?? []) as readonly LayerEntry[];
  for (const [index, layer] of layers.entries())
    for (const list of ["sections", "fallback"] as const)
      for (const [number, stem] of (layer[list] ?? []).entries()) {
        const fault = mutability.has(stem) ? () => `names “${stem}” twice.` : fileFault(stem, stems);
        if (fault) faults.push(() => `${at(["layers", index, list, number])}: “${list}” ${fault()}`);
        else mutability.set(stem, layer.mutability);
      }
  if (values.layers !== undefined)
    for (const stem of stems)
      if (!mutability.has(stem) && !/^readme$/i.test(stem))
        faults.push(`${stem}.md is in no layer: name it in ${charterFile}, or take it out of the folder.`);
  return { values, at, mutability };
}

/** The name of a section's file without its ending; undefined for any other file. */
function stemOf(file: string): string | undefined {
  return file.endsWith(".md") ? file.slice(0, -3) : undefined;
}

function fileFault(stem: string, stems: ReadonlySet<string>): (() => string) | undefined {
  if (stems.has(stem)) return undefined;
  return () => {
    const bare = stem.replace(/^\.\//, "").replace(/\.md$/i, "");
    const guess = guessOf(bare, stems.has(bare) ? [bare] : [...stems]);
    return `names “${stem.slice(0, 60)}”, and there is no file ${stem.slice(0, 60)}.md in the folder.${guess}`;
  };
}

type FieldsFile = {
  readonly file: string;
  readonly words: string;
  /** Number of lines of the file above the fields. */
  readonly above: number;
  readonly what: string;
  readonly fields: Fields;
};

type FileFields = {
  readonly values: Readonly<Record<string, unknown>>;
  /** Names the place of a value, for a fault: its file and line. */
  readonly at: (path: FieldFault["path"]) => string;
};

/** Most characters of a file's fields: to parse YAML takes a hundred times as long as to read the words under it. */
const maxFieldsChars = 65_536;

function readFileFields({ file, words, above, what, fields }: FieldsFile, faults: Fault[]): FileFields {
  const lineOf = yamlLines(words);
  const at: FileFields["at"] = (path) => `${file}, line ${lineOf(path) + above}`;
  if (words.length > maxFieldsChars) {
    faults.push(`${file} has more than ${grouped(maxFieldsChars)} characters of fields.`);
    return { values: {}, at };
  }
  const parsed = readYaml(words);
  if (!("fields" in parsed)) {
    faults.push(`${file}, line ${parsed.line + above}: this is not valid YAML: ${parsed.reason}. ${parsed.advice}`);
    return { values: {}, at };
  }
  const read = readFields(parsed.fields, { what, fields });
  for (const { path, fault } of read.faults) faults.push(() => `${at(path)}: ${fault()}`);
  return { values: read.values, at };
}

/** A section's file: its fields without sources, its template if it has one, and the sources it names. */
type SectionFile = {
  readonly file: string;
  readonly section: Section;
  readonly template: Template | undefined;
  readonly sources: readonly SourceName[];
  readonly mutability: Mutability;
  /** All its fields, those of sources among them. */
  readonly fields: FileFields;
};

type SourceName = { readonly name: string; readonly trust?: Trust };

function readSection(
  {
    file,
    stem,
    text,
    mutability: layer,
  }: { readonly file: string; readonly stem: string; readonly text: string; readonly mutability: Mutability },
  faults: Fault[],
): SectionFile {
  const split = splitFrontMatter(text, false);
  const open = "status" in split && split.status === "open";
  if (open) faults.push(`${file}, line 1: the fields are never closed. Add a line “---” after the last one.`);
  const { words, rest } = "status" in split ? { words: "", rest: open ? "" : text } : split;
  const fields = { file, words, above: 1, what: "a section", fields: sectionFields };
  const { values, at } = words.trim() === "" ? { values: {}, at: () => file } : readFileFields(fields, faults);
  const { sources = [], ...given } = values as {
    readonly sources?: readonly (string | SourceName)[];
  } & Partial<Section>;
  const body = rest.replace(/^\n+|\n+$/g, "");
  const bodyLine = text.slice(0, text.length - rest.length).split("\n").length + (/^\n*/.exec(rest)?.[0].length ?? 0);
  const mutability = given.mutability ?? layer;
  const own =
    body === ""
      ? {}
      : mutability === "live" && isTemplate(body)
        ? { template: body }
        : { [bodyField(mutability)]: body };
  for (const field of Object.keys(own))
    if (field in given)
      faults.push(
        `${at([field])}: “${field}” is given here, and the file has a body, which is the same. Leave one of them out.`,
      );
  let template: Template | undefined;
  if ("template" in own) {
    const parsed = parseTemplate(body);
    template = parsed.template;
    for (const { line, fault } of parsed.faults) faults.push(`${file}, line ${bodyLine + line - 1}: ${fault}`);
    if (given.separator !== undefined)
      faults.push(`${at(["separator"])}: “separator” would come between the lines of a template. Leave it out.`);
  }
  const { template: _, ...literal } = own as { readonly template?: string };
  return {
    file,
    section: { name: stem, ...given, ...literal } as Section,
    template,
    sources: sources.map((one) => (typeof one === "string" ? { name: one } : one)),
    mutability,
    fields: { values, at },
  };
}

/** The field that the body of a section's file is. */
export function bodyField(mutability: Mutability): "words" | "original" {
  return typeof mutability === "object" ? "original" : "words";
}

function unknownSources({ fields, sources }: SectionFile, known: NamedSources): Fault[] {
  const names = Object.keys(known);
  const faultOf = (name: string, index: number) => () => {
    const there = names.length === 0 ? "it has none" : `it has ${listed(names)}`;
    const shown = name.slice(0, 60);
    return `${fields.at(["sources", index])}: there is no source “${shown}” in the configuration; ${there}.${guessOf(name, names)}`;
  };
  return sources.flatMap(({ name }, index) => (Object.hasOwn(known, name) ? [] : [faultOf(name, index)]));
}

type Draft = { readonly layout: Layout; readonly sections: ReadonlyMap<string, SectionFile> };

function charterOf({ layout, sections }: Draft, sources: NamedSources, facts: object): Charter {
  const {
    tools: _,
    layers,
    ...charter
  } = layout.values as { readonly layers: readonly LayerEntry[] } & Record<string, unknown>;
  const made = (stems: readonly string[], layer: LayerEntry) =>
    stems.map((stem) => sectionOf(sections.get(stem) as SectionFile, layer, sources, facts));
  return {
    ...charter,
    layers: layers.map(({ sections: own, fallback, ...layer }) => ({
      ...layer,
      sections: made(own, { ...layer, sections: own }),
      ...(fallback ? { fallback: made(fallback, { ...layer, sections: own }) } : {}),
    })),
  } as unknown as Charter;
}

const ranks: readonly Trust[] = ["foreign", "user", "own"];

function lowest(...trusts: readonly Trust[]): Trust {
  return ranks.find((rank) => trusts.includes(rank)) ?? "own";
}

/** Makes a section with its sources: the template's, then those it names. What a source says is lowered, and never raised. */
function sectionOf(file: SectionFile, layer: LayerEntry, known: NamedSources, facts: object): Section {
  const { section, template, sources: names, fields } = file;
  if (template === undefined && !("sources" in fields.values)) return section;
  const declared = sectionTrust(section, layer as unknown as Layer);
  const ceilings = names.map((one) => lowest(known[one.name]?.trust ?? "foreign", one.trust ?? "own"));
  const own = lowest(declared, ...(template ? (["user"] as const) : []), ...ceilings);
  const sources: Source[] = names.map(({ name }, index) =>
    loweredSource(known[name]?.read ?? (() => ({ status: "empty" })), {
      declared,
      ceiling: ceilings[index] as Trust,
      own,
    }),
  );
  if (template)
    sources.unshift(templateSource(template, { facts, trust: declared === "foreign" ? "foreign" : "user" }));
  const isSaid = section.trust !== undefined || names.every((one) => one.trust !== undefined);
  return { ...section, ...(isSaid ? { trust: own } : {}), sources };
}

type Lowering = { readonly declared: Trust; readonly ceiling: Trust; readonly own: Trust };

/** Wraps a source, so that none of its parts is trusted more than its ceiling. The same reading stays the same object. */
function loweredSource(read: Source, { declared, ceiling, own }: Lowering): Source {
  const lowered = new WeakMap<Part, Part>();
  const known = new WeakMap<Reading, Reading>();
  const lowerPart = (part: Part): Part => {
    const trust = lowest(part.trust ?? declared, ceiling);
    if (trust === (part.trust ?? own)) return part;
    const made = lowered.get(part) ?? { ...part, trust };
    lowered.set(part, made);
    return made;
  };
  const lower = (reading: Reading): Reading => {
    if (Object(reading).status !== "present" || !Array.isArray((reading as { parts?: unknown }).parts)) return reading;
    const made = known.get(reading) ?? lowerReading(reading as Extract<Reading, { status: "present" }>, lowerPart);
    known.set(reading, made);
    return made;
  };
  return (turn) => {
    const reading = read(turn);
    return reading instanceof Promise ? reading.then(lower) : lower(reading as Reading);
  };
}

function lowerReading(reading: Extract<Reading, { status: "present" }>, lowerPart: (part: Part) => Part): Reading {
  const parts = reading.parts.map((part) => (typeof part === "object" && part !== null ? lowerPart(part) : part));
  return parts.every((part, index) => part === reading.parts[index]) ? reading : { ...reading, parts };
}

/** Lists what the charter's own checks object to, each with the file it is about. */
function faultsOfCharter(draft: Draft): Fault[] {
  const stub: NamedSource = { read: () => ({ status: "empty" }), trust: "own" };
  const names = [...draft.sections.values()].flatMap(({ sources }) => sources.map(({ name }) => name));
  const charter = charterOf(draft, Object.fromEntries(names.map((name) => [name, stub])), {});
  return charterFaults(charter).map((fault) => () => `${placeOf(fault, draft)}: ${fault}`);
}

/** Finds the file a fault is about, by the section it names first, and the line of the field it names. */
function placeOf(fault: string, { layout, sections }: Draft): string {
  const named = fault.replace(/^The fixed section /, "");
  const about = [...sections.values()].find(({ section }) => named.startsWith(`“${section.name}”`));
  const { values, at } = about?.fields ?? layout;
  const fields = Object.keys(about ? sectionFields : charterFields);
  const field = fields.find((name) => name in values && new RegExp(`\\b${name}\\b`).test(fault));
  return field === undefined ? (about?.file ?? charterFile) : at([field]);
}
