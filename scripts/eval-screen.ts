import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findOverride, type Override } from "../charter/src/amend/override/override.ts";

type Row = {
  readonly text: string;
  readonly technique: string;
  readonly source: string;
  readonly found: Override | undefined;
};
type Count = { readonly name: string; readonly flagged: number; readonly total: number };

/** The techniques whose name says that the attack speaks to the instructions themselves; chosen by name, not by result. */
const direct = ["ignore_previous_instructions", "few_shot_attack", "system_mode", "different_user_input_language"];
const usage = "usage: npm run eval:screen -- <folder> [--misses] [--json]";

function fail(code: string, message: string, hint: string): never {
  process.stderr.write(`${code}: ${message}\n  hint: ${hint}\n`);
  process.exit(2);
}

function readRows(folder: string, name: string): readonly Row[] {
  const file = join(folder, name);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return fail(
      "file-unreadable",
      `cannot read ${file}`,
      `the folder must hold attacks.jsonl and benign.jsonl; ${usage}`,
    );
  }
  return text.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [readRow(line, `${file}:${index + 1}`)]));
}

function readRow(line: string, place: string): Row {
  const hint = 'each line is one JSON object such as {"text":"…","technique":"…","source":"…"}';
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return fail("bad-line", `${place} is not JSON`, hint);
  }
  if (typeof value !== "object" || value === null || !("text" in value) || typeof value.text !== "string") {
    return fail("bad-line", `${place} has no text`, hint);
  }
  const technique = "technique" in value && typeof value.technique === "string" ? value.technique : "(none)";
  const source = "source" in value && typeof value.source === "string" ? value.source : "(none)";
  return { text: value.text, technique, source, found: findOverride(value.text) };
}

function count(name: string, rows: readonly Row[]): Count {
  return { name, flagged: rows.filter((row) => row.found !== undefined).length, total: rows.length };
}

function countBy(rows: readonly Row[], key: "technique" | "source"): readonly Count[] {
  const groups = Map.groupBy(rows, (row) => row[key]);
  return [...groups].map(([name, group]) => count(name, group)).sort((one, other) => (one.name < other.name ? -1 : 1));
}

function percent({ flagged, total }: Count): string {
  return total === 0 ? "–" : `${((100 * flagged) / total).toFixed(1)} %`;
}

function table(title: string, counts: readonly Count[]): string {
  const cells = counts.map((entry) => [entry.name, `${entry.flagged}/${entry.total}`, percent(entry)] as const);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map(([name, share, rate]) => {
    return `  ${name.padEnd(widths[0] ?? 0)}  ${share.padStart(widths[1] ?? 0)}  ${rate.padStart(widths[2] ?? 0)}`;
  });
  return [title, ...lines, ""].join("\n");
}

const oneLine = (text: string): string => text.slice(0, 120).replace(/\s+/gu, " ");

function wordsFound({ text, found }: Row): string {
  return found === undefined ? "" : `[${found.rule}] ${oneLine(text.slice(found.start, found.end))}`;
}

function readArguments(): { readonly folder: string; readonly json: boolean; readonly misses: boolean } {
  try {
    const options = { json: { type: "boolean" }, misses: { type: "boolean" } } as const;
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [folder, ...others] = positionals;
    if (folder !== undefined && others.length === 0) {
      return { folder, json: values.json === true, misses: values.misses === true };
    }
  } catch (error) {
    return fail("bad-arguments", error instanceof Error ? error.message : String(error), usage);
  }
  return fail("bad-arguments", "name one folder", usage);
}

const { folder, json, misses } = readArguments();
const attacks = readRows(folder, "attacks.jsonl");
const benign = readRows(folder, "benign.jsonl");
const summary = {
  attacks: count("all attacks", attacks),
  direct: count(
    "direct overrides",
    attacks.filter((row) => direct.includes(row.technique)),
  ),
  attacksByTechnique: countBy(attacks, "technique"),
  attacksBySource: countBy(attacks, "source"),
  benign: count("all benign", benign),
  benignByTechnique: countBy(benign, "technique"),
  benignBySource: countBy(benign, "source"),
};
const falsePositives = benign.filter((row) => row.found !== undefined);
const missed = attacks.filter((row) => row.found === undefined);

if (json) {
  const listed = { falsePositives, ...(misses ? { missed } : {}) };
  process.stdout.write(`${JSON.stringify({ ...summary, ...listed }, undefined, 2)}\n`);
} else {
  const lines = [
    table("attacks caught, by technique", summary.attacksByTechnique),
    table("attacks caught, by source", [...summary.attacksBySource, summary.direct, summary.attacks]),
    table("benign flagged, by technique", summary.benignByTechnique),
    table("benign flagged, by source", [...summary.benignBySource, summary.benign]),
    ...falsePositives.map((row) => `false positive: ${oneLine(row.text)}\n  ${wordsFound(row)}`),
    ...(misses ? missed.map((row) => `missed (${row.technique}): ${oneLine(row.text)}`) : []),
  ];
  process.stdout.write(`${lines.join("\n").trimEnd()}\n`);
}
