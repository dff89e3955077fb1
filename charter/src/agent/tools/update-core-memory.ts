import { defineTool, type Tool, toolInput } from "../tool.ts";
import { proposeChange } from "./amendment-result.ts";
import { sectionOption } from "./section-option.ts";

const input = toolInput((z) => ({
  operation: z
    .enum(["append", "rewrite"])
    .describe("append adds lines at the end; rewrite replaces everything, so repeat all that you want to keep."),
  content: z.string().describe("The lines to add, or your whole new core memory. A rewrite with no text clears it."),
  reason: z.string().optional().describe("Why, in a few words. It is kept in the history."),
}));

/** Tool: the agent adds to its core memory or rewrites it. It is given that memory in every session, wherever it runs. */
export function updateCoreMemory(options: { readonly section: string }): Tool {
  const section = sectionOption("updateCoreMemory", options);
  return defineTool({
    name: "update_core_memory",
    section,
    input,
    summary: "Add to your core memory, or rewrite it",
    description: `Changes your core memory: who you are, for whom you work, and how they want things done. It is the one memory you are given in every session, wherever you run, so keep it short and true.
The result lists the lines that were dropped, and says which relays have it. Where it says conflict, another copy of you has written at the same time: read both texts, and write one that keeps what matters of each.`,
    guidelines: ["Write to your core memory with update_core_memory what you should know in every session"],
    run: ({ operation, content, reason }, context) => {
      if (operation === "append" && content.trim() === "")
        return { text: "There is nothing to add: content is empty. Nothing was changed.", failed: true };
      return proposeChange(context, {
        section,
        operation: { kind: operation, content: content.trim() === "" ? "" : content },
        ...(reason === undefined || reason.trim() === "" ? {} : { reason }),
      });
    },
  });
}
