import { badArgument, kindOf } from "./argument.ts";
import type { Notice } from "./notice.ts";
import type { Part } from "./part.ts";
import { Problem } from "./problem.ts";

/**
 * What came back from a source.
 *
 * "We looked and there is nothing" and "we could not look" are different facts: a fallback may answer the first, never
 * the second. An agent whose memory is briefly out of reach must not wake up as a newcomer.
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

export const empty: Reading = Object.freeze({ status: "empty" });

export function unavailable(reason: string): Reading {
  return { status: "unavailable", reason };
}

export function present(parts: readonly Part[]): Reading {
  if (!Array.isArray(parts))
    throw badArgument(
      `What present was given is ${kindOf(parts)}.`,
      "Give a list of parts, [{ text }]; or use fromText.",
    );
  return parts.length === 0 ? empty : { status: "present", parts };
}

/** One text as a reading. Blank counts as absent. */
export function fromText(text: string | null | undefined, about: Omit<Part, "text"> = {}): Reading {
  if (text === undefined || text === null) return empty;
  if (typeof text !== "string")
    throw badArgument(`What fromText was given is ${kindOf(text)}.`, "Give a text; nothing, where there is none.");
  return text.trim() === "" ? empty : { status: "present", parts: [{ ...about, text }] };
}

/** All that is there, in order. Nothing at all is empty only when every one of them is. */
export function join(...readings: readonly Reading[]): Reading {
  if (readings.length === 1) return readings[0] as Reading;
  const parts: Part[] = [];
  const reasons: string[] = [];
  const notices: Notice[] = [];
  for (const reading of readings) {
    if (reading.notices) notices.push(...reading.notices);
    if (reading.status === "present") parts.push(...reading.parts);
    else if (reading.status === "unavailable") reasons.push(reading.reason);
  }
  const told = (more: readonly Notice[]) => (more.length > 0 ? { notices: more } : {});
  // Nothing is always the same nothing, so that what stands without it is rendered and counted once.
  if (parts.length === 0 && reasons.length === 0) return notices.length > 0 ? { ...empty, notices } : empty;
  if (parts.length === 0) return { status: "unavailable", reason: reasons.join("; "), ...told(notices) };
  const missing = reasons.map((message) => ({ code: "source-unavailable", message }));
  return { status: "present", parts, ...told([...notices, ...missing]) };
}

/** The first that is there. One that could not be read stops the search: what comes after it is not its substitute. */
export function firstOf(...readings: readonly Reading[]): Reading {
  return readings.find((reading) => reading.status !== "empty") ?? empty;
}
