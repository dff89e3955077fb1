import { type CronLine, cronLine } from "./cron-field.ts";

export type Asked = {
  readonly cron: string;
  readonly zone: string;
  /** In milliseconds, both included. */
  readonly from: number;
  readonly to: number;
  readonly max: number;
};

const dayMs = 86_400_000;

/**
 * When a cron line comes by a zone's clock, in order, at most `most` times: for a picture, not for a plan. Nothing comes
 * back where the line or the zone is not one that is read here. On a day the clocks change, a time the clock leaves out is
 * as far from midnight as on other days, and one it has twice comes once.
 */
export function cronTimes({ cron, zone, from, to, max: most }: Asked): readonly number[] | undefined {
  const line = cronLine(cron);
  const offset = offsetIn(zone);
  if (!line || !offset) return undefined;
  const times: number[] = [];
  // A day here is the zone's own, as if it were one of UTC: so its fields can be asked for.
  for (let day = dayOf(from + offset(from)); day <= to + dayMs && times.length < most; day += dayMs) {
    if (!comesOn(line, new Date(day))) continue;
    const [early, late] = [offset(day - offset(day)), offset(day + dayMs - offset(day))];
    for (const hour of line.hour.values)
      for (const minute of line.minute.values) {
        const local = day + ((hour * 60 + minute) * 60 + line.second) * 1000;
        const time = early === late ? local - early : local - offset(local - early);
        if (time >= from && time <= to && times.length < most) times.push(time);
      }
  }
  return times;
}

const dayOf = (time: number) => Math.floor(time / dayMs) * dayMs;

/** Where both the day of the month and of the week are named, either will do. */
function comesOn({ day, month, weekday }: CronLine, date: Date): boolean {
  if (!month.values.includes(date.getUTCMonth() + 1)) return false;
  const byDay = day.values.includes(date.getUTCDate());
  const byWeek = weekday.values.includes(date.getUTCDay());
  return day.all || weekday.all ? byDay && byWeek : byDay || byWeek;
}

/** How far a zone's clock is ahead of UTC at a time, in milliseconds; nothing for a zone the browser does not know. */
function offsetIn(zone: string): ((time: number) => number) | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return undefined;
  }
  return (time) => {
    const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1000) * 1000;
  };
}
