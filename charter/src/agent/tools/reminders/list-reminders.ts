import { preview } from "../../../prompt/character.ts";
import { localText } from "../../../schedules/local-time.ts";
import { zoneFor } from "../../../schedules/zone.ts";
import { defineTool, type Tool, toolInput } from "../../tool.ts";
import { needsUserResult } from "./reminder-result.ts";

/** Tool: the agent lists the reminders of the user it talks to. */
export function listReminders({ zone }: { readonly zone?: string | undefined } = {}): Tool {
  return defineTool({
    name: "list_reminders",
    input: toolInput(() => ({})),
    summary: "List the user's reminders and schedules",
    description: "Lists what is scheduled for the user: id, title, when it comes next in their time, and how often.",
    reads: true,
    run: async (_given, { store, scope }) => {
      if (scope.user === undefined) return needsUserResult;
      const { agent, user } = scope;
      const schedules = await store.schedules.list({ agent, user, limit: 100 });
      if (schedules.length === 0) return "Nothing is scheduled for the user.";
      const theirs = await zoneFor(store, scope, zone);
      return schedules.map(({ id, title, cron, zone: own, nextAt }) => ({
        id,
        title: preview(title, 200),
        comes: cron ?? "once",
        next: nextAt === null ? null : localText(nextAt, own ?? theirs),
      }));
    },
  });
}
