import { type PointerEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import type { Sample } from "../../../billing/sample.ts";
import { niceTicks } from "../../../chart/scale.ts";
import { useWalk } from "../../../kit/list.tsx";
import { useWidth, useZoom } from "../../../kit/window.ts";
import { shortCount } from "../../../kit/words.ts";
import { bandAt } from "../../../strata/layout.ts";
import { axisHeight, Backdrop } from "./backdrop.tsx";
import { Core, type Geometry } from "./core.tsx";
import { usePicture } from "./use-picture.ts";

/** Which turn is looked at, and which section of it. */
export type Looked = { readonly turn: string; readonly section?: string | undefined };

/**
 * Core samples from the oldest on the left to the newest on the right, all on one scale: a change is a step. The
 * arrow keys walk along them and Enter opens one.
 */
export function Timeline(props: {
  readonly agent: string;
  /** Oldest first. */
  readonly samples: readonly Sample[];
  /** Which of them is looked at, and which section of it. */
  readonly at: number;
  readonly section: string | undefined;
  readonly onLook: (looked: Looked) => void;
}) {
  const { agent, samples, at, section, onLook } = props;
  const [room, width] = useWidth<HTMLDivElement>();
  const zoom = useZoom();
  const { drawn, geometry, layouts, days } = usePicture(samples, width, zoom);
  const { marks, height, pitch, scale } = geometry;
  const walk = useWalk<HTMLOListElement>(samples.length, samples.length - 1);
  const grid = useMemo(() => niceTicks(scale, 4), [scale]);
  useNewestInView(room, samples.at(-1)?.turn, pitch);
  const { arrived } = walk;
  const focused = useCallback(
    (index: number) => {
      arrived(index);
      const sample = samples[index];
      if (sample) onLook({ turn: sample.turn });
    },
    [arrived, samples, onLook],
  );
  const moved = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const index = Math.floor((event.clientX - box.left) / pitch);
    const sample = samples[index];
    if (!sample) return;
    const found = bandAt(layouts[index]?.bands ?? [], event.clientY - box.top - marks)?.stratum.name;
    if (index !== at || found !== section) onLook({ turn: sample.turn, section: found });
  };
  const full = marks + height + (6 + axisHeight) * zoom;
  return (
    <div className="flex">
      <Axis geometry={geometry} grid={grid} full={full} />
      <div ref={room} className="min-w-0 flex-1 overflow-x-auto">
        <div className="relative" style={{ width: samples.length * pitch, height: full }}>
          <div
            aria-hidden="true"
            className="absolute top-0 rounded-md bg-raised"
            style={{ left: at * pitch, width: pitch, height: marks + height + 6 * zoom }}
          />
          <Backdrop layouts={layouts} geometry={geometry} days={days} grid={grid} />
          <ol
            ref={walk.around}
            aria-label="Turns, oldest first"
            className="absolute inset-x-0 top-0"
            style={{ height: marks + height + 6 * zoom }}
            onPointerMove={moved}
            onKeyDown={walk.pressed}
          >
            {samples.map((sample, index) => (
              <Core
                key={sample.turn}
                sample={sample}
                strata={drawn[index] ?? []}
                layout={layouts[index] ?? { bands: [], line: { at: 0, tokens: 0 } }}
                geometry={geometry}
                index={index}
                inTabOrder={walk.at === index}
                agent={agent}
                onFocus={focused}
              />
            ))}
          </ol>
        </div>
      </div>
    </div>
  );
}

type AxisProps = { readonly geometry: Geometry; readonly grid: readonly number[]; readonly full: number };

function Axis({ geometry: { zoom, marks, height, scale }, grid, full }: AxisProps) {
  return (
    <svg aria-hidden="true" width={36 * zoom} height={full} className="shrink-0">
      <text x={0} y={11 * zoom} className="fill-soft text-[0.6875rem]">
        tokens
      </text>
      {grid.map((tokens) => (
        <text
          key={tokens}
          x={30 * zoom}
          y={marks + (tokens / scale) * height + 4 * zoom}
          textAnchor="end"
          className="fill-soft text-[0.6875rem] tabular-nums"
        >
          {shortCount(tokens)}
        </text>
      ))}
    </svg>
  );
}

/** The newest is in view at first, and stays so as new ones come; unless someone looks further back. */
function useNewestInView(
  room: React.RefObject<HTMLDivElement | null>,
  newest: string | undefined,
  pitch: number,
): void {
  const atEnd = useRef(true);
  useEffect(() => {
    const element = room.current;
    if (!element) return;
    const scrolled = () => {
      atEnd.current = element.scrollLeft + element.clientWidth >= element.scrollWidth - 2;
    };
    element.addEventListener("scroll", scrolled, { passive: true });
    return () => element.removeEventListener("scroll", scrolled);
  }, [room]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is new, and how wide it is, is why it scrolls.
  useLayoutEffect(() => {
    if (room.current && atEnd.current) room.current.scrollLeft = room.current.scrollWidth;
  }, [room, newest, pitch]);
}
