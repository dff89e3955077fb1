import { defineTool, type Tool, type ToolContext, toolInput } from "../tool.ts";
import { proposeChange } from "./amendment-result.ts";
import { sectionOption } from "./section-option.ts";

const input = toolInput((z) => ({
  instructions: z
    .string()
    .describe("The full updated instructions: everything to keep, and what is new. Empty clears them."),
}));

/** Tool: the agent rewrites the user's standing instructions, when the user says “always …” or “never …”. */
export function updateInstructions(options: { readonly section: string }): Tool {
  const section = sectionOption("updateInstructions", options);
  return defineTool({
    name: "update_instructions",
    section,
    input,
    summary: "Rewrite the user's standing instructions",
    description: `Updates your standing instructions for this user. Use it when the user says things like “always summarize emails in bullet points” or “never send emails without asking me first”.
This is a REPLACE operation: include all existing instructions you want to keep. They stand under “User Instructions” in your prompt; where only a part is shown, call read_memory for “instructions” first. The empty text clears them. The result lists the lines that were dropped.`,
    guidelines: [
      "When the user says how you should always or never do something, call update_instructions with all instructions that still hold and the new one",
      "Look at what update_instructions dropped; put back what the user did not ask you to drop",
    ],
    run: ({ instructions }, context) =>
      proposeChange(
        context,
        { section, operation: { kind: "rewrite", content: instructions.trim() === "" ? "" : instructions } },
        unseen(context, section),
      ),
  });
}

/** What the prompt did not show of the words that are rewritten, where it did not show them all. */
function unseen({ prompt }: ToolContext, section: string): object {
  const cut = prompt.cuts.find((one) => one.section === section && one.unit === "characters");
  if (!cut) return {};
  const { kept, missing } = cut;
  const shown = `Your prompt showed ${kept} of the ${kept + missing} characters that stood before.`;
  return { shown: `${shown} What you left out of them is in dropped, whether or not you had seen it.` };
}
