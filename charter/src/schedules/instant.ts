import { Problem } from "../prompt/problem.ts";

const written = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Returns a written moment in the form every row has. Without a zone it is UTC, whatever the machine's zone is. A day that does
 * not exist is refused, though `Date` would count on to the next.
 */
export function instantOf(given: string): string {
  const [, year, month, day] = written.exec(given) ?? [];
  const zoned = /T.*(?:Z|[+-]\d\d:\d\d)$/.test(given) || !given.includes("T") ? given : `${given}Z`;
  const at = Date.parse(zoned);
  const exists = new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDate() === Number(day);
  if (year !== undefined && !Number.isNaN(at) && exists) return new Date(at).toISOString();
  throw new Problem("bad-time", `“${given}” is no time.`, "Give an ISO 8601 time, as in 2026-02-18T15:04:00Z.");
}
