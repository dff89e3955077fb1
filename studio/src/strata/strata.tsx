import { type KeyboardEvent, memo, type PointerEvent, useId, useMemo, useState } from "react";
import { count, plural } from "../kit/words.ts";
import {
  type Band,
  bandAt,
  bandTitle,
  bandTokens,
  type CacheRule,
  layout,
  lineGap,
  lineText,
  type Stratum,
} from "./layout.ts";

type StrataProps = {
  readonly strata: readonly Stratum[];
  readonly height: number;
  /** What the picture is of, for whoever cannot see it. */
  readonly label: string;
  readonly selected?: string | undefined;
  readonly onSelect: (name: string) => void;
  /** Tokens that fill the height; all there are, unless said. */
  readonly scale?: number;
  /** How its prefix is cached; unknown, unless given. */
  readonly cache?: CacheRule | undefined;
  /** The section that was changed last is pointed out, with a few words on how. */
  readonly news?: { readonly name: string; readonly words: string } | undefined;
};

const unknown: CacheRule = { min: undefined };

/**
 * A prompt as strata: one band a section, as high as it has tokens, in the order it is delivered; hatched where
 * something was cut, with a line where the cached prefix ends. A band is chosen by hand or by keys.
 */
export function Strata(props: StrataProps) {
  const { strata, height, label, onSelect, scale = 0, cache = unknown, news } = props;
  const id = useId();
  const { bands, line } = useMemo(() => layout(strata, height, scale, lineGap), [strata, height, scale]);
  const hatched = bands.some(({ cut }) => cut);
  const [active, setActive] = useState<{ readonly index: number; readonly name: string }>();
  const selected = useMemo(
    // Of a section that is told anew further down, the last words count.
    () => bands.findLastIndex(({ strata }) => strata.some(({ name }) => name === props.selected)),
    [bands, props.selected],
  );
  const options = useMemo(() => ({ id: `${id}band`, selected }), [id, selected]);
  const found = ({ currentTarget, clientY }: { currentTarget: Element; clientY: number }) =>
    bandAt(bands, clientY - currentTarget.getBoundingClientRect().top);
  const hovered = (event: PointerEvent<SVGSVGElement>) => {
    const here = found(event);
    if (here?.stratum.name !== active?.name) setActive(here && { index: here.index, name: here.stratum.name });
  };
  const toBand = (index: number) => {
    const name = bands[index]?.strata[0]?.name;
    if (name !== undefined) setActive({ index, name });
  };
  const pressed = (event: KeyboardEvent) => {
    const now = active?.index ?? selected;
    const to = { ArrowDown: now + 1, ArrowUp: Math.max(0, now - 1), Home: 0, End: bands.length - 1 }[event.key];
    if (to !== undefined) toBand(Math.min(to, bands.length - 1));
    else if ((event.key === "Enter" || event.key === " ") && active) onSelect(active.name);
    else return;
    event.preventDefault();
  };
  const activeBand = active && bands[active.index];
  const focusable = bands.length > 0 && {
    role: "listbox",
    tabIndex: 0,
    "aria-activedescendant": active ? `${id}band${active.index}` : undefined,
  };
  return (
    <div className="relative w-full select-none" style={{ height }}>
      <svg
        width="100%"
        height={height}
        role="img"
        {...focusable}
        aria-label={label}
        className="block cursor-pointer"
        onPointerMove={hovered}
        onPointerLeave={() => setActive(undefined)}
        onClick={(event) => {
          const here = found(event);
          if (here) onSelect(here.stratum.name);
        }}
        onKeyDown={pressed}
        onFocus={({ currentTarget }) => {
          if (currentTarget.matches(":focus-visible") && active === undefined) toBand(Math.max(0, selected));
        }}
        onBlur={() => setActive(undefined)}
      >
        {hatched && <Hatch id={`${id}hatch`} />}
        <Bands bands={bands} options={options} hatch={`${id}hatch`} />
      </svg>
      {bands.length > 0 && <Line at={line.at} words={lineText(line.tokens, cache)} />}
      <Labels bands={bands} />
      <Mark band={bands[selected]} />
      {news && <News band={bands.findLast(({ strata }) => strata.some(({ name }) => name === news.name))} of={news} />}
      {activeBand && active && (
        <>
          <Mark band={activeBand} quiet />
          <Tip band={activeBand} name={active.name} height={height} />
        </>
      )}
    </div>
  );
}

/** Where the cached prefix ends. */
function Line({ at, words }: { readonly at: number; readonly words: string }) {
  return (
    <div
      style={{ top: at }}
      className="pointer-events-none absolute inset-x-0 flex -translate-y-1/2 items-center gap-1 text-accent"
    >
      <span className="w-1 shrink-0 border-accent border-t-2" />
      <span className="truncate text-[0.6875rem] leading-tight">{words}</span>
      <span className="min-w-1 flex-1 border-accent border-t-2" />
    </div>
  );
}

function Mark({ band, quiet = false }: { readonly band: Band | undefined; readonly quiet?: boolean }) {
  if (!band) return null;
  return (
    <span
      style={{ top: band.from - 1, height: drawnHeight(band.height) + 2 }}
      className={`pointer-events-none absolute -inset-x-0.5 rounded-[3px] border-2 ${quiet ? "border-ink/50" : "border-ink"}`}
    />
  );
}

/** A frame around what was changed last, and a tag on it that can be read however thin the band is. */
function News({ band, of }: { readonly band: Band | undefined; readonly of: NonNullable<StrataProps["news"]> }) {
  if (!band) return null;
  return (
    <span
      style={{ top: band.from - 2, height: drawnHeight(band.height) + 4 }}
      className="pointer-events-none absolute -inset-x-1 flex items-center justify-end rounded-[4px] border-3 border-good pe-9"
    >
      <span className="max-w-full truncate rounded-full bg-good px-2 py-0.5 font-medium text-[0.6875rem] text-card leading-tight">
        <span className="sr-only">Latest change: </span>
        <bdi className={band.height < leastForWords ? "" : "sr-only"}>{of.name}</bdi> {of.words}
      </span>
    </span>
  );
}

/** What the band under the hand, or chosen by keys, is. It stays inside the picture. */
function Tip({ band, name, height }: { readonly band: Band; readonly name: string; readonly height: number }) {
  const own = band.strata.find((stratum) => stratum.name === name);
  return (
    <span
      aria-hidden="true"
      style={placeOfTip(band, height)}
      className="pointer-events-none absolute left-1 z-10 max-w-72 rounded-md border border-line bg-card px-2 py-1 text-xs shadow-md [overflow-wrap:anywhere]"
    >
      <bdi className="font-medium">{name}</bdi> {own && plural(own.tokens, "token")}
      <span className="block text-soft">
        <bdi>{own?.layer}</bdi> · {own?.mutability}
        {own?.cut && " · trimmed"}
        {own?.tail && " · sent as a message"}
      </span>
      {band.strata.length > 1 && (
        <span className="block text-soft">
          {bandTitle(band)}: {plural(bandTokens(band), "token")} in one band
        </span>
      )}
    </span>
  );
}

/** Inside a high band, under what stands there; else beside it, where there is more room. */
function placeOfTip({ from, height }: Band, whole: number): { top: number } | { bottom: number } {
  if (height > 100) return { top: from + 28 };
  return from > whole / 2 ? { bottom: whole - from + 4 } : { top: from + height + 4 };
}

const fills = { fixed: "fill-fixed", amendable: "fill-amendable", live: "fill-live" } as const;
const inks = { fixed: "text-on-fixed", amendable: "text-on-amendable", live: "text-on-live" } as const;

/** A hair's breadth is left between two bands that are high enough to spare it. */
const drawnHeight = (height: number): number => (height > 4 ? height - 1 : Math.max(height, 0.75));

type Drawn = {
  readonly bands: readonly Band[];
  /** What their ids begin with, and which is chosen. */
  readonly options: { readonly id: string; readonly selected: number };
  readonly hatch: string;
};

/** The bands themselves. They are drawn anew only when they change, not as one moves over them. */
const Bands = memo(function Bands({ bands, options, hatch }: Drawn) {
  return bands.map((band, index) => {
    const box = { x: 0, y: band.from, width: "100%", height: drawnHeight(band.height) };
    const option = {
      id: `${options.id}${index}`,
      role: "option",
      "aria-label": bandWords(band),
      "aria-selected": index === options.selected,
    };
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a band is its place.
      <g key={index} {...option}>
        <rect {...box} className={fills[band.mutability]} />
        {band.cut && <rect {...box} fill={`url(#${hatch})`} />}
        {isEdited(band) && <rect {...box} width={5} className="fill-accent" />}
      </g>
    );
  });
});

function bandWords(band: Band): string {
  const [first] = band.strata;
  return [
    bandTitle(band),
    plural(bandTokens(band), "token"),
    band.mutability,
    ...(isEdited(band) ? ["edited"] : []),
    ...(band.cut ? ["trimmed"] : []),
    ...(first?.tail ? ["sent as a message"] : []),
  ].join(", ");
}

/** Somebody has changed its words: it is marked at its edge. */
function isEdited({ strata }: Band): boolean {
  return strata.some(({ revision }) => (revision ?? 0) > 0);
}

/** Diagonal lines: something was given up here. */
function Hatch({ id }: { readonly id: string }) {
  return (
    <defs>
      <pattern id={id} width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="2" height="7" className="fill-card opacity-45" />
      </pattern>
    </defs>
  );
}

/** Words on hatching stand on a plate of their own. */
const plates = { fixed: "bg-fixed px-1", amendable: "bg-amendable px-1", live: "bg-live px-1" } as const;

/** A band has its name on it from so many pixels on. */
const leastForWords = 13;

/** Names and tokens inside the bands that are high enough for them. */
const Labels = memo(function Labels({ bands }: { readonly bands: readonly Band[] }) {
  return bands.map((band, index) =>
    band.height < leastForWords ? null : (
      <span
        // biome-ignore lint/suspicious/noArrayIndexKey: a band is its place.
        key={index}
        aria-hidden="true"
        style={{ top: band.from, height: drawnHeight(band.height) }}
        className={`pointer-events-none absolute inset-x-0 flex justify-between gap-2 overflow-hidden px-2 leading-none ${band.height < 18 ? "text-[0.6875rem]" : "text-xs"} ${band.height < 40 ? "items-center" : "items-start pt-2"} ${inks[band.mutability]}`}
      >
        <bdi className={`truncate rounded-sm py-px font-medium ${band.cut ? plates[band.mutability] : ""}`}>
          {bandTitle(band)}
          {isEdited(band) && " · edited"}
        </bdi>
        <span className={`shrink-0 rounded-sm py-px tabular-nums ${band.cut ? plates[band.mutability] : ""}`}>
          {count(bandTokens(band))}
        </span>
      </span>
    ),
  );
});
