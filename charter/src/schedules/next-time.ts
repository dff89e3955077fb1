import { Cron } from "croner";
import { soundZone } from "./zone.ts";

/** A cron line, the time zone it is read in, and the time after which it is looked for. */
type NextTimeOptions = { readonly cron: string; readonly zone: string; readonly after: string };

/**
 * When a cron line comes next in a time zone, after a given time; `null` if never. An unknown zone counts as UTC.
 *
 * When the clocks change: a line with one hour and one minute comes once on every day it names. A time that spring
 * skips comes at the first minute after the gap, a time that autumn repeats comes the first time. A line with several
 * hours or minutes (lists, ranges, steps) follows the clock on the wall: it leaves out what spring skips, and comes
 * twice in the hour autumn repeats.
 */
export function nextTime({ cron, zone, after }: NextTimeOptions): string | null {
  return timesOf(cron, zone).nextRun(new Date(after))?.toISOString() ?? null;
}

/** The newest of its times from `from` up to `to`, both included, in order: at most `most` of them. */
export function newestTimes(
  { cron, zone }: Pick<NextTimeOptions, "cron" | "zone">,
  { from, to, max: limit }: { readonly from: string; readonly to: string; readonly max: number },
): string[] {
  // What croner counts back from is not among what it gives; times are whole seconds.
  const after = new Date(Date.parse(to) + 1000);
  const times = timesOf(cron, zone);
  // Each one it counts back takes as long as a read of the store, and most often one has passed: few are asked for first.
  for (let count = 2; ; count = Math.min(count * 6, limit + 1)) {
    const found = times.previousRuns(count, after).map((time) => time.toISOString());
    if (count <= limit && found.length === count && (found.at(-1) as string) >= from) continue;
    return found
      .filter((time) => time >= from && time <= to)
      .slice(0, limit)
      .reverse();
  }
}

function timesOf(cron: string, zone: string): Cron {
  return new Cron(cron, { timezone: soundZone(zone), mode: "5-or-6-parts" });
}
