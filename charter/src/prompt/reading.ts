import { badArgument, checkNames, checkText, kindOf } from "./argument.ts";
import type { Notice } from "./notice.ts";
import type { Part } from "./part.ts";
import { Problem } from "./problem.ts";

/**
 * What a source returned: present, empty (there is nothing) or unavailable (it could not be read). The difference
 * matters: a fallback text is used only for an empty section, so an outage never looks like missing data.
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
  const told = (more: readonly Notice[]) => (more.length > 0 ? { notices: more } : {});
  // Nothing is always the same nothing, so that what stands without it is rendered and counted once.
  if (parts.length === 0 && reasons.length === 0) return notices.length > 0 ? { ...empty, notices } : empty;
  if (parts.length === 0) return { status: "unavailable", reason: reasons.join("; "), ...told(notices) };
  const missing = reasons.map((message) => ({ code: "source-unavailable", message }));
  return { status: "present", parts, ...told([...notices, ...missing]) };
}

/**
 * Returns the first reading that is present. An unavailable one ends the search: what comes after it is no substitute.
 */
export function firstOf(...readings: readonly Reading[]): Reading {
  return readings.find((reading) => reading.status !== "empty") ?? empty;
}
