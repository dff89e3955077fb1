import { countCharacters, preview } from "../../prompt/character.ts";
import {
  allSections,
  type Charter,
  defineCharter,
  findSection,
  type PlacedSection,
  sectionMutability,
} from "../../prompt/charter.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { Prompt } from "../../prompt/prompt.ts";
import type { SectionSpan } from "../../prompt/span.ts";
import { defineTool, type Tool, type ToolContext, type ToolOutput, toolInput } from "../tool.ts";
import { noteSeen } from "./seen-revision.ts";

const input = toolInput((z) => ({
  section: z.string().optional().describe("A section's name, or its layer's. Without it, a list of all sections."),
}));

/** Tool: the agent reads its own prompt as it is in this step: a list of sections, or one of them in full. */
export function readPrompt(charter: Charter): Tool {
  defineCharter(charter);
  return defineTool({
    name: "read_prompt",
    input,
    summary: "Read your own system prompt by section",
    description:
      "Shows your own system prompt as it is in this step: its sections in order, who may change each and its revision; with a section's name, the whole words that stand there.",
    guidelines: [
      "Call read_prompt with a section's name before you rewrite a section that your prompt shows only in part",
    ],
    reads: true,
    run: ({ section = "" }, context) =>
      section.trim() === "" ? overview(charter, context.prompt) : oneSection(charter, section.trim(), context),
  });
}

function overview(charter: Charter, prompt: Prompt): ToolOutput {
  const placed = new Map(allSections(charter).map((one) => [one.section.name, one]));
  const sections = prompt.sections.map((span) => ({
    section: span.name,
    layer: span.layer,
    changedBy: changedBy(placed.get(span.name)),
    ...(span.revision === null ? {} : { revision: span.revision }),
    characters: countCharacters(shownText(prompt, span)),
    ...cutOf(prompt, span.name),
  }));
  const omitted = prompt.omitted.map(({ name, reason }) => ({ section: name, reason }));
  const { edition, text } = prompt;
  return {
    text: JSON.stringify({ charter: charter.name, edition, characters: countCharacters(text), sections, omitted }),
  };
}

async function oneSection(charter: Charter, asked: string, context: ToolContext): Promise<ToolOutput> {
  const { prompt } = context;
  try {
    const placed = findSection(charter, asked);
    const { name } = placed.section;
    const span = prompt.sections.find((one) => one.name === name);
    const about = { section: name, layer: placed.layer.name, changedBy: changedBy(placed) };
    if (typeof sectionMutability(placed.section, placed.layer) === "object") {
      const { text, revision } = await context.standing(name);
      noteSeen(context, name, revision);
      return { text: JSON.stringify({ ...about, revision, ...cutOf(prompt, name), text }) };
    }
    if (!span) return { text: `“${name}” is not in your prompt in this step.` };
    const text = JSON.stringify({ ...about, ...cutOf(prompt, name), text: shownText(prompt, span) });
    return span.trust === "foreign" ? { text, foreign: true } : { text };
  } catch (error) {
    const hint = error instanceof Problem ? ` ${error.hint}` : "";
    return { text: `It could not be read: ${preview(reasonOf(error), 300)}${hint}`, failed: true };
  }
}

function shownText({ text }: Prompt, { start, end, gap }: SectionSpan): string {
  return text.slice(start, end - gap);
}

function changedBy(placed: PlacedSection | undefined): string {
  const mutability = placed ? sectionMutability(placed.section, placed.layer) : "live";
  if (mutability === "fixed") return "nobody";
  if (mutability === "live") return "nobody: it is generated per turn";
  const hands = mutability.amendableBy.join(", ");
  return mutability.approvedBy === undefined ? hands : `${hands}; the operator approves it`;
}

function cutOf(prompt: Prompt, section: string): object {
  const cuts = prompt.cuts.filter((cut) => cut.section === section);
  return cuts.length === 0 ? {} : { cut: cuts.map(({ kept, missing, unit }) => ({ kept, missing, unit })) };
}
