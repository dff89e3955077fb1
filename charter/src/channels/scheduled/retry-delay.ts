/** A minute after the first try that failed, then two, four, eight, up to an hour. */
const firstMs = 60_000;
const maxMs = 3_600_000;

/** How long to wait after so many tries. Half of it is left to chance, so that what failed together is not tried together. */
export function retryDelayMs(tries: number, random: () => number): number {
  const whole = Math.min(maxMs, firstMs * 2 ** (tries - 1));
  return Math.round(whole / 2 + (whole / 2) * random());
}
