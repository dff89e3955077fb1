import { preview } from "../../../prompt/character.ts";
import { localText } from "../../../schedules/local-time.ts";
import { reachNotices } from "../../../schedules/reach.ts";
import { createSchedule } from "../../../schedules/schedule.ts";
import { zoneFor } from "../../../schedules/zone.ts";
import { defineTool, type Tool, toolInput } from "../../tool.ts";
import { failedResult, needsUserResult } from "./reminder-result.ts";

const input = toolInput((z) => ({
  text: z.string().min(1).max(2000).describe("What to remind the user of, in words that stand on their own."),
  at: z
    .string()
    .optional()
    .describe(
      "When, once: a local time of the user's such as 2026-03-01T09:00, or one that names its offset. A day alone means nine in the morning.",
    ),
  cron: z
    .string()
    .optional()
    .describe('When, again and again: a cron line in the user\'s zone, such as "0 8 * * 1-5" for 8:00 on weekdays.'),
}));

/**
 * Tool: the agent schedules a turn for the user it talks to, once or repeatedly. It needs a scheduler
 * (`charter/channels`).
 */
export function setReminder({ zone }: { readonly zone?: string | undefined } = {}): Tool {
  return defineTool({
    name: "set_reminder",
    input,
    summary: "Set a reminder, once or repeating",
    description:
      "Sets a reminder for the user: at that time you are asked to deliver it, and what you write then is sent to them. Give either `at` (once) or `cron` (again and again), in the user's own time. The result says when it comes.",
    guidelines: ["Set a reminder with set_reminder when the user asks for one; tell them when it will come"],
    // What others wrote must not come back later as if the user had asked for it.
    sensitive: true,
    run: async ({ text, at, cron }, { store, scope, now, turn }) => {
      if (scope.user === undefined) return needsUserResult;
      try {
        const asked = {
          scope,
          title: preview(text, 80),
          input: reminderInput(text),
          at,
          cron,
          defaultZone: zone,
          turn,
        };
        const schedule = await createSchedule(asked, store, new Date(now));
        const when = localText(schedule.nextAt as string, await zoneFor(store, scope, zone));
        const reached = (await reachNotices(store, scope)).length === 0;
        const comes = cron === undefined ? "once" : schedule.cron;
        return { id: schedule.id, comes, next: when, ...(reached ? {} : { unreachable }) };
      } catch (error) {
        return failedResult(error);
      }
    },
  });
}

const unreachable =
  "The user has linked no chat, so it cannot be sent to them: it will be in their conversation on the web, for when they look there. Tell them so now. To be sent it they link a Telegram chat, with a code from the web page or from whoever runs you, before it is due.";

/** What the agent is asked when the time has come. */
function reminderInput(text: string): string {
  return `A reminder the user asked for is due now. Deliver it to them in one short message; do what it asks for if it asks for something.\n\n${text}`;
}
