import { memo } from "react";
import { count, plural } from "../kit/words.ts";
import { bandTitle, bandTokens } from "./layout.ts";
import type { Band } from "./stratum.ts";

export const fills = { fixed: "fill-fixed", amendable: "fill-amendable", live: "fill-live" } as const;
const inks = { fixed: "text-on-fixed", amendable: "text-on-amendable", live: "text-on-live" } as const;

/** A hair's breadth is left between two bands that are high enough to spare it. */
export const drawnHeight = (height: number): number => (height > 4 ? height - 1 : Math.max(height, 0.75));

type Drawn = {
  readonly bands: readonly Band[];
  /** Where they can be chosen: what their ids begin with, and which is. */
  readonly options?: { readonly id: string; readonly selected: number } | undefined;
  readonly hatch: string;
};

/** The bands themselves. They are drawn anew only when they change, not as one moves over them. */
export const Bands = memo(function Bands({ bands, options, hatch }: Drawn) {
  return bands.map((band, index) => {
    const box = { x: 0, y: band.from, width: "100%", height: drawnHeight(band.height) };
    const option = options && {
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
    ...(first?.tail ? ["dynamic state"] : []),
  ].join(", ");
}

/** Somebody has changed its words: it is marked at its edge. */
function isEdited({ strata }: Band): boolean {
  return strata.some(({ revision }) => (revision ?? 0) > 0);
}

/** Diagonal lines: something was given up here. */
export function Hatch({ id }: { readonly id: string }) {
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
export const leastForWords = 13;

/** Names and tokens inside the bands that are high enough for them. */
export const Labels = memo(function Labels({ bands }: { readonly bands: readonly Band[] }) {
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
