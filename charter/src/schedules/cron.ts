import { Problem } from "../prompt/problem.ts";
import { nextTime } from "./next-time.ts";

const names = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/i;

/** A cron line as it is kept; a Problem says what is wrong with it. */
export function soundCron(line: string, zone: string, now: Date): string {
  const cron = line.trim().replace(/\s+/g, " ");
  const bad = (because: string) =>
    new Problem(
      "bad-cron",
      `The cron line “${line.slice(0, 100)}” ${because}.`,
      "Give minute, hour, day of the month, month and day of the week, as in “0 8 * * 1-5”.",
    );
  const fields = cron.split(" ");
  if (cron.length > 200 || (!names.test(cron) && fields.length !== 5 && fields.length !== 6))
    throw bad("has not five fields (or six, with seconds first)");
  // One second in the minute: then no two of its times are closer than a minute.
  if (fields.length === 6 && !/^\d+$/.test(fields[0] as string)) throw bad("comes more often than once a minute");
  let next: string | null;
  try {
    next = nextTime({ cron, zone, after: now.toISOString() });
  } catch (error) {
    throw bad(`cannot be understood: ${reason(error)}`);
  }
  if (next === null) throw bad("never comes");
  return cron;
}

function reason(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return words.replace(/^Cron\w*: /, "").replace(/\.$/, "");
}
