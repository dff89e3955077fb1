import { defineTool, type Tool, toolInput } from "../../tool.ts";
import { meantSentence } from "../id-text.ts";
import { failedResult, needsUserResult } from "./reminder-result.ts";

const input = toolInput((z) => ({ id: z.string().describe("Its id, from set_reminder or list_reminders.") }));

/** Tool: the agent cancels one of the reminders of the user it talks to. */
export function cancelReminder(): Tool {
  return defineTool({
    name: "cancel_reminder",
    input,
    summary: "Cancel one of the user's reminders",
    description: "Cancels a reminder or schedule of the user by its id. It does not come again.",
    sensitive: true,
    meant: async (asked, { store, scope }) => {
      const { title } = await store.schedules.get((await input.parse(asked)).id, scope);
      return meantSentence("reminder", title);
    },
    run: async ({ id }, { store, scope }) => {
      if (scope.user === undefined) return needsUserResult;
      try {
        await store.schedules.cancel(scope, id);
        return `The reminder ${id} is cancelled.`;
      } catch (error) {
        return failedResult(error);
      }
    },
  });
}
