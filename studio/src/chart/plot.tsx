import { type PointerEvent, type ReactNode, useState } from "react";
import { Link } from "wouter";
import { Hint } from "../kit/hint.tsx";
import { useWalk } from "../kit/list.tsx";
import { useSize, useZoom } from "../kit/window.ts";
import { linear, niceEnd, niceTicks } from "./scale.ts";

/** Something that is drawn side by side with others: what it is, in words, and where it leads. */
export type Item = { readonly key: string; readonly says: string; readonly href: string };

export type Tick = { readonly at: number; readonly text: string };

/** Where to draw: items lie in columns of equal width, values go up. */
export type Ground = {
  readonly zoom: number;
  readonly column: number;
  readonly top: number;
  readonly bottom: number;
  readonly left: (index: number) => number;
  readonly middle: (index: number) => number;
  readonly y: (value: number) => number;
};

/**
 * A chart of many things in a row. The arrow keys walk along them, Enter opens one, and what one looks at is told
 * beneath. `most` is the largest value there is.
 */
export function Plot(props: {
  readonly label: string;
  readonly items: readonly Item[];
  readonly most: number;
  readonly height?: number;
  readonly value: (value: number) => string;
  /** Where days begin, of which two that are named lie so many columns apart at least. */
  readonly days: (apart: number) => readonly Tick[];
  readonly draw: (ground: Ground) => ReactNode;
  readonly told: (index: number) => ReactNode;
}) {
  const { label, items, most, height = 200, value, days, draw, told } = props;
  const [box, { width }] = useSize<HTMLDivElement>();
  const zoom = useZoom();
  const [looked, setLooked] = useState<number>();
  const walk = useWalk<HTMLOListElement>(items.length, items.length - 1);
  const end = niceEnd(most, 4);
  const side = 46 * zoom;
  const foot = 20 * zoom;
  const top = 8 * zoom;
  const bottom = top + height * zoom;
  const column = Math.max(0, Math.min(72 * zoom, (width - side) / Math.max(1, items.length)));
  const y = linear([0, end], [bottom, top]);
  const left = (index: number) => side + index * column;
  const ground: Ground = { zoom, column, top, bottom, left, middle: (index) => left(index) + column / 2, y };
  const at = looked === undefined ? items.length - 1 : Math.min(looked, items.length - 1);
  const moved = ({ currentTarget, clientX }: PointerEvent) => {
    const index = Math.floor((clientX - currentTarget.getBoundingClientRect().left) / column);
    if (index !== at && index >= 0 && index < items.length) setLooked(index);
  };
  return (
    <div ref={box} className="min-w-0">
      {width > 0 && (
        <div className="relative" style={{ height: bottom + foot }}>
          <svg role="img" aria-label={label} width={width} height={bottom + foot} className="absolute inset-0 block">
            {niceTicks(end, 4).map((tick) => (
              <g key={tick}>
                <line x1={side} x2={width} y1={y(tick)} y2={y(tick)} className="stroke-line" />
                <text
                  x={side - 6 * zoom}
                  y={y(tick) + 4 * zoom}
                  textAnchor="end"
                  className="fill-soft text-[0.6875rem] tabular-nums"
                >
                  {value(tick)}
                </text>
              </g>
            ))}
            <rect x={left(at)} y={top} width={column} height={bottom - top} className="fill-ink/8" />
            {draw(ground)}
            {days((52 * zoom) / column).map((day) => (
              <Day key={day.at} day={day} ground={ground} width={width} />
            ))}
          </svg>
          <ol
            ref={walk.around}
            aria-label={label}
            className="absolute top-0"
            style={{ left: side, width: items.length * column, height: bottom }}
            onPointerMove={moved}
            onKeyDown={walk.pressed}
          >
            {items.map(({ key, says, href }, index) => (
              <li key={key} className="absolute inset-y-0" style={{ left: index * column, width: column }}>
                <Link
                  href={href}
                  data-walk={index}
                  tabIndex={walk.at === index ? 0 : -1}
                  aria-label={says}
                  className="block h-full outline-offset-[-1px]"
                  onFocus={() => {
                    walk.arrived(index);
                    setLooked(index);
                  }}
                />
              </li>
            ))}
          </ol>
        </div>
      )}
      <div className="min-h-12 text-sm">{told(at)}</div>
    </div>
  );
}

type DayProps = { readonly day: Tick; readonly ground: Ground; readonly width: number };

function Day({ day: { at, text }, ground: { left, bottom, zoom }, width }: DayProps) {
  const atEdge = left(at) + 44 * zoom > width;
  return (
    <g>
      <line x1={left(at)} x2={left(at)} y1={bottom} y2={bottom + 6 * zoom} className="stroke-soft" />
      <text
        x={atEdge ? width : left(at) + 3 * zoom}
        y={bottom + 15 * zoom}
        textAnchor={atEdge ? "end" : "start"}
        className="fill-soft text-[0.6875rem]"
      >
        {text}
      </text>
    </g>
  );
}

/** A chart with its name, a sentence about it, what explains it, and the same as a table behind it. */
export function Figure(props: {
  readonly title: string;
  readonly about?: ReactNode;
  readonly hint?: ReactNode;
  readonly table: Table;
  readonly children: ReactNode;
}) {
  const { title, about, hint, table, children } = props;
  return (
    <section className="min-w-0 rounded-lg border border-line bg-card p-4">
      <h2 className="flex items-center gap-1 font-medium">
        {title}
        {hint && <Hint about={title}>{hint}</Hint>}
      </h2>
      {about && <div className="mb-2 max-w-3xl text-sm text-soft">{about}</div>}
      {children}
      <details className="mt-1 text-sm">
        <summary className="text-accent">As a table</summary>
        <Rows title={title} table={table} />
      </details>
    </section>
  );
}

type Table = {
  readonly head: readonly string[];
  /** The first of each row is its name. */
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[];
};

function Rows({ title, table: { head, rows } }: { readonly title: string; readonly table: Table }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keys.
    <section aria-label={`${title}, as a table`} tabIndex={0} className="mt-2 max-h-96 overflow-auto">
      <table className="w-full text-sm tabular-nums">
        <caption className="sr-only">{title}</caption>
        <thead>
          <tr className="border-line border-b">
            {head.map((name, index) => (
              <th
                key={name}
                scope="col"
                className={`sticky top-0 bg-card py-1 pr-4 font-medium text-soft text-xs ${index === 0 ? "text-left" : "text-right"}`}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [first, ...others] }) => (
            <tr key={key} className="border-line/60 border-b last:border-0">
              <th scope="row" className="py-1 pr-4 text-left font-normal whitespace-nowrap">
                {first}
              </th>
              {others.map((cell, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell is its column.
                <td key={index} className="py-1 pr-4 text-right whitespace-nowrap">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
