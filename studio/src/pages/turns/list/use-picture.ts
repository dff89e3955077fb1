import { useMemo } from "react";
import { type Sample, strataOf, tokensIn } from "../../../billing/sample.ts";
import { commonScale, dayTicks } from "../../../billing/timeline.ts";
import { type Layout, layout, lineGap } from "../../../strata/layout.ts";
import type { Stratum } from "../../../strata/stratum.ts";
import type { Geometry } from "./core.tsx";

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

/** Everything the timeline draws, worked out once for the samples there are and the room they have. */
export function usePicture(samples: readonly Sample[], width: number, zoom: number) {
  const drawn = useMemo(() => samples.map(({ sections }) => strataOf(sections)), [samples]);
  const scale = useMemo(() => commonScale(samples.map(({ sections }) => tokensIn(sections))), [samples]);
  const pitch = Math.round(Math.min(64 * zoom, Math.max(34 * zoom, width / Math.max(1, samples.length))));
  const geometry = useMemo(
    (): Geometry => ({ zoom, pitch, core: Math.round(pitch * 0.62), marks: 46 * zoom, height: 264 * zoom, scale }),
    [zoom, pitch, scale],
  );
  const layouts = useMemo(
    () => drawn.map((strata: readonly Stratum[]): Layout => layout(strata, geometry.height, scale, lineGap.narrow)),
    [drawn, geometry, scale],
  );
  const days = useMemo(
    () => dayTicks(samples, (at) => day.format(new Date(at)), (50 * zoom) / pitch),
    [samples, pitch, zoom],
  );
  return { drawn, geometry, layouts, days };
}
