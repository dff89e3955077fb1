import { isRecord } from "../../prompt/argument.ts";
import type { Limit } from "../../prompt/charter.ts";
import { either, readFields, room, type Shape } from "../../sources/charter-folder/field.ts";
import { yamlFields, yamlLines } from "../../sources/front-matter.ts";

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

type CheckName = keyof typeof checks;

/** What is wrong in a case's file, and where. */
type CaseFault = { readonly line: number; readonly message: string; readonly hint: string };

const text: Shape = { is: "text", least: 1 };
const list: Shape = { is: "list", item: text, least: 1 };
const texts = either(text, list);
/** `first: second`, as in `before: { Tell nobody: Find good books }`. */
const pairs: Shape = { is: "pairs", least: 1 };

/** Form in which each expectation is written. */
const checks = {
  ...{ has: texts, hasNot: texts, before: pairs, order: { ...list, least: 2 } },
  ...{ within: { is: "fields", fields: room, least: 1 }, cut: either(text, list, pairs), whole: texts },
  ...{ omitted: either(text, list, pairs), fenced: texts, from: pairs },
} satisfies Record<string, Shape>;

const shapes: Readonly<Record<string, Shape>> = {
  ...{ charter: text, facts: { is: "data" }, room: checks.within, golden: { is: "flag" } },
  ...checks,
};
const fields = Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, { shape, says: "" }]));

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
  const lineOf = yamlLines(text);
  const read = readFields(parsed.fields, { what: "a case", fields });
  const faults = read.faults.map((one) =>
    fault(lineOf(one.path), one.fault(), "docs/check.md has every field of a case."),
  );
  const { charter, facts = {}, room = {}, golden, ...given } = read.values as CaseValues;
  const expectations = Object.entries(given).flatMap(([check, value]) => expectationsOf(check as CheckName, value));
  if (golden === false && expectations.length === 0 && faults.length === 0)
    faults.push(
      fault(lineOf(["golden"]), "The case expects nothing.", "Say what its prompt has, or leave “golden” out."),
    );
  if (faults.length > 0) return { faults };
  const hasGolden = golden ?? expectations.length === 0;
  return { found: { file, charter, facts, room, expectations, hasGolden, lineOf } };
}

type CaseValues = Partial<Pick<CheckCase, "charter" | "facts" | "room">> & { readonly golden?: boolean };

function expectationsOf(check: CheckName, value: unknown): CaseExpectation[] {
  if (check === "order" || check === "within") return [{ check, given: [value], path: [check] }];
  if (isRecord(value))
    return Object.entries(value).map(([first, second]) => ({ check, given: [first, second], path: [check, first] }));
  if (!Array.isArray(value)) return [{ check, given: [value], path: [check] }];
  return value.map((one, index) => ({ check, given: [one], path: [check, index] }));
}
