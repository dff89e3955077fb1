import { useId, useMemo } from "react";
import { useSize, useZoom } from "../../kit/window.ts";
import { plural } from "../../kit/words.ts";
import { type CacheRule, type Layout, layout, lineGap, type Stratum } from "../../strata/layout.ts";
import { Strata } from "../../strata/strata.tsx";
import type { Row } from "./align.ts";
import type { Sent } from "./side.ts";

const looks = { same: "fill-line/60", changed: "fill-amendable/45", moved: "fill-accent/35" } as const;
const says = { same: "the same", changed: "changed", moved: "elsewhere" } as const;

/** How the prefixes are cached, on the left and on the right; undefined where nobody knows. */
export type CacheRules = readonly [left: CacheRule | undefined, right: CacheRule | undefined];

type PicturesProps = {
  readonly left: readonly Sent[];
  readonly right: readonly Sent[];
  readonly caches: CacheRules;
  readonly rows: readonly Row[];
  readonly selected: string | undefined;
  readonly onSelect: (name: string) => void;
};

/** Both prompts as strata, on one scale, and what joins a section on the left with itself on the right. */
export function Pictures({ left, right, caches, rows, selected, onSelect }: PicturesProps) {
  const [between, { width }] = useSize<HTMLDivElement>();
  const height = Math.round(420 * useZoom());
  const scale = Math.max(tokensIn(left), tokensIn(right));
  const ribbons = useMemo(() => {
    const drawn = (sent: readonly Sent[]) => layout(sent, height, scale, lineGap);
    return ribbonsOf(rows, drawn(left), drawn(right));
  }, [rows, left, right, height, scale]);
  const title = useId();
  const kinds = (["same", "changed", "moved"] as const).filter((one) => ribbons.some(({ kind }) => kind === one));
  return (
    <div>
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(2rem,0.35fr)_minmax(0,1fr)]">
        <Strata
          strata={left}
          height={height}
          scale={scale}
          label={labelOf("left", left)}
          cache={caches[0]}
          {...{ selected, onSelect }}
        />
        <div ref={between}>
          <svg width="100%" height={height} role="img" aria-labelledby={title} className="block">
            <title id={title}>Which section on the left is which on the right; the list below says it in words.</title>
            {ribbons.map((ribbon, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same two prompts have the same ribbons.
              <path key={index} d={outline(ribbon, width)} className={looks[ribbon.kind]} />
            ))}
          </svg>
        </div>
        <Strata
          strata={right}
          height={height}
          scale={scale}
          label={labelOf("right", right)}
          cache={caches[1]}
          {...{ selected, onSelect }}
        />
      </div>
      <ul className="mt-2 flex justify-center gap-4 text-soft text-xs">
        {kinds.map((kind) => (
          <li key={kind} className="flex items-center gap-1.5">
            <svg viewBox="0 0 12 12" className="size-3" aria-hidden="true">
              <rect width="12" height="12" rx="2" className={looks[kind]} />
            </svg>
            {says[kind]}
          </li>
        ))}
      </ul>
    </div>
  );
}

function tokensIn(sent: readonly Sent[]): number {
  return sent.reduce((sum, { tokens }) => sum + tokens, 0);
}

function labelOf(side: string, sent: readonly Sent[]): string {
  return `The ${side} prompt: ${plural(tokensIn(sent), "token")} in ${plural(sent.length, "section")}`;
}

/** From where to where, in pixels from the top. */
type Place = { readonly from: number; readonly to: number };

/** What joins a section on the left with itself on the right. */
type Ribbon = { readonly kind: "same" | "changed" | "moved"; readonly left: Place; readonly right: Place };

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
