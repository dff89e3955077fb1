import { Cron } from "croner";

export type CronTimesOptions = {
  readonly cron: string;
  readonly zone: string;
  /** In milliseconds, both included. */
  readonly from: number;
  readonly to: number;
  readonly max: number;
};

/**
 * When a cron line comes by a zone's clock, in order, at most `max` times: reckoned as the server does. Nothing comes back
 * for a line or a zone that is none.
 */
export function cronTimes({ cron, zone, from, to, max }: CronTimesOptions): readonly number[] | undefined {
  const fields = cron.trim().split(/\s+/);
  // One second in the minute, or none: the server takes no other, nor a moment, which croner would.
  if (fields.length === 6 ? !/^\d+$/.test(fields[0] as string) : fields.length !== 5 && !cron.includes("@"))
    return undefined;
  try {
    const line = new Cron(cron.trim(), { timezone: zone, mode: "5-or-6-parts" });
    const times: number[] = [];
    for (let next = line.nextRun(new Date(from - 1)); next && times.length < max; next = line.nextRun(next)) {
      if (next.getTime() > to) break;
      times.push(next.getTime());
    }
    return times;
  } catch {
    return undefined;
  }
}
