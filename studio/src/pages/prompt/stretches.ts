import type { Stretch } from "./word/word.ts";

/** As few stretches as there can be: those that touch or overlap are one. */
export function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const out: { start: number; end: number }[] = [];
  for (const { start, end } of [...stretches].sort((one, other) => one.start - other.start)) {
    const last = out.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else out.push({ start, end });
  }
  return out;
}

export function isCovered({ start, end }: Stretch, by: readonly Stretch[]): boolean {
  return by.some((one) => one.start <= start && one.end >= end);
}
