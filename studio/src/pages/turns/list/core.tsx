import { memo } from "react";
import { Link } from "wouter";
import { placeOf } from "../../../app/place.ts";
import { MarkIcon } from "../../../billing/mark-icon.tsx";
import { type Mark, marksOf } from "../../../billing/marks.ts";
import type { Sample } from "../../../billing/sample.ts";
import { sampleText } from "../../../billing/told.ts";
import { handInk } from "../../../kit/hand.tsx";
import type { Layout } from "../../../strata/layout.ts";
import { Strata } from "../../../strata/strata.tsx";
import type { Stratum } from "../../../strata/stratum.ts";
import { crackAt, crackPath } from "./crack.ts";

/** Where things are in the picture, in pixels. */
export type Geometry = {
  readonly zoom: number;
  readonly pitch: number;
  readonly core: number;
  readonly marks: number;
  readonly height: number;
  readonly scale: number;
};

/** A core sample: the sections of a turn as narrow bands, its marks above them, a crack where the cache broke. */
export const Core = memo(function Core(props: {
  readonly sample: Sample;
  readonly strata: readonly Stratum[];
  readonly layout: Layout;
  readonly geometry: Geometry;
  readonly index: number;
  readonly inTabOrder: boolean;
  readonly agent: string;
  readonly onFocus: (index: number) => void;
}) {
  const { sample, strata, layout, geometry, index, inTabOrder, agent, onFocus } = props;
  const { pitch, core, marks, height, scale, zoom } = geometry;
  return (
    <li className="absolute inset-y-0" style={{ left: index * pitch, width: pitch }}>
      <Link
        href={placeOf(agent, "turns", sample.turn)}
        data-walk={index}
        tabIndex={inTabOrder ? 0 : -1}
        aria-label={sampleText(sample)}
        className="relative block h-full outline-offset-[-2px]"
        onFocus={() => onFocus(index)}
      >
        <span
          className="absolute inset-x-0 top-0 flex flex-col items-center justify-end gap-0.5 pb-1"
          style={{ height: marks }}
        >
          {marksOf(sample).map((mark) => (
            <Sign key={mark.kind + ("hand" in mark ? mark.hand : "")} mark={mark} size={11 * zoom} />
          ))}
        </span>
        <div aria-hidden="true" className="absolute" style={{ top: marks, left: (pitch - core) / 2, width: core }}>
          {strata.length > 0 ? (
            <Strata strata={strata} height={height} scale={scale} width="narrow" label="" />
          ) : (
            <div className="rounded-sm border border-soft border-dashed" style={{ height: Math.round(height / 5) }} />
          )}
          {sample.missed && strata.length > 0 && (
            <Crack width={core + 4 * zoom} at={crackAt(sample.broke, layout)} zoom={zoom} />
          )}
        </div>
      </Link>
    </li>
  );
});

function Sign({ mark, size }: { readonly mark: Mark; readonly size: number }) {
  return (
    <span className="flex items-center gap-px">
      <MarkIcon kind={mark.kind} size={size} />
      {mark.kind === "amended" && (
        <span className={`text-[0.625rem] leading-none ${handInk[mark.hand]}`}>{mark.hand[0]}</span>
      )}
    </span>
  );
}

function Crack({ width, at, zoom }: { readonly width: number; readonly at: number; readonly zoom: number }) {
  const height = 7 * zoom;
  const path = crackPath(width, height);
  return (
    <svg
      aria-hidden="true"
      width={width}
      height={height}
      className="absolute overflow-visible"
      style={{ top: at - height / 2, left: -2 * zoom }}
    >
      <path d={path} fill="none" className="stroke-card" strokeWidth={5 * zoom} />
      <path d={path} fill="none" className="stroke-bad" strokeWidth={1.8 * zoom} />
    </svg>
  );
}
