/** Steps a person reads easily: 1, 2 or 5, times a power of ten. */
export function niceStep(most: number, about: number): number {
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
