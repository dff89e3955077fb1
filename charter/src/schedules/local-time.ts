import { Cron } from "croner";
import { Problem } from "../prompt/problem.ts";
import { soundZone } from "./zone.ts";

const withoutZone = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.\d+)?)?)?$/;

/**
 * A moment someone named: as it stands where it says its zone (`2026-03-01T09:00:00+01:00`, `…Z`), else in the zone
 * given. A time the spring leaves out is as long after it as it would have been; one the autumn has twice is the first.
 */
export function momentOf(words: string, zone: string): string {
  const text = words.trim();
  const [, day, clock = "09:00", second = "00"] = withoutZone.exec(text) ?? [];
  if (day === undefined) {
    if (!/(?:Z|[+-]\d\d:?\d\d)$/i.test(text) || Number.isNaN(Date.parse(text))) throw badTime(words);
    return new Date(text).toISOString();
  }
  const asUtc = `${day}T${clock}:${second}`;
  const read = new Date(`${asUtc}Z`);
  // The 30th of February is no day, though it can be reckoned with.
  if (Number.isNaN(read.getTime()) || read.toISOString().slice(0, 19) !== asUtc) throw badTime(words);
  const moment = new Cron(asUtc, { timezone: soundZone(zone) }).getOnce();
  if (!moment) throw badTime(words);
  return moment.toISOString();
}

function badTime(words: string): Problem {
  return new Problem("bad-time", `“${words}” is no time.`, "Give an ISO 8601 time, as in 2026-02-18T15:04:00Z.");
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** A moment as someone in that zone would write it: `2026-03-01 09:00 (Europe/Berlin)`. */
export function localText(moment: string, zone: string): string {
  const timeZone = soundZone(zone);
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" });
    formats.set(timeZone, format);
  }
  return `${format.format(new Date(moment))} (${timeZone})`;
}
