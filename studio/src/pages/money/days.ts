export const dayRanges = [
  ["month", "this month"],
  ["7", "last 7 days"],
  ["30", "last 30 days"],
  ["90", "last 90 days"],
  ["all", "all days"],
] as const;

export type Days = (typeof dayRanges)[number][0];

/** The first day (UTC) of a range that ends today; none where it has no beginning. */
export function firstDay(days: Days, now: Date): string | undefined {
  if (days === "all") return undefined;
  if (days === "month") return `${now.toISOString().slice(0, 8)}01`;
  return new Date(now.getTime() - (Number(days) - 1) * 86_400_000).toISOString().slice(0, 10);
}
