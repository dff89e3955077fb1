import { z } from "zod";
import { defineTool, type Tool } from "../tool.ts";
import { proposeChange } from "./amendment-result.ts";
import { sectionOption } from "./section-option.ts";

const input = z.object({
  content: z.string().describe("Your whole core memory: everything to keep, and what is new. Empty clears it."),
  reason: z.string().optional().describe("Why, in a few words. It is kept in the history."),
});

/** Tool: the agent rewrites its core memory, which it is given in every session, wherever it runs. */
export function updateCoreMemory(options: { readonly section: string }): Tool {
  const section = sectionOption("updateCoreMemory", options);
  return defineTool({
    name: "update_core_memory",
    input,
    summary: "Rewrite your core memory",
    description: `Rewrites your core memory: who you are, for whom you work, and how they want things done. It is the one memory you are given in every session, wherever you run.
This is a REPLACE operation: include everything you want to keep. The result lists the lines that were dropped, and which relays have it. Where it says conflict, another copy of you has written at the same time: read both texts and write one that keeps what matters of each.`,
    guidelines: [
      "Write to your core memory what you should know in every session: call update_core_memory with all that still holds and what is new",
    ],
    run: ({ content, reason }, context) =>
      proposeChange(context, {
        section,
        operation: { kind: "rewrite", content: content.trim() === "" ? "" : content },
        ...(reason === undefined || reason.trim() === "" ? {} : { reason }),
      }),
  });
}
