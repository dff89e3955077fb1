import { oneLine } from "../../prompt/character.ts";
import { placesIn } from "../../prompt/forgery.ts";
import {
  empty,
  type Part,
  present,
  type Source,
  type SourceContext,
  type Trust,
  unavailable,
} from "../../prompt/reading.ts";
import { nothingForbidden } from "../../prompt/structure.ts";

/**
 * A template of a live section: plain lines, and lines with `{{ context.plan }}`, a path into the facts of the turn. There is
 * nothing else: no conditions, no filters, no calls. So whoever writes a template can only choose where a value stands.
 *
 * A line with a value is a part of its own, by a user at best: it is made inert, or fenced, like any other text of theirs.
 */
export type Template = readonly (OwnLines | ValueLine)[];

/** Lines without a value, as they were written. */
type OwnLines = { readonly text: string };

/** A line with values: texts and paths in turn, a text first and last. */
type ValueLine = { readonly texts: readonly string[]; readonly paths: readonly string[] };

/** A fault in a template, and its line, counted from 1. */
type TemplateFault = { readonly line: number; readonly fault: string };

const path = /^[a-z_][\w-]*(?:\.(?:[a-z_][\w-]*|\d+))*$/i;

/** Reads a template. A mark that is no path is a fault. */
export function parseTemplate(text: string): {
  readonly template: Template;
  readonly faults: readonly TemplateFault[];
} {
  const template: (OwnLines | ValueLine)[] = [];
  const faults: TemplateFault[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const pieces = piecesOf(line);
    const paths = pieces.filter((_, at) => at % 2 === 1).map((inside) => inside.trim());
    const texts = pieces.filter((_, at) => at % 2 === 0);
    for (const one of paths) if (!path.test(one)) faults.push({ line: index + 1, fault: badPath(one) });
    if (texts.some((one) => one.includes("{{")))
      faults.push({
        line: index + 1,
        fault: "“{{” has no “}}” on its line; for braces that are meant as they are, use the field words.",
      });
    const last = template.at(-1);
    if (paths.length > 0) template.push({ texts, paths });
    else if (last && "text" in last) template[template.length - 1] = { text: `${last.text}\n${line}` };
    else template.push({ text: line });
  }
  return { template, faults: [...faults, ...hidingFaults(template)] };
}

/** Splits a line at its marks: a text, what is inside of a mark, a text, and so on. Once no mark is closed, nothing more is looked for. */
function piecesOf(line: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; ; ) {
    const open = line.indexOf("{{", from);
    const close = open === -1 ? -1 : line.indexOf("}}", open + 2);
    if (close === -1) return [...pieces, line.slice(from)];
    pieces.push(line.slice(from, open), line.slice(open + 2, close));
    from = close + 2;
  }
}

/** Finds lines that open a code fence or HTML and leave it open: a value behind them could close it, and would be structure then. */
function hidingFaults(template: Template): TemplateFault[] {
  let line = 1;
  return template.flatMap((piece) => {
    const start = line;
    line += "text" in piece ? piece.text.split("\n").length : 1;
    if (!("text" in piece) || template.length === 1) return [];
    const opening = placesIn(piece.text, nothingForbidden).places.find(({ certainty }) => certainty === "hides");
    if (!opening) return [];
    const at = start + piece.text.slice(0, opening.at).split("\n").length - 1;
    return [
      {
        line: at,
        fault: "a code fence or HTML is open here while a value comes after it; close it before, or use a heading.",
      },
    ];
  });
}

function badPath(inside: string): string {
  return `{{ ${inside.slice(0, 60)} }} is no path: write names with dots between them, as in {{ context.plan }}, and nothing else.`;
}

/** Tells whether a text has marks, so that it is a template and not words. */
export function isTemplate(text: string): boolean {
  return text.includes("{{");
}

/** Facts that come with the turn itself. Facts of settings never stand in for one that is missing. */
const ofTurn: readonly (keyof SourceContext)[] = [
  "agent",
  "user",
  "channel",
  "now",
  "zone",
  "phase",
  "callsLeft",
  "context",
];

/**
 * Makes the source of a template. `facts` are the agent's settings; those of the turn come before them. `trust` is that of the
 * values: `user` or `foreign`.
 */
export function templateSource(
  template: Template,
  { facts, trust }: { readonly facts: object; readonly trust: Exclude<Trust, "own"> },
): Source {
  const lasting = Object.fromEntries(
    Object.entries(facts).filter(([name]) => !(ofTurn as readonly string[]).includes(name)),
  );
  const partOf = createPartCache();
  return (turn) => {
    const all = { ...lasting, ...turn };
    const parts: Part[] = [];
    const missing: string[] = [];
    for (const [index, piece] of template.entries()) {
      if ("text" in piece) {
        if (piece.text !== "" || template.length > 1)
          parts.push(partOf(index, { text: piece.text, source: "charter", trust: "own" }));
        continue;
      }
      const values = piece.paths.map((one) => valueAt(all, one));
      for (const value of values) if ("missing" in value) missing.push(value.missing);
      const texts = values.map((value) => ("text" in value ? value.text : ""));
      if (texts.some((text) => text.trim() === "")) continue;
      const alone = texts.length === 1 && piece.texts.every((text) => text.trim() === "");
      // Within a line a value stays on it.
      const shown = alone ? texts : texts.map(oneLine);
      const text = alone ? (shown[0] as string) : piece.texts.map((own, at) => own + (shown[at] ?? "")).join("");
      parts.push(partOf(index, { text, source: [...new Set(piece.paths)].join(", "), trust }));
    }
    if (missing.length > 0) return unavailable(missing.join("; "));
    return parts.every(({ text }) => text.trim() === "") ? empty : present(parts);
  };
}

/** Keeps the newest part of each line: the same part says that nothing changed. */
function createPartCache(): (index: number, part: Part) => Part {
  const newest = new Map<number, Part>();
  return (index, part) => {
    const before = newest.get(index);
    if (before?.text === part.text) return before;
    newest.set(index, part);
    return part;
  };
}

type Value = { readonly text: string } | { readonly missing: string };

/** Finds a value by names of its own alone, so that nothing an object inherits is a fact. */
function valueAt(facts: object, path: string): Value {
  let value: unknown = facts;
  for (const name of path.split("."))
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, name) ? value[name as never] : undefined;
  if (typeof value === "string") return { text: value };
  if (typeof value === "number" || typeof value === "boolean") return { text: String(value) };
  if (value === undefined || value === null) return { missing: `there is no fact “${path}”` };
  return {
    missing: `the fact “${path}” is ${Array.isArray(value) ? "a list" : "an object"}, where a text is expected`,
  };
}
