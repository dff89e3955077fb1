import type { RunListAnswer } from "charter/answers";
import { count, plural } from "../../kit/words.ts";
import { type Ahead, type Axis, marksOf, maxTicks, placeOn, type Span } from "./times.ts";

export type Run = RunListAnswer["runs"][number];

const wide = 1000;
const high = 28;

/** How each state is drawn: final and good, final and silent, open, not. */
export const stateInk: Readonly<Record<Run["state"], string>> = {
  answered: "text-good",
  quiet: "text-live",
  waiting: "text-wait",
  running: "text-wait",
  failed: "text-bad",
  missed: "text-bad",
  skipped: "text-soft",
};

/** A schedule on the time line: what it was due for, left of now, by what became of it; when it comes, right of it. */
export function TimeStrip({
  axis,
  span,
  ahead,
  runs,
}: {
  readonly axis: Axis;
  readonly span: Span;
  readonly ahead: Ahead;
  readonly runs: readonly Run[];
}) {
  const shown = runs.filter(({ dueAt }) => placeOn(axis, Date.parse(dueAt)) !== undefined);
  const coming = ahead.times.filter((time) => placeOn(axis, time) !== undefined);
  const x = (time: number) => ((placeOn(axis, time) ?? 0) * wide).toFixed(2);
  const states = [...new Set(shown.map(({ state }) => state))];
  const dense = coming.length >= maxTicks;
  return (
    <svg
      role="img"
      aria-label={says(shown, coming.length, dense)}
      viewBox={`0 0 ${wide} ${high}`}
      preserveAspectRatio="none"
      className="block h-7 w-full rounded-sm bg-paper"
    >
      <Ticks at={marksOf(axis, span).map(({ at }) => x(at))} width={1} className="text-line" />
      {states.map((state) => (
        <Ticks
          key={state}
          at={shown.filter((run) => run.state === state).map(({ dueAt }) => x(Date.parse(dueAt)))}
          {...{ from: 4, length: 20, width: 5, className: stateInk[state] }}
        />
      ))}
      {dense ? (
        <rect
          x={x(coming[0] as number)}
          y="9"
          height="10"
          width={wide - Number(x(coming[0] as number))}
          className="fill-accent/60"
        />
      ) : (
        <Ticks at={coming.map(x)} from={7} length={14} width={2.5} className="text-accent" />
      )}
      <Ticks at={[x(axis.now)]} width={1.5} className="text-ink" />
    </svg>
  );
}

type TicksProps = {
  readonly at: readonly string[];
  readonly from?: number;
  readonly length?: number;
  readonly width: number;
  readonly className: string;
};

function Ticks({ at, from = 0, length = high, width, className }: TicksProps) {
  return (
    <path
      d={at.map((place) => `M${place} ${from}v${length}`).join("")}
      stroke="currentColor"
      strokeWidth={width}
      vectorEffect="non-scaling-stroke"
      {...{ className }}
    />
  );
}

function says(runs: readonly Run[], coming: number, dense: boolean): string {
  const counted = new Map<string, number>();
  for (const { state } of runs) counted.set(state, (counted.get(state) ?? 0) + 1);
  const past = [...counted].map(([state, many]) => `${many} ${state}`).join(", ");
  return `${plural(runs.length, "run")} before now${past === "" ? "" : ` (${past})`}; ${dense ? "very often" : count(coming)} upcoming`;
}

const dayName = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric" });
const hourName = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** The names of the axis' lines, once above all strips. Where there is little room every other one is left out. */
export function AxisNames({ axis, span }: { readonly axis: Axis; readonly span: Span }) {
  return (
    <div aria-hidden="true" className="relative h-4 overflow-hidden text-[0.7rem] text-soft">
      {marksOf(axis, span).map(({ at, midnight }, index) => (
        <span
          key={at}
          style={{ left: `${(placeOn(axis, at) ?? 0) * 100}%` }}
          className={`absolute whitespace-nowrap pl-1 ${index % 3 === 0 ? "" : "hidden lg:inline"}`}
        >
          {midnight ? dayName.format(at) : hourName.format(at)}
        </span>
      ))}
    </div>
  );
}

const signs = [
  ["h-3.5 w-1 bg-good", "answered"],
  ["h-3.5 w-1 bg-live", "nothing to report"],
  ["h-3.5 w-1 bg-bad", "failed or missed"],
  ["h-3.5 w-1 bg-wait", "waiting or running"],
  ["h-3.5 w-1 bg-soft", "skipped"],
  ["h-2.5 w-0.5 bg-accent", "upcoming"],
] as const;

/** What the ticks of the time line mean. */
export function StripLegend() {
  return (
    <ul className="mb-3 flex flex-wrap gap-x-4 gap-y-1 text-soft text-xs">
      {signs.map(([look, says]) => (
        <li key={says} className="flex items-center gap-1.5">
          <span className={look} />
          {says}
        </li>
      ))}
    </ul>
  );
}
