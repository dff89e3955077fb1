const steps: readonly (readonly [ms: number, word: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
];

/** How far away a time is, as people say it: “in 3 h”, “2 d ago”, “now”. */
export function fromNow(time: number, now: number): string {
  const away = Math.abs(time - now);
  const [ms, word] = steps.find(([step]) => away >= step) ?? [];
  if (ms === undefined) return "now";
  const many = `${Math.floor(away / ms)} ${word}`;
  return time > now ? `in ${many}` : `${many} ago`;
}
