import { Problem } from "../../prompt/problem.ts";

/** A moment as every row writes it, so that two of them compare as texts. */
export function timeOf(given: string): string {
  const at = Date.parse(given);
  if (!Number.isNaN(at)) return new Date(at).toISOString();
  throw new Problem("bad-time", `“${given}” is no time.`, "Give an ISO 8601 time, as in 2026-02-18T15:04:00Z.");
}
