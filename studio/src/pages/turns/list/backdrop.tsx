import { memo } from "react";
import { type DayTick, type SessionBracket, seamsBetween } from "../../../billing/timeline.ts";
import { fills } from "../../../strata/bands.tsx";
import type { Layout } from "../../../strata/layout.ts";
import type { Stratum } from "../../../strata/stratum.ts";
import type { Geometry } from "./core.tsx";

/** So many sessions at once have a lane; of more only the turns themselves are seen. */
export const maxLanes = 4;
export const laneHeight = 15;
export const axisHeight = 20;

const strokes: Readonly<Record<Stratum["mutability"], string>> = {
  fixed: "stroke-fixed",
  amendable: "stroke-amendable",
  live: "stroke-live",
};

/** What lies behind the samples: lines from each section to itself in the next, sessions and days beneath. */
export const Backdrop = memo(function Backdrop(props: {
  readonly layouts: readonly Layout[];
  readonly geometry: Geometry;
  readonly brackets: readonly SessionBracket[];
  readonly days: readonly DayTick[];
  readonly lanes: number;
  readonly grid: readonly number[];
}) {
  const { layouts, geometry, brackets, days, lanes, grid } = props;
  const { zoom, pitch, marks, height, scale } = geometry;
  const width = layouts.length * pitch;
  const foot = marks + height + 6 * zoom;
  const axis = foot + lanes * laneHeight * zoom;
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
      {brackets
        .filter(({ lane }) => lane < lanes)
        .map((bracket) => (
          <Bracket
            key={bracket.session}
            bracket={bracket}
            y={foot + (bracket.lane + 0.5) * laneHeight * zoom}
            geometry={geometry}
          />
        ))}
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

type BracketProps = { readonly bracket: SessionBracket; readonly y: number; readonly geometry: Geometry };

function Bracket({ bracket: { from, to, turns, user }, y, geometry: { pitch, zoom } }: BracketProps) {
  const middle = (at: number) => (at + 0.5) * pitch;
  const wide = (to - from) * pitch;
  return (
    <g>
      <path
        d={`M${middle(from) - 4 * zoom} ${y - 3 * zoom}v${6 * zoom}M${middle(from) - 4 * zoom} ${y}H${middle(to) + 4 * zoom}m0 ${-3 * zoom}v${6 * zoom}`}
        fill="none"
        className="stroke-soft opacity-60"
      />
      {turns.map((at) => (
        <circle key={at} cx={middle(at)} cy={y} r={2.2 * zoom} className={fills.fixed} />
      ))}
      {user !== undefined && wide > 64 * zoom && (
        <text
          x={middle(from) + wide / 2}
          y={y + 3.5 * zoom}
          textAnchor="middle"
          className="fill-soft stroke-[4px] stroke-card text-[0.625rem] [paint-order:stroke]"
        >
          {short(user, wide / (6.5 * zoom) - 5)}
        </text>
      )}
    </g>
  );
}

function short(name: string, most: number): string {
  const letters = [...name];
  return letters.length <= most ? name : `${letters.slice(0, Math.max(1, Math.floor(most) - 1)).join("")}…`;
}
