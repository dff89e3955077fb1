import { once, type StandInRule } from "./stand-in-move.ts";
import { newestPassage } from "./stand-in-view.ts";

/** What the stand-in makes of reminders and zones, where an assistant is offered the tools for them. */
export const reminderRules: readonly StandInRule[] = [
  {
    when: /^A reminder the user asked for is due now\.[^\n]*\n+([\s\S]+)/,
    move: ([words = ""]) => ({ says: [`A reminder: ${words.trim()}`] }),
  },
  {
    when: /\bremind me in (\d{1,4}|an?) (minute|hour)s? (?:to |that |of |about )?([\s\S]+)/i,
    offered: ["set_reminder"],
    move: once(([many = "", unit = "", text = ""], { told }) => {
      const minutes = (/\d/.test(many) ? Number(many) : 1) * (unit.toLowerCase() === "hour" ? 60 : 1);
      const at = localLater(newestPassage(told, /^Current Time$/)?.words ?? "", minutes);
      return { set_reminder: at === undefined ? undefined : { text: text.trim(), at } };
    }),
  },
  {
    when: /\b(?:my time ?zone is|i (?:live|am) in the time ?zone) ([\w+/-]+)/i,
    offered: ["set_time_zone"],
    move: once(([zone]) => ({ set_time_zone: { zone } })),
  },
  {
    when: /\bwhat is (?:scheduled|coming)\b|\bmy reminders\b/i,
    offered: ["list_reminders"],
    move: once(() => ({ list_reminders: {} })),
  },
];

export const reminderTries = [["set_reminder", "remind me in 2 minutes to stretch"]] as const;

/** “Wednesday, February 18, 2026 at 08:34 PM (Asia/Kolkata)”, so many minutes later on the same wall. */
function localLater(words: string, minutes: number): string | undefined {
  const said = /^\w+, (\w+ \d{1,2}, \d{4}) at (\d\d):(\d\d) (AM|PM)/.exec(words);
  if (!said) return undefined;
  const [, day, hour, minute, half] = said;
  const at = Date.parse(`${day} ${hour}:${minute} ${half} UTC`);
  return Number.isNaN(at) ? undefined : new Date(at + minutes * 60_000).toISOString().slice(0, 16);
}
