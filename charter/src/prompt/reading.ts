import type { Notice } from "./notice.ts";
import type { Part } from "./part.ts";

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

export const empty: Reading = Object.freeze({ status: "empty" });

export function unavailable(reason: string): Reading {
  return { status: "unavailable", reason };
}

export function present(parts: readonly Part[]): Reading {
  return parts.length === 0 ? empty : { status: "present", parts };
}

/** One text as a reading. Blank counts as absent. */
export function fromText(text: string | null | undefined, about: Omit<Part, "text"> = {}): Reading {
  return text == null || text.trim() === "" ? empty : { status: "present", parts: [{ ...about, text }] };
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
