import { useId, useMemo } from "react";
import { useWidth, useZoom } from "../../kit/window.ts";
import { plural } from "../../kit/words.ts";
import { layout, lineGap } from "../../strata/layout.ts";
import type { CacheRule } from "../../strata/line.ts";
import { Strata } from "../../strata/strata.tsx";
import type { Row } from "./align.ts";
import { outline, ribbonsOf } from "./ribbon.ts";
import type { Sent } from "./sent.ts";

const looks = { same: "fill-line/60", changed: "fill-amendable/45", moved: "fill-accent/35" } as const;
const says = { same: "the same", changed: "changed", moved: "elsewhere" } as const;

/** How the prefixes are cached, on the left and on the right; undefined where nobody knows. */
export type CacheRules = readonly [left: CacheRule | undefined, right: CacheRule | undefined];

/** Both prompts as strata, on one scale, and what joins a section on the left with itself on the right. */
export function Pictures({
  left,
  right,
  caches,
  rows,
  selected,
  onSelect,
}: {
  readonly left: readonly Sent[];
  readonly right: readonly Sent[];
  readonly caches: CacheRules;
  readonly rows: readonly Row[];
  readonly selected: string | undefined;
  readonly onSelect: (name: string) => void;
}) {
  const [between, width] = useWidth<HTMLDivElement>();
  const height = Math.round(420 * useZoom());
  const scale = Math.max(tokensIn(left), tokensIn(right));
  const ribbons = useMemo(() => {
    const drawn = (sent: readonly Sent[]) => layout(sent, height, scale, lineGap.wide);
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
          {...(caches[0] && { cache: caches[0] })}
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
          {...(caches[1] && { cache: caches[1] })}
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

export function tokensIn(sent: readonly Sent[]): number {
  return sent.reduce((sum, { tokens }) => sum + tokens, 0);
}

function labelOf(side: string, sent: readonly Sent[]): string {
  return `The ${side} prompt: ${plural(tokensIn(sent), "token")} in ${plural(sent.length, "section")}`;
}
