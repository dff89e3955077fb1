import { nearestName } from "../../amend/override/misspelling.ts";
import { isRecord } from "../../prompt/argument.ts";
import type { Limit } from "../../prompt/charter.ts";
import { yamlFields, yamlLine } from "../../sources/front-matter.ts";

/**
 * A case: the facts of a turn, and what its prompt has to be. One file is one case, in YAML, so JSON too:
 *
 *     facts: { channel: web }
 *     has: Be kind.
 *     order: [safety, goals]
 *
 * A case that expects nothing else has a golden text: its whole prompt, in a file beside it that is called like it.
 */
export type CheckCase = {
  readonly file: string;
  /** Name of its charter; where only one is checked, it can be left out. */
  readonly charter: string | undefined;
  readonly facts: Readonly<Record<string, unknown>>;
  /** Room its prompt is trimmed to, besides the limit of the charter. */
  readonly room: Limit;
  readonly expectations: readonly CaseExpectation[];
  readonly hasGolden: boolean;
  readonly lineOf: (path: readonly (string | number)[]) => number;
};

/** An expectation of `promptChecks`, with what it is given. */
type CaseExpectation = {
  readonly check: CheckName;
  readonly given: readonly [first: unknown, second?: unknown];
  /** Place in the file; its line is worked out when it is needed. */
  readonly path: readonly (string | number)[];
};

type CheckName = keyof typeof forms;

/** What is wrong in a case's file, and where. */
type CaseFault = { readonly line: number; readonly message: string; readonly hint: string };

/** Form in which each expectation is written. `pairs`: `first: second`; the second may be left out of `names`. */
const forms = {
  has: "texts",
  hasNot: "texts",
  before: "pairs",
  order: "order",
  within: "room",
  cut: "names",
  whole: "texts",
  omitted: "names",
  fenced: "texts",
  from: "pairs",
} as const;

const formWords = {
  texts: "a text, or a list of texts",
  pairs: "an object, as in { first: second }",
  names: "a section, a list of sections, or an object, as in { section: text }",
  order: "a list of at least two sections",
  room: "{ tokens }, { chars } or both, whole numbers from 0 up",
} as const;

const fields = ["charter", "facts", "room", "golden", ...Object.keys(forms)];

/** Most characters a case's file may have. */
export const maxCaseCharacters = 1_000_000;

/** Reads a case. All its faults come back at once. */
export function readCase(
  file: string,
  text: string,
): { readonly found: CheckCase } | { readonly faults: readonly CaseFault[] } {
  const fault = (line: number, message: string, hint: string): CaseFault => ({ line, message, hint });
  if (text.length > maxCaseCharacters)
    return { faults: [fault(1, `It has more than ${maxCaseCharacters} characters.`, "Make several cases of it.")] };
  const parsed = yamlFields(text);
  if (!("fields" in parsed))
    return { faults: [fault(parsed.line, `This is not valid YAML: ${parsed.reason}.`, parsed.advice)] };
  const given = new Map([...parsed.fields].map(([name, value]) => [name, plain(value)]));
  const lineOf = (path: readonly (string | number)[]) => yamlLine(text, path);
  const faults: CaseFault[] = [];
  for (const name of given.keys())
    if (!fields.includes(name)) {
      const meant = nearestName(name, fields);
      const hint = `${meant === undefined ? "" : `Did you mean “${meant}”? `}There are ${fields.join(", ")}.`;
      faults.push(fault(lineOf([name]), `“${name.slice(0, 60)}” is no field of a case.`, hint));
    }
  const shaped = <Value>(
    name: string,
    isShaped: (value: unknown) => value is Value,
    form: string,
  ): Value | undefined => {
    const value = given.get(name);
    if (!given.has(name) || isShaped(value)) return value as Value | undefined;
    faults.push(fault(lineOf([name]), `“${name}” is ${kindOf(value)}.`, `Give ${form}.`));
    return undefined;
  };
  const charter = shaped("charter", isText, "the name of a charter");
  const facts = shaped("facts", isRecord, "the facts of a turn, as an object (docs/facts.md)");
  const room = shaped("room", isRoom, formWords.room);
  const golden = shaped("golden", (value) => typeof value === "boolean", "true or false");
  const expectations = (Object.keys(forms) as CheckName[]).flatMap((check) => {
    const form = forms[check];
    const value = shaped(check, (one): one is unknown => shapes[form](one), formWords[form]);
    return value === undefined ? [] : expectationsOf(check, value);
  });
  if (golden === false && expectations.length === 0 && faults.length === 0)
    faults.push(
      fault(lineOf(["golden"]), "The case expects nothing.", "Say what its prompt has, or leave “golden” out."),
    );
  if (faults.length > 0) return { faults };
  const hasGolden = golden ?? expectations.length === 0;
  return { found: { file, charter, facts: facts ?? {}, room: room ?? {}, expectations, hasGolden, lineOf } };
}

function expectationsOf(check: CheckName, value: unknown): CaseExpectation[] {
  const form = forms[check];
  if (form === "order" || form === "room") return [{ check, given: [value], path: [check] }];
  if (isRecord(value))
    return Object.entries(value).map(([first, second]) => ({ check, given: [first, second], path: [check, first] }));
  if (!Array.isArray(value)) return [{ check, given: [value], path: [check] }];
  return value.map((one, index) => ({ check, given: [one], path: [check, index] }));
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const areTexts = (value: unknown): value is string[] => Array.isArray(value) && value.length > 0 && value.every(isText);
const arePairs = (value: unknown) =>
  isRecord(value) && Object.keys(value).length > 0 && Object.values(value).every(isText);

function isRoom(value: unknown): value is Limit {
  if (!isRecord(value) || Object.keys(value).length === 0) return false;
  const isCount = (one: unknown) => Number.isSafeInteger(one) && (one as number) >= 0;
  return Object.entries(value).every(([name, one]) => (name === "tokens" || name === "chars") && isCount(one));
}

const shapes: Readonly<Record<keyof typeof formWords, (value: unknown) => boolean>> = {
  texts: (value) => isText(value) || areTexts(value),
  pairs: arePairs,
  names: (value) => isText(value) || areTexts(value) || arePairs(value),
  order: (value) => areTexts(value) && value.length > 1,
  room: isRoom,
};

/** Makes plain data of YAML's maps. A key like `__proto__` is a field like any other. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, one]) => [name, plain(one)]));
  return Array.isArray(value) ? value.map(plain) : value;
}

function kindOf(value: unknown): string {
  if (value === null) return "without a value";
  if (value === "") return "empty";
  if (typeof value !== "object") return `“${String(value).slice(0, 60)}”`;
  return Array.isArray(value) ? "a list of something else" : "an object of something else";
}
