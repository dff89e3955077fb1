import { timeText } from "../../../kit/words.ts";

const endOfDates = 8.64e12;

/** The time of an event, which may be any number of seconds since 1970. */
export function eventTime(seconds: number): string {
  return seconds <= endOfDates ? timeText(new Date(seconds * 1000).toISOString()) : "invalid time";
}
