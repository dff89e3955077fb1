/** How often a reminder comes. */
export const repeats = ["once", "daily", "weekdays", "weekly", "monthly"] as const;
export type Repeat = (typeof repeats)[number];

export const repeatWords: Readonly<Record<Repeat, string>> = {
  once: "Once",
  daily: "Every day",
  weekdays: "Monday to Friday",
  weekly: "Every week",
  monthly: "Every month",
};

/** The first time and how often, as a cron line; nothing where it comes once. `at` is as a date field has it. */
export function cronOf(repeat: Repeat, at: string): string | undefined {
  const [, month, day, hour, minute] = /^\d+-(\d+)-(\d+)T(\d+):(\d+)/.exec(at)?.map(Number) ?? [];
  if (repeat === "once" || month === undefined) return undefined;
  const time = `${minute} ${hour}`;
  if (repeat === "daily") return `${time} * * *`;
  if (repeat === "weekdays") return `${time} * * 1-5`;
  if (repeat === "monthly") return `${time} ${day} * *`;
  return `${time} * * ${new Date(at).getDay()}`;
}

/** A time as a date field takes it, by this device's clock. */
export function localField(at: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Tomorrow at nine. */
export function usualTime(now = new Date()): string {
  const at = new Date(now);
  at.setDate(at.getDate() + 1);
  at.setHours(9, 0, 0, 0);
  return localField(at);
}
