import { allSections, type Charter, charterData, defineCharter } from "../prompt/charter.ts";

/** A charter, or one with what is declared beside it: rules, tools, limits. */
export type CharterToKeep = Charter | { readonly charter: Charter };

/** A charter as data, with what of it is not: functions stay in the program that declares them. */
export type CharterRecord = {
  readonly charter: Charter;
  /** What else is declared and is data, such as limits. */
  readonly says: Readonly<Record<string, unknown>>;
  /** What else is declared and has functions in it: rules, tools, hooks. */
  readonly functions: readonly string[];
  /** What of a section is made by functions, by its name: sources, read. */
  readonly sections: Readonly<Record<string, readonly string[]>>;
};

/** A charter as it is kept: its words, layers, mutability and limits, and the names of what cannot be kept. */
export function charterRecordOf(given: CharterToKeep): CharterRecord {
  const { charter: declared, ...beside } = "charter" in given ? given : { charter: given };
  const charter = defineCharter(declared);
  const sections = allSections(charter).flatMap(({ section }) => {
    const made = functionsIn(section);
    return made.length === 0 ? [] : [[section.name, made] as const];
  });
  const functions = functionsIn(beside);
  const says = Object.entries(beside).filter(([name, value]) => value !== undefined && !functions.includes(name));
  return {
    charter: charterData(charter),
    says: Object.fromEntries(says),
    functions,
    sections: Object.fromEntries(sections),
  };
}

function functionsIn(declared: object): string[] {
  return Object.entries(declared).flatMap(([name, value]) => (hasFunction(value) ? [name] : []));
}

function hasFunction(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "function";
  return Object.values(value).some(hasFunction);
}
