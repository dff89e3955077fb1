import type { CacheBreak } from "../../../billing/sample.ts";
import type { Layout } from "../../../strata/layout.ts";

/** How far down the cache broke: what stands below had to be sent anew. */
export function crackAt(broke: Pick<CacheBreak, "what" | "section"> | null, { bands, line }: Layout): number {
  if (broke?.what === "compacted") return line.at;
  const section = broke?.section ?? null;
  if (section === null) return 0;
  return bands.find(({ strata }) => strata.some(({ name }) => name === section))?.from ?? 0;
}

/** A jagged line from edge to edge. */
export function crackPath(width: number, height: number): string {
  const teeth = Math.max(3, Math.round(width / 6));
  const points = Array.from({ length: teeth + 1 }, (_, at) => {
    const x = ((at / teeth) * width).toFixed(1);
    return `${x} ${at === 0 || at === teeth ? height / 2 : at % 2 === 0 ? height : 0}`;
  });
  return `M${points.join("L")}`;
}
