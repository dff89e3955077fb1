import type { Operation } from "../../amend/operation.ts";
import { checkNames, isObject } from "../../prompt/argument.ts";
import type { SchemaOutput } from "../standard-schema.ts";
import { defineTool, type Tool, toolInput } from "../tool.ts";
import { proposeChange } from "./amendment-result.ts";
import { sectionOption } from "./section-option.ts";

const input = toolInput((z) => ({
  operation: z.enum(["append", "prepend", "replace_section", "reset"]),
  content: z.string().optional().describe("The words to append or prepend."),
  section_marker: z.string().optional().describe("For replace_section: the heading to replace, such as “## Goals”."),
  section_content: z.string().optional().describe("For replace_section: the new words under that heading."),
  reason: z.string().optional().describe("Why, for the history."),
}));

type Input = SchemaOutput<typeof input>;

/** Tool: the agent edits a section of its own prompt: append, prepend, replace a passage, reset. Of several it says which. */
export function modifySystemPrompt(options: { readonly section: string | readonly [string, ...string[]] }): Tool {
  if (isObject(options)) checkNames<{ section: unknown }>("modifySystemPrompt", options, ["section"]);
  const given: unknown = (Object(options) as Partial<typeof options>).section;
  const [first, ...others] = (Array.isArray(given) ? given : [given]).map((section) =>
    sectionOption("modifySystemPrompt", { section }),
  ) as [string, ...string[]];
  const inputOfSeveral = toolInput((z) => ({
    ...input.fields(z),
    section: z.enum([first, ...others]).describe("Which part of your prompt."),
  }));
  return defineTool({
    name: "modify_system_prompt",
    section: [first, ...others],
    input: others.length > 0 ? inputOfSeveral : input,
    summary: "Change your own system prompt: append, prepend, replace a section, or reset",
    description: `Changes your own system prompt for good; the change is in your next request.
append and prepend take content. replace_section takes section_marker, one heading with its level (“## Goals”), and section_content, which replaces everything under it up to the next heading of the same or a higher level. reset brings back the original prompt.
A change that may not be (of a protected opening, over the size limit) is refused with every reason, and changes nothing.`,
    guidelines: [
      "Change your prompt with modify_system_prompt in small steps; prefer replace_section to a second passage on the same matter",
      "When modify_system_prompt is refused, say so and mend what every refusal names before you try again",
    ],
    run: (asked, context) => {
      const operation = operationOf(asked);
      if ("misuse" in operation) return { text: `${operation.misuse} Nothing was changed.`, failed: true };
      return proposeChange(context, {
        section: (asked as { readonly section?: string }).section ?? first,
        operation,
        ...(isBlank(asked.reason) ? {} : { reason: asked.reason as string }),
      });
    },
  });
}

/** What was asked for; or, where arguments contradict each other, what is wrong with them. */
function operationOf(asked: Input): Operation | { readonly misuse: string } {
  const { operation: kind, content, section_marker: marker, section_content: sectionContent } = asked;
  switch (kind) {
    case "append":
    case "prepend":
      if (!isBlank(marker) || !isBlank(sectionContent))
        return misuse(`${kind} takes content only; section_marker and section_content belong to replace_section.`);
      if (content === undefined || isBlank(content)) return misuse(`${kind} needs content: the words to add.`);
      return { kind, content };
    case "replace_section": {
      if (marker === undefined || isBlank(marker))
        return misuse("replace_section needs section_marker: one heading with its level, such as “## Goals”.");
      if (!isBlank(content) && !isBlank(sectionContent) && content !== sectionContent)
        return misuse(
          "replace_section was given two different texts, content and section_content: give section_content.",
        );
      const words = isBlank(sectionContent) ? (content ?? sectionContent) : sectionContent;
      if (words === undefined) return misuse("replace_section needs section_content: the new words of the section.");
      return { kind, marker, content: words };
    }
    case "reset":
      if (![content, marker, sectionContent].every(isBlank))
        return misuse("reset takes no words: it brings back the original prompt. To add words, append them.");
      return { kind };
  }
}

function misuse(because: string) {
  return { misuse: because };
}

function isBlank(words: string | undefined): boolean {
  return words === undefined || words.trim() === "";
}
