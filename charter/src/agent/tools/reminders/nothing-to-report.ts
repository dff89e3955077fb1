import { defineTool, type Tool, toolInput } from "../../tool.ts";

export const nothingToReportName = "nothing_to_report";

const input = toolInput((z) => ({
  because: z.string().max(500).optional().describe("Why there is nothing, in one sentence, for the record."),
}));

const words = {
  scheduled: {
    summary: "End a scheduled run without sending the user anything",
    description:
      "Says that this scheduled run found nothing the user would want to hear about. What you answer after it is kept, but not sent to anyone. Only in scheduled runs, and only when there is really nothing to tell.",
    guidelines: [
      "In a scheduled run that found nothing worth telling, call nothing_to_report instead of writing that there is nothing",
    ],
  },
  automaton: {
    summary: "End a turn of your own in which there was nothing to do",
    description:
      "Says that there was nothing worth doing in this turn of your own. Only in turns without a message: nobody waits for an answer.",
    guidelines: ["In a turn of your own with nothing worth its cost, call nothing_to_report at once"],
  },
};

/**
 * Tool: a turn that nobody waits for says that there is nothing to tell: a scheduled run, or one an agent takes by
 * itself. It is a call and not a phrase in the answer, so every answer is delivered unless this was called.
 */
export function nothingToReport({ channel = "scheduled" }: { readonly channel?: keyof typeof words } = {}): Tool {
  return defineTool({
    name: nothingToReportName,
    input,
    ...words[channel],
    run: async (_given, { channel: where, store, scope, turn }) => {
      if (where === "scheduled") return "Noted: the user is sent nothing. End with one short sentence for the record.";
      const own = where === "automaton" && scope.user === undefined;
      if (own && (await store.inbox.heldBy(scope.agent, turn)).length === 0)
        return "Noted: there was nothing to do. End with one short sentence for the record.";
      return { text: "This is no scheduled run: someone is waiting for an answer. Nothing was noted.", failed: true };
    },
  });
}
