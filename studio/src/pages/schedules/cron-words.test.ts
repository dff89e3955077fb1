import { expect, test } from "vitest";
import { cronWords } from "./cron-words.ts";

const lines: [cron: string, words: string][] = [
  ["0 8 * * 1-5", "weekdays at 08:00"],
  ["0 8 * * MON-FRI", "weekdays at 08:00"],
  ["30 7 * * *", "every day at 07:30"],
  ["0 30 7 * * *", "every day at 07:30"],
  ["@daily", "every day at 00:00"],
  ["0 10 * * 0,6", "weekends at 10:00"],
  ["0 18 * * 0,3,5", "Wednesdays, Fridays and Sundays at 18:00"],
  ["0 9 * * 7", "Sundays at 09:00"],
  ["0 8,13,18 * * *", "every day at 08:00, 13:00 and 18:00"],
  ["* * * * *", "every minute"],
  ["*/15 * * * *", "every 15 minutes"],
  ["*/15 * * * 1-5", "every 15 minutes, weekdays"],
  ["5 * * * *", "every hour at :05"],
  ["@hourly", "every hour at :00"],
  ["0,30 * * * *", "every 30 minutes"],
  ["0 */2 * * *", "every 2 hours at :00"],
  ["0 9 1 * *", "on the 1st of each month at 09:00"],
  ["0 9 1,15 * *", "on the 1st and 15th of each month at 09:00"],
  ["0 9 22 * *", "on the 22nd of each month at 09:00"],
  ["0 9 12 * *", "on the 12th of each month at 09:00"],
  ["0 9 24 12 *", "on 24 December at 09:00"],
  ["0 9 * DEC 1", "Mondays in December at 09:00"],
  ["0 9 L * *", "0 9 L * *"],
  ["0 9 * * MON#1", "0 9 * * MON#1"],
  ["0 9 1 * 1", "0 9 1 * 1"],
  ["15 30 7 * * *", "15 30 7 * * *"],
  ["7,8,9,10,11 * * * *", "7,8,9,10,11 * * * *"],
  ["nonsense", "nonsense"],
];
for (const [cron, words] of lines) test(`${cron} is “${words}”`, () => expect(cronWords(cron)).toBe(words));
