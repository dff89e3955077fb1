import { nearestName } from "../../amend/override/misspelling.ts";
import type { Charter, GivesWayRule } from "../../prompt/charter.ts";
import { eitherOf } from "../../prompt/problem.ts";
import type { Layer, Section } from "../../prompt/section.ts";

/**
 * The fields that files of a charter can have, said once, and how fields of files are checked (those of a case as well): what is
 * read, what is refused and with which words, and the table in docs/charter-folder.md come from here. Whatever a charter, a layer or a section can have and is no function has a row: the
 * compiler asks for it.
 */
export type Fields = { readonly [name: string]: Field };

type Field = {
  readonly shape: Shape;
  /** Meaning, in docs. */
  readonly says: string;
  readonly isNeeded?: true;
};

/**
 * Form of a value. Several forms: the first that the value looks like is the one that is meant. `data` is an object of anything,
 * `pairs` one of texts, under names that are not known before. `least`: how many characters, items or fields it has to have.
 */
export type Shape =
  | { readonly is: "text"; readonly least?: number }
  | { readonly is: "number" }
  | { readonly is: "flag" }
  | { readonly is: "data" }
  | { readonly is: "pairs"; readonly least: number }
  | { readonly is: "one-of"; readonly values: readonly string[] }
  | { readonly is: "list"; readonly item: Shape; readonly least?: number }
  | { readonly is: "fields"; readonly fields: Fields; readonly least?: number }
  | { readonly is: "either"; readonly shapes: readonly Shape[] };

const text: Shape = { is: "text" };
const number: Shape = { is: "number" };
const oneOf = (...values: string[]): Shape => ({ is: "one-of", values });
const list = (item: Shape): Shape => ({ is: "list", item });
const object = (fields: Fields): Shape => ({ is: "fields", fields });
export const either = (...shapes: Shape[]): Shape => ({ is: "either", shapes });
const field = (shape: Shape, says: string): Field => ({ shape, says });
const needed = (shape: Shape, says: string): Field => ({ shape, says, isNeeded: true });

const trust = oneOf("own", "user", "foreign");
const mutability = either(
  oneOf("fixed", "live"),
  object({
    amendableBy: needed(list(oneOf("agent", "user", "operator")), "Who may change it."),
    scope: field(
      oneOf("user", "agent"),
      "Needed where agent or user may change it. `user`: each user has a copy of their own; `agent`: one text that all users of the agent are sent.",
    ),
    approvedBy: field(
      oneOf("operator", "nobody"),
      "Whose approval a change by anyone else waits for; `nobody`: none, not even what reaches other users.",
    ),
  }),
);
export const room: Fields = {
  tokens: field(number, "Tokens."),
  chars: field(number, "Characters."),
};

type Rows<Of, Left extends keyof Of = never> = Record<Exclude<keyof Of, Left>, Field>;

const ruleFields: Rows<GivesWayRule> = {
  section: needed(text, "The section."),
  parts: field(text, "The kind of parts; all, unless given."),
  from: needed(oneOf("start", "end"), "Whose end goes first."),
  edition: field(oneOf("full", "compact"), "The edition it holds for."),
  to: field(oneOf("short"), "Parts are only shortened."),
  keep: field(number, "How many parts always stay."),
  told: needed(text, "The line that the model reads instead."),
};

export const layerFields: Rows<Layer> = {
  name: needed(text, "The layer's name."),
  owner: field(text, "The owner's name, as operators see it."),
  mutability: needed(
    mutability,
    "Who may change its sections: `fixed`, `live`, or `{ amendableBy: [agent, user, operator], scope: user }`.",
  ),
  sections: needed(list(text), "Its sections, in order: the names of their files, without `.md`."),
  fallback: field(list(text), "The sections, by file, that are used when all of its own are empty."),
  separator: field(text, "The text between its sections; the charter's, unless given."),
};

export const charterFields: Rows<Charter> & { readonly tools: Field } = {
  name: needed(text, "The charter's name, as in `charter.lock`."),
  layers: needed(list(object(layerFields)), "The layers, in order of precedence."),
  separator: field(text, "The text between sections; a blank line, unless given."),
  limit: field(
    object({ ...room, compact: field(object(room), "Of the compact edition.") }),
    "The largest size of a prompt.",
  ),
  givesWay: field(list(object(ruleFields)), "What is trimmed when a prompt is too long, in this order."),
  tools: field(
    list(text),
    "The tools its agents have, by name: of Charter's own, and of those offered where they run. Unless given, all that are offered.",
  ),
};

export const sectionFields: Rows<Section, "read"> = {
  name: field(text, "Its name, if it is not the file's."),
  lead: field(text, "Text before the heading."),
  heading: field(text, "Its first line, as in `## Goals`."),
  words: field(text, "Literal text. In a fixed section it is the body of the file."),
  short: field(text, "The short form of the words, for the compact edition."),
  wordings: field(list(text), "Every line that the words can consist of, where settings choose them."),
  sources: field(
    list(
      either(text, object({ name: needed(text, "The source."), trust: field(trust, "Lower than the source's own.") })),
    ),
    "Sources of the configuration, by name: `[weather]`, or `[{ name: weather, trust: foreign }]`.",
  ),
  original: field(text, "The first text of an amendable section, where it is the body of the file."),
  fallback: field(text, "The text that is used when every source was empty."),
  closing: field(text, "Its last line."),
  separator: field(text, "The text between its parts."),
  mutability: field(mutability, "Who may change it; as its layer says, unless given."),
  stability: field(oneOf("stable", "event", "state"), "How often its text changes; `stable`, unless given."),
  trust: field(
    trust,
    "Whose words it holds: `own`, `user` or `foreign`. Needed beside `sources`, unless each of them says its own.",
  ),
  limit: field(
    object({ chars: needed(number, "Characters."), told: needed(text, "The line that says what is missing.") }),
    "The most characters it shows: `{ chars, told }`.",
  ),
  reserve: field(
    object({ chars: needed(number, "Characters."), tokens: needed(number, "Tokens.") }),
    "The room that is kept for a section of state or events: `{ chars, tokens }`.",
  ),
  replaced: field({ is: "flag" }, "`true`: changed text takes the old one's place; a session starts its prompt anew."),
  compact: field(oneOf("short", "omit", "line"), "Its form in the compact edition."),
};

/** Place of a value: the names and indices that lead to it. */
type Path = readonly (string | number)[];

/** What is wrong with a value, and where. A function says it, since of many faults few are told. */
export type FieldFault = { readonly path: Path; readonly fault: () => string };

/** Checks a file's fields. The result holds what fits; everything else is in the faults, all at once. */
export function readFields(
  given: ReadonlyMap<string, unknown>,
  { what, fields }: { readonly what: string; readonly fields: Fields },
): { readonly values: Readonly<Record<string, unknown>>; readonly faults: readonly FieldFault[] } {
  const faults: FieldFault[] = [];
  const values = objectOf(given, { what, fields, path: [] }, faults);
  return { values, faults };
}

type FieldsPlace = { readonly what: string; readonly fields: Fields; readonly path: Path };

function objectOf(given: ReadonlyMap<string, unknown>, { what, fields, path }: FieldsPlace, faults: FieldFault[]) {
  const entries: [string, unknown][] = [];
  const names = Object.keys(fields);
  for (const [name, value] of given) {
    const at = [...path, name];
    const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (known === undefined) {
      const fault = () => {
        const guess = guessOf(name, names);
        return `“${name.slice(0, 60)}” is no field of ${what}.${guess} There are ${names.join(", ")}.`;
      };
      faults.push({ path: at, fault });
    } else {
      const read = readValue(value, known.shape, { name, path: at }, faults);
      if (read !== undefined) entries.push([name, read]);
    }
  }
  for (const name of names)
    if (fields[name]?.isNeeded && !given.has(name)) faults.push({ path, fault: () => `${what} has no “${name}”.` });
  return Object.fromEntries(entries);
}

/** Names the one that is meant by a name that is none of them, if it is near one. */
export function guessOf(name: string, names: readonly string[]): string {
  const meant = nearestName(name, names);
  return meant === undefined ? "" : ` Did you mean “${meant}”?`;
}

/** `form`: how the value may be written, where it has several forms. */
type ValuePlace = { readonly name: string; readonly path: Path; readonly form?: string };

function readValue(value: unknown, shape: Shape, place: ValuePlace, faults: FieldFault[]): unknown {
  const wrong = (fault: () => string): undefined => {
    faults.push({ path: place.path, fault: () => `“${place.name}” ${fault()}` });
  };
  if (value === null) return wrong(() => "has no value: give it one, or leave it out.");
  if (shape.is === "either") {
    const meant = shape.shapes.find((one) => looksLike(value, one)) ?? (shape.shapes[0] as Shape);
    return looksLike(value, meant)
      ? readValue(value, meant, { ...place, form: formOf(shape) }, faults)
      : wrong(() => `is ${kindOf(value)}; it is ${formOf(shape)}.`);
  }
  if (!looksLike(value, shape)) {
    const quotes = shape.is === "text" && typeof value !== "object" ? ": put it in quotes" : "";
    return wrong(() => `is ${kindOf(value)}; it is ${formOf(shape)}${quotes}.`);
  }
  const least = ("least" in shape && shape.least) || 0;
  const size = sizeOf(value);
  if (size < least)
    return wrong(() => (size === 0 ? `is empty; it is ${formOf(shape)}.` : `has ${size}; it has at least ${least}.`));
  if (shape.is === "pairs") {
    const texts = [...(value as ReadonlyMap<string, unknown>)].map(([name, one]) => [
      name,
      readValue(one, { is: "text", least: 1 }, { name, path: [...place.path, name] }, faults),
    ]);
    return Object.fromEntries(texts);
  }
  if (shape.is === "data") return plain(value);
  if (shape.is === "fields")
    return objectOf(
      value as ReadonlyMap<string, unknown>,
      { what: `“${place.name}”`, fields: shape.fields, path: place.path },
      faults,
    );
  if (shape.is === "list") {
    const items = (value as readonly unknown[]).map((item, index) =>
      readValue(item, shape.item, { name: place.name, path: [...place.path, index] }, faults),
    );
    return items.includes(undefined) ? undefined : items;
  }
  if (shape.is === "one-of" && !shape.values.includes(value as string)) {
    const { form = formOf(shape) } = place;
    const guess = () => guessOf(value as string, shape.values);
    return wrong(() => `is “${(value as string).slice(0, 60)}”; it is ${form}.${guess()}`);
  }
  if (shape.is === "number" && !(Number.isSafeInteger(value) && (value as number) >= 0))
    return wrong(() => `is ${value}; it is ${formOf(shape)}.`);
  return value;
}

function looksLike(value: unknown, shape: Shape): boolean {
  if (shape.is === "text" || shape.is === "one-of") return typeof value === "string";
  if (shape.is === "number") return typeof value === "number";
  if (shape.is === "flag") return typeof value === "boolean";
  if (shape.is === "list") return Array.isArray(value);
  return shape.is !== "either" ? value instanceof Map : shape.shapes.some((one) => looksLike(value, one));
}

function sizeOf(value: unknown): number {
  if (value instanceof Map) return value.size;
  return typeof value === "string" || Array.isArray(value) ? value.length : 1;
}

/** Makes plain data of YAML's maps. A key like `__proto__` is a field like any other. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, one]) => [name, plain(one)]));
  return Array.isArray(value) ? value.map(plain) : value;
}

function kindOf(value: unknown): string {
  if (typeof value === "string") return `“${value.slice(0, 60)}”`;
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "an object";
  return String(value);
}

/** Names a form in words, as faults and docs do. */
export function formOf(shape: Shape): string {
  if (shape.is === "text") return "a text";
  if (shape.is === "number") return "a whole number from 0 up";
  if (shape.is === "flag") return "true or false";
  if (shape.is === "data") return "an object";
  if (shape.is === "pairs") return "an object of texts";
  if (shape.is === "one-of") return shape.values.length === 1 ? `${shape.values[0]}` : eitherOf(shape.values);
  if (shape.is === "list") return "a list";
  if (shape.is === "fields") return `{ ${Object.keys(shape.fields).join(", ")} }`;
  return eitherOf(shape.shapes.map(formOf));
}
