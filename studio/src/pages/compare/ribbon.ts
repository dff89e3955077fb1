import type { Layout } from "../../strata/layout.ts";
import type { Stratum } from "../../strata/stratum.ts";
import type { Row } from "./align.ts";

/** From where to where, in pixels from the top. */
type Place = { readonly from: number; readonly to: number };

/** What joins a section on the left with itself on the right. */
export type Ribbon = { readonly kind: "same" | "changed" | "moved"; readonly left: Place; readonly right: Place };

const most = 300;

/** One ribbon a section; neighbours that are the same on both sides share one. Of very many, the widest are drawn. */
export function ribbonsOf(rows: readonly Row[], left: Layout, right: Layout): readonly Ribbon[] {
  const [lefts, rights] = [placesOf(left), placesOf(right)];
  const found: Ribbon[] = [];
  for (const row of rows) {
    const from = row.left && lefts.get(row.left);
    const to = row.right && rights.get(row.right);
    if (!from || !to) continue;
    const kind = row.kind === "changed" ? "changed" : row.moved ? "moved" : "same";
    const last = found.at(-1);
    const joins = kind === "same" && last?.kind === kind && meets(last.left, from) && meets(last.right, to);
    if (!joins) found.push({ kind, left: from, right: to });
    else
      found[found.length - 1] = {
        kind,
        left: { from: last.left.from, to: from.to },
        right: { from: last.right.from, to: to.to },
      };
  }
  if (found.length <= most) return found;
  const width = ({ left: one, right: other }: Ribbon) => Math.max(one.to - one.from, other.to - other.from);
  return found.toSorted((one, other) => width(other) - width(one)).slice(0, most);
}

function meets(one: Place, next: Place): boolean {
  return Math.abs(next.from - one.to) < 0.01;
}

/** Where each stratum is drawn, also those that share a band. */
function placesOf({ bands }: Layout): ReadonlyMap<Stratum, Place> {
  const places = new Map<Stratum, Place>();
  for (const { from, height, strata } of bands) {
    const tokens = strata.reduce((sum, one) => sum + one.tokens, 0);
    let at = from;
    for (const one of strata) {
      const to = at + (tokens === 0 ? 0 : (height * one.tokens) / tokens);
      places.set(one, { from: at, to });
      at = to;
    }
  }
  return places;
}

/** A ribbon's outline, from the left edge to the right one, `width` apart. */
export function outline({ left, right }: Ribbon, width: number): string {
  const half = width / 2;
  const line = (from: number, to: number) => `C${half},${round(from)} ${half},${round(to)}`;
  return [
    `M0,${round(left.from)}${line(left.from, right.from)} ${width},${round(right.from)}`,
    `L${width},${round(right.to)}${line(right.to, left.to)} 0,${round(left.to)}Z`,
  ].join("");
}

const round = (value: number): number => Math.round(value * 100) / 100;
