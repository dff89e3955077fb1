import type { Billing } from "../../billing/bill.ts";
import type { Ground } from "../../chart/plot.tsx";
import { pile } from "../../chart/scale.ts";

export const kinds = ["read", "written", "fresh"] as const;

/** One outline for everything of one part that is billed alike, in all columns: few shapes however many turns. */
export type Outline = { readonly part: number; readonly kind: keyof Billing; readonly path: string };

export function outlines(columns: readonly (readonly Billing[])[], ground: Ground): readonly Outline[] {
  const { column, left, y } = ground;
  const air = column > 8 ? Math.min(column * 0.22, 12) : column > 3 ? 1 : 0;
  const paths = new Map<string, { part: number; kind: keyof Billing; path: string }>();
  columns.forEach((billings, index) => {
    const amounts = billings.flatMap((billing) => kinds.map((kind) => billing[kind]));
    pile(amounts).forEach(({ from, to }, at) => {
      if (to === from) return;
      const part = Math.floor(at / kinds.length);
      const kind = kinds[at % kinds.length] as keyof Billing;
      const height = y(from) - y(to);
      const drawn = height > 4 ? height - 1 : height;
      const shape = `M${round(left(index) + air / 2)} ${round(y(to))}h${round(column - air)}v${round(drawn)}h${round(air - column)}z`;
      const known = paths.get(`${part}${kind}`);
      if (known) known.path += shape;
      else paths.set(`${part}${kind}`, { part, kind, path: shape });
    });
  });
  return [...paths.values()];
}

const round = (value: number) => Math.round(value * 100) / 100;
