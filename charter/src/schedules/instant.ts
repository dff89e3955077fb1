import { Problem } from "../prompt/problem.ts";

const written = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/**
 * A moment someone wrote down, as every row writes it. Without a zone it is UTC, whatever the machine's is; a
 * day that does not exist is none, though a machine would count on to the next.
 */
export function instantOf(given: string): string {
  const [, year, month, day] = written.exec(given) ?? [];
  const zoned = /T.*(?:Z|[+-]\d\d:\d\d)$/.test(given) || !given.includes("T") ? given : `${given}Z`;
  const at = Date.parse(zoned);
  const exists = new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDate() === Number(day);
  if (year !== undefined && !Number.isNaN(at) && exists) return new Date(at).toISOString();
  throw new Problem("bad-time", `“${given}” is no time.`, "Give an ISO 8601 time, as in 2026-02-18T15:04:00Z.");
}
