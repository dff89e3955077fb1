import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { assemble, type Charter, defineCharter, gather, Problem, type Readings, type Source } from "../../src/index.ts";
import { mended } from "../../src/prompt/sound.ts";
import { type NamedSource, readCharterFiles } from "../../src/sources/charter-folder/charter-files.ts";
import { openCharterFolder } from "../../src/sources/charter-folder/charter-folder.ts";
import { filesOf } from "../../src/sources/charter-folder/write-folder.ts";
import { broken, given, hostile, sectionsOf } from "./generate.ts";

/** A generated charter whose sections read what was generated for them, and texts that no body can hold as they are. */
export const declared = fc
  .tuple(given({ words: hostile }), fc.array(broken, { minLength: 3, maxLength: 3 }))
  .map(([{ charter, readings }, texts]) => ({
    charter: {
      ...charter,
      layers: charter.layers.map((layer, at) => withTexts(layer, readings, texts[at % 3] as string)),
    } as Charter,
    readings,
  }));

function withTexts(layer: Charter["layers"][number], readings: Readings, text: string): Charter["layers"][number] {
  const made = (section: Charter["layers"][number]["sections"][number]) => ({
    ...section,
    ...(section.sources ? { sources: [() => readings[section.name] ?? { status: "empty" as const }] } : {}),
    ...(section.original === undefined ? {} : { original: mended(`${text}${section.original}`) }),
  });
  const { sections, fallback } = layer;
  return { ...layer, sections: sections.map(made), ...(fallback ? { fallback: fallback.map(made) } : {}) };
}

async function outcome(charter: Charter) {
  try {
    const readings = await gather(charter, { now: "2026-02-18T09:00:00Z", tools: [], standing: {} });
    const { text, sections, spans, cuts, omitted, notices } = assemble(defineCharter(charter), readings);
    return { text, sections, spans, cuts, omitted, notices };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { code: error.code, message: error.message };
  }
}

/** The same charter, written as files and read again: from memory, or from a folder on the disk. */
export function throughFiles(charter: Charter, folder?: string): Charter {
  const sources: Record<string, NamedSource> = {};
  const files = filesOf(charter, ({ name, sources: all = [] }) =>
    all.map((read, index) => {
      sources[`${name} ${index}`] = { read: read as Source, trust: "own" };
      return `${name} ${index}`;
    }),
  );
  if (folder === undefined) return readCharterFiles("./generated", files).charter(sources, {});
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  return openCharterFolder(folder).read().charter(sources, {});
}

/** Checks that a charter makes the same prompt in both forms, with the same owners, cuts and notices. */
export async function sameBytes({ charter }: { readonly charter: Charter }, folder?: string): Promise<void> {
  expect(sectionsOf(throughFiles(charter, folder)).length).toBe(sectionsOf(charter).length);
  expect(await outcome(throughFiles(charter, folder))).toEqual(await outcome(charter));
}
