import { memo } from "react";
import { type DayTick, seamsBetween } from "../../../billing/timeline.ts";
import type { Layout } from "../../../strata/layout.ts";
import type { Stratum } from "../../../strata/stratum.ts";
import type { Geometry } from "./core.tsx";

export const axisHeight = 20;

const strokes: Readonly<Record<Stratum["mutability"], string>> = {
  fixed: "stroke-fixed",
  amendable: "stroke-amendable",
  live: "stroke-live",
};

/** What lies behind the samples: lines from each section to itself in the next, days beneath. */
export const Backdrop = memo(function Backdrop(props: {
  readonly layouts: readonly Layout[];
  readonly geometry: Geometry;
  readonly days: readonly DayTick[];
  readonly grid: readonly number[];
}) {
  const { layouts, geometry, days, grid } = props;
  const { zoom, pitch, marks, height, scale } = geometry;
  const width = layouts.length * pitch;
  const axis = marks + height + 6 * zoom;
  return (
    <svg aria-hidden="true" width={width} height={axis + axisHeight * zoom} className="absolute inset-0 block">
      {grid.map((tokens) => {
        const y = marks + (tokens / scale) * height;
        return <line key={tokens} x1={0} x2={width} y1={y} y2={y} className="stroke-line" strokeDasharray="1 3" />;
      })}
      {layouts.slice(1).map((layout, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a gap is its place.
        <Seams key={index} left={layouts[index] as Layout} right={layout} at={index} geometry={geometry} />
      ))}
      {days.map(({ at, day, named }) => {
        const x = at * pitch + (at === 0 ? 1 : 0);
        return (
          <g key={day + at}>
            <line x1={x} x2={x} y1={marks} y2={axis + 6 * zoom} className="stroke-line" />
            {named && (
              <text x={x + 4 * zoom} y={axis + 15 * zoom} className="fill-soft text-[0.6875rem]">
                {day}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
});

type SeamsProps = { readonly left: Layout; readonly right: Layout; readonly at: number; readonly geometry: Geometry };

function Seams({ left, right, at, geometry: { pitch, core, marks } }: SeamsProps) {
  const from = at * pitch + (pitch + core) / 2;
  const to = (at + 1) * pitch + (pitch - core) / 2;
  return seamsBetween(left, right).map(({ left: start, right: end, mutability, step }) => (
    <line
      key={`${start}/${end}`}
      x1={from}
      x2={to}
      y1={marks + start}
      y2={marks + end}
      strokeWidth={step ? 1.75 : 1}
      className={`${strokes[mutability]} ${step ? "opacity-90" : "opacity-35"}`}
    />
  ));
}
