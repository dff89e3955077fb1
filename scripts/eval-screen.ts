import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findOverride, type Override } from "../charter/src/amend/override/override.ts";
import { type HigherSections, higherThan } from "../charter/src/amend/override/warning.ts";
import { assistant, sovereign } from "../charter/src/charters/index.ts";
import { type Charter, findSection } from "../charter/src/prompt/charter.ts";
import { empty } from "../charter/src/prompt/reading.ts";
import { type Half, type Row, row } from "./screen/rows.ts";
import { allRows } from "./screen/sets.ts";

type Judged = Omit<Row, "kind"> & { readonly kind: string; readonly found: Override | undefined };

const usage = `usage: npm run eval:screen -- [folder] [--misses]
  Without a folder: public texts from the npm registry, in two halves. --misses lists what the screen got wrong in the
  half that may be looked at; the other half is only ever counted.
  With a folder of attacks.jsonl and benign.jsonl ({"text":"…","technique":"…"} a line): all of it, in one column.`;

function fail(code: string, message: string, hint: string): never {
  process.stderr.write(`${code}: ${message}\n  hint: ${hint}\n`);
  process.exit(2);
}

/** Rows of one's own; the techniques whose name says that the attack speaks to the instructions themselves are direct. */
function rowsIn(folder: string): Row[] {
  const direct = ["ignore_previous_instructions", "few_shot_attack", "system_mode", "different_user_input_language"];
  return ["attacks.jsonl", "benign.jsonl"].flatMap((name) => {
    const file = join(folder, name);
    let lines: string[];
    try {
      lines = readFileSync(file, "utf8").split("\n");
    } catch {
      return fail("file-unreadable", `cannot read ${file}`, usage);
    }
    return lines.flatMap((line, index): Row[] => {
      if (line.trim() === "") return [];
      const { text, technique = "(none)" } = objectIn(line, `${file}:${index + 1}`);
      if (typeof text !== "string") return fail("bad-line", `${file}:${index + 1} has no text`, usage);
      const kind = name.startsWith("benign")
        ? "ordinary request"
        : direct.includes(String(technique))
          ? "direct"
          : "other attack";
      return [{ ...row(kind, String(technique), text), half: "looked at" }];
    });
  });
}

function publicRows(): readonly Row[] {
  try {
    return allRows(join(import.meta.dirname, "../node_modules/.cache/screen"));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return fail("texts-unavailable", message, "The texts come from the npm registry: is it within reach?");
  }
}

function objectIn(line: string, place: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {}
  return fail("bad-line", `${place} is not a JSON object`, usage);
}

/** How many of some rows are flagged, and where that share lies nineteen times in twenty (Wilson's interval). */
type Share = { readonly flagged: number; readonly of: number; readonly least: number; readonly most: number };

function shareOf(rows: readonly Judged[], half: Half): Share {
  const those = rows.filter((one) => one.half === half);
  const [of, flagged] = [those.length, those.filter(({ found }) => found !== undefined).length];
  if (of === 0) return { flagged, of, least: 0, most: 1 };
  const [z, rate] = [1.96, flagged / of];
  const middle = rate + (z * z) / (2 * of);
  const width = z * Math.sqrt((rate * (1 - rate)) / of + (z * z) / (4 * of * of));
  const scale = 1 + (z * z) / of;
  return { flagged, of, least: Math.max(0, (middle - width) / scale), most: Math.min(1, (middle + width) / scale) };
}

function shown({ flagged, of, least, most }: Share): string {
  if (of === 0) return "–";
  const percent = (part: number) => (100 * part).toFixed(most < 0.1 ? 2 : 0);
  return `${flagged} of ${of}: ${percent(flagged / of)} % (${percent(least)}–${percent(most)})`;
}

/** A line for each source, the worst of its kind first. No sum: one long list would decide it. */
function table(rows: readonly Judged[]): string {
  const lines = [...Map.groupBy(rows, ({ kind }) => kind)].flatMap(([kind, ofKind]) => {
    const sources = [...Map.groupBy(ofKind, ({ set }) => set)].map(([set, ofSet]) => ({
      name: `${kind}: ${set}`,
      unseen: shareOf(ofSet, "kept unseen"),
      seen: shareOf(ofSet, "looked at"),
    }));
    const badness = ({ unseen, seen }: (typeof sources)[number]) => {
      const { flagged, of } = unseen.of > 0 ? unseen : seen;
      return kind.startsWith("ordinary") ? flagged / of : 1 - flagged / of;
    };
    return sources.sort((one, other) => badness(other) - badness(one));
  });
  const cells = [
    ["flagged", "kept unseen", "looked at"],
    ...lines.map(({ name, unseen, seen }) => [name, shown(unseen), shown(seen)]),
  ];
  const width = (column: number): number => Math.max(...cells.map((line) => line[column]?.length ?? 0));
  return cells
    .map((line) => line.map((cell, at) => (at === 0 ? cell.padEnd(width(at)) : cell.padStart(width(at)))).join("  "))
    .join("\n");
}

/** What the screen got wrong, of the rows that may be read. Whoever wants to read the others has to change this line. */
function mistakes(rows: readonly Judged[]): string[] {
  return rows
    .filter(({ half, kind, found }) => half === "looked at" && kind.startsWith("ordinary") === (found !== undefined))
    .map(({ kind, set, text, found }) => {
      const shown = found === undefined ? text.slice(0, 200) : `[${found.rule}] ${text.slice(found.start, found.end)}`;
      return `${kind}: ${set}: ${shown.replace(/\s+/gu, " ")}`;
    });
}

function knownCharters(): Record<string, HigherSections> {
  const nothing = () => empty;
  const above = (charter: Charter, name: string) => higherThan(charter, findSection(charter, name).section);
  return {
    "as instructions of an assistant": above(assistant().charter, "instructions"),
    "as decisions of a sovereign": above(
      sovereign({ soul: nothing, skills: nothing, now: nothing }).charter,
      "decisions",
    ),
  };
}

function readArguments(): { readonly folder: string | undefined; readonly misses: boolean } {
  try {
    const { values, positionals } = parseArgs({ options: { misses: { type: "boolean" } }, allowPositionals: true });
    return { folder: positionals[0], misses: values.misses === true };
  } catch (error) {
    return fail("bad-arguments", error instanceof Error ? error.message : String(error), usage);
  }
}

const { folder, misses } = readArguments();
const rows = folder === undefined ? publicRows() : rowsIn(folder);
const judged = rows.map((one): Judged => ({ ...one, found: findOverride(one.text) }));
// The guard also knows the names of a charter's sections: ordinary texts are judged with those of two charters too.
for (const [set, higher] of Object.entries(knownCharters()))
  for (const { kind, text, half } of rows)
    if (kind.startsWith("ordinary"))
      judged.push({ kind: "ordinary, names known", set, text, half, found: findOverride(text, higher) });
process.stdout.write(`${[table(judged), ...(misses ? ["", ...mistakes(judged)] : [])].join("\n")}\n`);
