import { z } from "zod";
import { defineTool, type Tool } from "../../tool.ts";

export const nothingToReportName = "nothing_to_report";

const input = z.object({
  because: z.string().max(500).optional().describe("Why there is nothing, in one sentence, for the record."),
});

/**
 * Tool: a scheduled run says that the user need not hear of it. It is a call and not a phrase in the answer, so every
 * answer is delivered unless this was called.
 */
export function nothingToReport(): Tool {
  return defineTool({
    name: nothingToReportName,
    input,
    summary: "End a scheduled run without sending the user anything",
    description:
      "Says that this scheduled run found nothing the user would want to hear about. What you answer after it is kept, but not sent to anyone. Only in scheduled runs, and only when there is really nothing to tell.",
    guidelines: [
      "In a scheduled run that found nothing worth telling, call nothing_to_report instead of writing that there is nothing",
    ],
    run: (_given, { channel }) =>
      channel === "scheduled"
        ? "Noted: the user is sent nothing. End with one short sentence for the record."
        : { text: "This is no scheduled run: someone is waiting for an answer. Nothing was noted.", failed: true },
  });
}
