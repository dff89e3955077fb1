/** Steps a person reads easily: 1, 2 or 5, times a power of ten. */
function niceStep(most: number, about: number): number {
  if (!(most > 0)) return 1;
  const rough = most / Math.max(1, about);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((one) => one * power >= rough * 0.999_999) ?? 10) * power;
  return step;
}

/** Where an axis from 0 to `most` is marked, about so many times. 0 is first; nothing beyond `most`. */
export function niceTicks(most: number, about = 4): readonly number[] {
  if (!(most > 0)) return [0];
  const step = niceStep(most, about);
  const times = Math.floor(most / step + 1e-9);
  return Array.from({ length: times + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}

/** The end of an axis that shows all of it: the first mark that nothing goes beyond. */
export function niceEnd(most: number, about = 4): number {
  if (!(most > 0)) return 1;
  const step = niceStep(most, about);
  return Number((Math.ceil(most / step - 1e-9) * step).toPrecision(12));
}

/** From values to pixels. */
export function linear(
  values: readonly [number, number],
  pixels: readonly [number, number],
): (value: number) => number {
  const [from, to] = values;
  const [start, end] = pixels;
  return (value) => (to === from ? start : start + ((value - from) / (to - from)) * (end - start));
}

type Point = { readonly x: number; readonly y: number };

/** A line through points, parted where one is missing. A point that stands alone is a dot. */
export function linePath(points: readonly (Point | undefined)[]): string {
  let path = "";
  let drawing = false;
  points.forEach((point, at) => {
    if (!point) {
      drawing = false;
      return;
    }
    const place = `${round(point.x)} ${round(point.y)}`;
    path += drawing ? `L${place}` : `M${place}`;
    if (!drawing && !points[at + 1]) path += "h.01";
    drawing = true;
  });
  return path;
}

const round = (value: number) => Math.round(value * 100) / 100;

/** From where to where something lies in a pile. */
type Piled = { readonly from: number; readonly to: number };

/** Amounts on top of each other, the first at the bottom. What is less than nothing is nothing. */
export function pile(amounts: readonly number[]): readonly Piled[] {
  let from = 0;
  return amounts.map((amount) => {
    const lies = { from, to: from + Math.max(0, amount) };
    from = lies.to;
    return lies;
  });
}

/** Each amount with all before it. */
export function running(amounts: readonly number[]): readonly number[] {
  return pile(amounts).map(({ to }) => to);
}

/** The keys with the largest sums, largest first. */
export function largest(sums: ReadonlyMap<string, number>, most: number): readonly string[] {
  return [...sums]
    .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
    .slice(0, most)
    .map(([key]) => key);
}
