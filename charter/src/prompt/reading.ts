import { badArgument, checkNames, checkText, kindOf } from "./argument.ts";
import { Problem } from "./problem.ts";

/**
 * The result of a source: present, empty (there is nothing) or unavailable (it could not be read). The difference matters: a
 * fallback text is used only for an empty section, so an outage never looks like missing data.
 */
export type Reading =
  | { readonly status: "present"; readonly parts: readonly Part[]; readonly notices?: readonly Notice[] }
  | { readonly status: "empty"; readonly notices?: readonly Notice[] }
  | { readonly status: "unavailable"; readonly reason: string; readonly notices?: readonly Notice[] };

export function isReading(given: unknown): given is Reading {
  const { status, reason, parts } = Object(given) as { status?: unknown; reason?: unknown; parts?: unknown };
  if (status === "present") return Array.isArray(parts) && parts.every((part) => typeof part?.text === "string");
  return status === "empty" || (status === "unavailable" && typeof reason === "string");
}

export const readingWanted =
  'Give { status: "present", parts: [{ text }] }, { status: "empty" } or { status: "unavailable", reason }; fromText(text) makes one.';

export function notReading(section: string, given: unknown): Problem {
  return new Problem(
    "bad-reading",
    `What was read for “${section}” is ${kindOf(given)}, and no reading.`,
    readingWanted,
  );
}

/** The reading of a source that looked and found nothing. */
export const empty: Reading = Object.freeze({ status: "empty" });

/** The reading of a source that could not be read, with the reason. No fallback is used for it. */
export function unavailable(reason: string): Reading {
  checkText("unavailable", reason);
  return { status: "unavailable", reason };
}

/** The reading of a source that found these parts; with none it is empty. */
export function present(parts: readonly Part[]): Reading {
  if (!Array.isArray(parts))
    throw badArgument(
      `What present was given is ${kindOf(parts)}.`,
      "Give a list of parts, [{ text }]; or use fromText.",
    );
  return parts.length === 0 ? empty : { status: "present", parts };
}

const partFields = [
  "id",
  "kind",
  "short",
  "parent",
  "apart",
  "edition",
  "source",
  "revision",
  "trust",
  "fenced",
] as const;

/** Makes a reading of one text. Blank text is an empty reading. `about` says where it is from, and whose it is. */
export function fromText(text: string | null | undefined, about: Omit<Part, "text"> = {}): Reading {
  if (text === undefined || text === null) return empty;
  if (typeof text !== "string")
    throw badArgument(`What fromText was given is ${kindOf(text)}.`, "Give a text; nothing, where there is none.");
  checkNames<Part>("fromText", about, partFields);
  return text.trim() === "" ? empty : { status: "present", parts: [{ ...about, text }] };
}

/** Joins readings: all that are present, in order. The result is empty only if every one of them is. */
export function join(...readings: readonly Reading[]): Reading {
  if (readings.length === 1) return readings[0] as Reading;
  const parts: Part[] = [];
  const reasons: string[] = [];
  const notices: Notice[] = [];
  for (const reading of readings) {
    if (!isReading(reading)) throw badArgument(`What join was given is ${kindOf(reading)}.`, readingWanted);
    for (const notice of reading.notices ?? []) notices.push(notice);
    if (reading.status === "present") for (const part of reading.parts) parts.push(part);
    else if (reading.status === "unavailable") reasons.push(reading.reason);
  }
  const withNotices = (more: readonly Notice[]) => (more.length > 0 ? { notices: more } : {});
  // The empty reading is always the same object, so that a section without words is rendered and counted once.
  if (parts.length === 0 && reasons.length === 0) return notices.length > 0 ? { ...empty, notices } : empty;
  if (parts.length === 0) return { status: "unavailable", reason: reasons.join("; "), ...withNotices(notices) };
  const missing = reasons.map((message) => ({ code: "source-unavailable", message }));
  return { status: "present", parts, ...withNotices([...notices, ...missing]) };
}

/**
 * Returns the first reading that is present. An unavailable one ends the search: what comes after it is no substitute.
 */
export function firstOf(...readings: readonly Reading[]): Reading {
  return readings.find((reading) => reading.status !== "empty") ?? empty;
}

/**
 * The author of a text: the operator or the program (`own`), this turn's user or the agent (`user`), anyone else (`foreign`: it
 * is always quoted).
 */
export type Trust = "own" | "user" | "foreign";

/**
 * The smallest piece of a section that can be trimmed on its own: one message, one fact, one tool line. Sources return
 * them.
 *
 * A source that returns the same object again says that nothing changed, and what was rendered and counted for it is
 * reused. So never modify a part; replace it.
 */
export type Part = {
  readonly text: string;
  /** A name for it, shown in spans, and named by `parent`. */
  readonly id?: string;
  /** The kind of part, by which `givesWay` names it: "fact", "exchange". */
  readonly kind?: string;
  /** A shorter text for it when room is short, and in the compact edition of a section with `compact`; "" for none. */
  readonly short?: string;
  /** The id of the part it belongs to; it is left out when that one is. */
  readonly parent?: string;
  /** Puts a blank line before it. */
  readonly apart?: true;
  /** "full": left out of the compact edition. */
  readonly edition?: "full";
  /** The origin of the text, shown by `why`. */
  readonly source?: string;
  readonly revision?: number;
  /** The author of the text; the section's, unless given. */
  readonly trust?: Trust;
  /** Says that the text contains untrusted text which its source has already quoted, line by line. */
  readonly fenced?: true;
};

/** Returns the indices of the parts that go with a part, because they stand under it, or under one that does. */
export function descendantsOf(parts: readonly Part[], { id }: Part): number[] {
  const indices: number[] = [];
  const parents = new Set([id]);
  if (id === undefined) return indices;
  for (let before = 0; before < parents.size; ) {
    before = parents.size;
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index] as Part;
      if (part.parent === undefined || !parents.has(part.parent) || indices.includes(index)) continue;
      indices.push(index);
      if (part.id !== undefined) parents.add(part.id);
    }
  }
  return indices;
}

/**
 * The current text of an amendable section and its revision, or why it could not be read. Revision 0 is the original.
 */
export type Standing =
  | { readonly text: string; readonly revision: number; readonly notices?: readonly Notice[] }
  | { readonly unavailable: string };

/** A tool as it is listed in the prompt while it can be called. `left`: how many more calls this turn may make. */
export type ToolLine = {
  readonly name: string;
  readonly summary?: string;
  readonly guidelines?: readonly string[];
  readonly left?: number;
};

/**
 * The turn that sources are read for: who, where, when, which tools, and the current text of amendable sections
 * (`store.standings.read`).
 */
export type SourceContext = {
  readonly agent?: string;
  readonly user?: string;
  readonly channel?: string;
  /** An ISO 8601 instant. */
  readonly now: string;
  /** The user's time zone. */
  readonly zone?: string;
  readonly tools: readonly ToolLine[];
  /** The phase its turn is in while the model reads the prompt. */
  readonly phase?: string;
  /** Number of further calls, of all tools together, that this turn may make. */
  readonly callsLeft?: number;
  /** Data that was given with the turn, such as a tenant or a plan: `runTurn({ context })`. */
  readonly context?: unknown;
  /** Says that the section was read before in this turn, and its standing text has changed since. */
  readonly again?: true;
  /** Current texts by section name. Amendable sections that are not in it have their original text. */
  readonly standing: Readonly<Record<string, Standing>>;
};

/**
 * A function that is called each turn for a section's text. If it throws, the section is unavailable; a Problem is
 * passed on to the caller.
 */
export type Source = (turn: SourceContext) => Reading | Promise<Reading>;

/** The reading of each section, by section name: the result of `gather`, and the input of `assemble`. */
export type Readings = Readonly<Record<string, Reading>>;

/** A warning for the operator about a prompt that was built nevertheless. */
export type Notice = { readonly code: string; readonly section?: string; readonly message: string };
