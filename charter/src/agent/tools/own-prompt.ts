import { outcomeFacts, unshownSentence } from "../../amend/amend.ts";
import type { Operation } from "../../amend/operation.ts";
import { addsOwnWords } from "../../amend/own-words.ts";
import type { Quote } from "../../delivery/cost.ts";
import { badArgument, checkNames, isObject, isText, kindOf } from "../../prompt/argument.ts";
import { type BoundedMap, createBoundedMap } from "../../prompt/bounds.ts";
import { countCharacters, preview } from "../../prompt/character.ts";
import {
  allSections,
  type Charter,
  defineCharter,
  findSection,
  mayAmend,
  type PlacedSection,
  sectionMutability,
} from "../../prompt/charter.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { Prompt, SectionSpan } from "../../prompt/prompt.ts";
import type { Notice } from "../../prompt/reading.ts";
import type { Layer, Section } from "../../prompt/section.ts";
import type { ProposalOutcome } from "../../store/amendments/judge.ts";
import type { Store } from "../../store/store.ts";
import type { SchemaOutput } from "../schema.ts";
import { defineTool, type ProposedChange, type Tool, type ToolContext, type ToolOutput, toolInput } from "../tool.ts";

const readPromptInput = toolInput((z) => ({
  section: z.string().optional().describe("A section's name, or its layer's. Without it, a list of all sections."),
}));

/** Tool: the agent reads its own prompt as it is in this step: a list of sections, or one of them in full. */
export function readPrompt(charter: Charter): Tool {
  defineCharter(charter);
  return defineTool({
    name: "read_prompt",
    input: readPromptInput,
    summary: "Read your own system prompt by section",
    description:
      "Shows your own system prompt as it is in this step: its sections in order, who may change each and its revision; with a section's name, the whole words that stand there.",
    guidelines: [
      "Call read_prompt with a section's name before you rewrite a section that your prompt shows only in part",
    ],
    trusted: true,
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
  return mutability.approvedBy !== "operator" ? hands : `${hands}; the operator approves it`;
}

function cutOf(prompt: Prompt, section: string): object {
  const cuts = prompt.cuts.filter((cut) => cut.section === section);
  return cuts.length === 0 ? {} : { cut: cuts.map(({ kept, missing, unit }) => ({ kept, missing, unit })) };
}

const modifyInput = toolInput((z) => ({
  operation: z.enum(["append", "prepend", "replace_section", "reset"]),
  content: z.string().optional().describe("The words to append or prepend."),
  section_marker: z.string().optional().describe("For replace_section: the heading to replace, such as “## Goals”."),
  section_content: z.string().optional().describe("For replace_section: the new words under that heading."),
  reason: z.string().optional().describe("Why, for the history."),
}));

type ModifyInput = SchemaOutput<typeof modifyInput>;

/**
 * Tool: the agent edits a section of its own prompt: append, prepend, replace a passage, reset. Where it may edit several, it
 * says which.
 */
export function modifySystemPrompt(options: { readonly section: string | readonly [string, ...string[]] }): Tool {
  if (isObject(options)) checkNames<{ section: unknown }>("modifySystemPrompt", options, ["section"]);
  const given: unknown = (Object(options) as Partial<typeof options>).section;
  const [first, ...others] = (Array.isArray(given) ? given : [given]).map((section) =>
    sectionOption("modifySystemPrompt", { section }),
  ) as [string, ...string[]];
  const inputOfSeveral = toolInput((z) => ({
    ...modifyInput.fields(z),
    section: z.enum([first, ...others]).describe("Which part of your prompt."),
  }));
  return defineTool({
    name: "modify_system_prompt",
    section: [first, ...others],
    input: others.length > 0 ? inputOfSeveral : modifyInput,
    summary: "Change your own system prompt: append, prepend, replace a section, or reset",
    description: `Changes your own system prompt for good; the change is in your next request.
append and prepend take content. replace_section takes section_marker, one heading with its level (“## Goals”), and section_content, which replaces everything under it up to the next heading of the same or a higher level. reset brings back the original prompt.
A change that may not be (of a protected opening, over the size limit) is refused with every reason, and changes nothing.`,
    guidelines: [
      "Change your prompt with modify_system_prompt in small steps; prefer replace_section to a second passage on the same matter",
      "When modify_system_prompt is refused, say so and mend what every refusal names before you try again",
    ],
    trusted: true,
    harmless: true,
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

/** Reads the operation; where arguments contradict each other, says what is wrong with them. */
function operationOf(asked: ModifyInput): Operation | { readonly misuse: string } {
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

const instructionsInput = toolInput((z) => ({
  instructions: z
    .string()
    .describe(
      "The full updated instructions: everything to keep, and at its end what is new, in the user's own whole sentences where they can be understood on their own. Empty clears them.",
    ),
}));

/** Tool: the agent rewrites the user's standing instructions, when the user says “always …” or “never …”. */
export function updateInstructions(options: { readonly section: string }): Tool {
  const section = sectionOption("updateInstructions", options);
  return defineTool({
    name: "update_instructions",
    section,
    input: instructionsInput,
    summary: "Rewrite the user's standing instructions",
    description: `Updates your standing instructions for this user. Use it when the user says things like “always summarize emails in bullet points” or “never send emails without asking me first”.
This is a REPLACE operation: include all existing instructions you want to keep. They stand under “User Instructions” in your prompt; where only a part is shown, call read_memory for “instructions” first. The empty text clears them. The result lists the lines that were dropped.`,
    guidelines: [
      "When the user says how you should always or never do something, call update_instructions with all instructions that still hold and the new one",
      "Look at what update_instructions dropped; put back what the user did not ask you to drop",
    ],
    trusted: true,
    harmless: true,
    run: ({ instructions }, context) =>
      proposeChange(
        context,
        { section, operation: { kind: "rewrite", content: instructions.trim() === "" ? "" : instructions } },
        unshownFacts(context, section),
      ),
  });
}

/** Tells how much of the rewritten words the prompt had shown, where it did not show them all. */
function unshownFacts({ prompt }: ToolContext, section: string): object {
  const cut = prompt.cuts.find((one) => one.section === section && one.unit === "characters");
  if (!cut) return {};
  const { kept, missing } = cut;
  const shown = `Your prompt showed ${kept} of the ${kept + missing} characters that stood before.`;
  return { shown: `${shown} What you left out of them is in dropped, whether or not you had seen it.` };
}

const coreMemoryInput = toolInput((z) => ({
  operation: z
    .enum(["append", "rewrite"])
    .describe("append adds lines at the end; rewrite replaces everything, so repeat all that you want to keep."),
  content: z.string().describe("The lines to add, or your whole new core memory. A rewrite with no text clears it."),
  reason: z.string().optional().describe("Why, in a few words. It is kept in the history."),
}));

/** Tool: the agent adds to its core memory or rewrites it. It gets that memory in every session, wherever it runs. */
export function updateCoreMemory(options: { readonly section: string }): Tool {
  const section = sectionOption("updateCoreMemory", options);
  return defineTool({
    name: "update_core_memory",
    section,
    input: coreMemoryInput,
    summary: "Add to your core memory, or rewrite it",
    description: `Changes your core memory: who you are, for whom you work, and how they want things done. It is the one memory you are given in every session, wherever you run, so keep it short and true.
The result lists the lines that were dropped, and says which relays have it. Where it says conflict, another copy of you has written at the same time: read both texts, and write one that keeps what matters of each.`,
    guidelines: ["Write to your core memory with update_core_memory what you should know in every session"],
    trusted: true,
    harmless: true,
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

const compactSays =
  "One line, at most 240 characters, that stands for the layer when your prompt has to be short: its most important rules. Without it, the first sentences of content do.";

/** Tool: the agent rewrites one of its layers, by number. For charters whose layers are named by their numbers. */
export function updatePromptLayer(charter: Charter): Tool {
  const numbered = defineCharter(charter).layers.filter(({ name }) => /^\d+$/.test(name));
  const amendable = numbered.filter((layer) => amendableSections(layer).length === 1).map(({ name }) => name);
  const ids = amendable.join(", ");
  const input = toolInput((z) => ({
    layer_id: z.int().min(0).max(99).describe(`Which layer: one of ${ids}.`),
    content: z.string().describe("All of the layer's new words, without its heading."),
    compact: z.string().optional().describe(compactSays),
  }));
  return defineTool({
    name: "update_prompt_layer",
    input,
    summary: `Rewrite one of your own prompt layers (${ids})`,
    description: `Replaces the words of one of your own prompt layers (${ids}) for good; the change is in your next request. It is a rewrite: include everything of the layer that you want to keep, and leave out its heading. The other layers cannot be changed. Once a turn. A refused change comes back with every reason and changes nothing.`,
    guidelines: [
      "Use update_prompt_layer for one small, checkable improvement a turn; repeat every line of the layer you want to keep",
    ],
    callsPerTurn: 1,
    states: ["ExecutingActions"],
    trusted: true,
    harmless: true,
    run: ({ layer_id: id, content, compact }, context) => {
      const layer = numbered.find(({ name }) => name === String(id));
      const section = layer && sectionOf(layer);
      if (!section)
        return {
          text: `There is no layer ${id} to change. Those you can are ${ids}. Nothing was changed.`,
          failed: true,
        };
      const can = amendable.includes(String(id)) ? {} : { layersYouCanChange: amendable.map(Number) };
      const operation = { kind: "rewrite", content, ...(compact === undefined ? {} : { compact }) } as const;
      return proposeChange(context, { section: section.name, operation }, can);
    },
  });
}

/**
 * Returns the one section of a layer that an agent can amend; failing that, the layer's only section, so that guards can refuse
 * it.
 */
function sectionOf(layer: Layer): Section | undefined {
  const [only, ...others] = amendableSections(layer);
  return only && others.length === 0 ? only : layer.sections.length === 1 ? layer.sections[0] : undefined;
}

function amendableSections(layer: Layer): Section[] {
  return layer.sections.filter((section) => mayAmend({ section, layer }, "agent"));
}

/** Maximum number of characters of a diff the model reads; it made the change and knows the rest. */
const maxDiffChars = 6000;

/** Proposes a change by the agent, against the revision its model has seen, and reports the outcome. */
async function proposeChange(
  context: ToolContext,
  change: Omit<ProposedChange, "revision">,
  more: object = {},
): Promise<ToolOutput> {
  const { section } = change;
  const amendable = context.prompt.sections.find(({ name }) => name === section)?.mutability ?? "amendable";
  const against = amendable === "amendable" ? { revision: await revisionSeen(context, section) } : {};
  const settled = await context.propose({ ...change, ...against });
  const told = amendmentResult(settled, change, more);
  if (settled.verdict !== "accepted") return told;
  const { revision, before, after } = settled;
  noteSeen(context, section, revision);
  if (!context.tainted || !addsOwnWords({ before, after }, context.typed)) return told;
  const added = after.slice(before.trimEnd().length).trim();
  return { ...told, ...ownWordsNotice(added, `take revision ${revision} of “${section}” back`) };
}

/** Tells the person that their words count as such although others' are in the turn, and what undoes it. */
export function ownWordsNotice(words: string, undo: string): { readonly notice: Notice } {
  const message = `Kept as your own words: “${preview(words, 200)}” To undo it, ${undo}.`;
  return { notice: { code: "own-words", message } };
}

/** Writes an outcome for the model: all refusals, what changed, what it costs. A refused change leaves nothing behind. */
function amendmentResult(
  outcome: ProposalOutcome & { readonly quote?: Quote },
  { section, operation }: Pick<ProposedChange, "section" | "operation">,
  more: object = {},
): { readonly text: string; readonly failed?: true } {
  const { verdict, before, after, diff, ...facts } = outcomeFacts(outcome, section);
  const dropped = operation.kind === "rewrite" ? linesDropped(before, after) : [];
  const text = JSON.stringify({
    verdict,
    section,
    says: outcomeSentence(outcome, section),
    ...facts,
    diff: shortened(diff),
    ...(dropped.length === 0 ? {} : { dropped }),
    ...(outcome.quote === undefined ? {} : { quote: quoteFacts(outcome.quote) }),
    ...more,
  });
  return verdict === "refused" ? { text, failed: true } : { text };
}

function outcomeSentence(settled: ProposalOutcome, section: string): string {
  if (settled.verdict === "accepted")
    return `“${section}” is at revision ${settled.revision} now.${settled.unshown ? ` ${unshownSentence(settled.unshown)}` : ""}`;
  if (settled.verdict === "unchanged") return `“${section}” says exactly this already: nothing was changed.`;
  if (settled.verdict === "refused") return "Nothing was changed.";
  return "Nothing has changed yet: a person must approve it first.";
}

/** Lists whole lines that were removed, so that one dropped by mistake can be put back. */
function linesDropped(before: string, after: string): string[] {
  const kept = new Set(after.split("\n").map((line) => line.trim()));
  return before.split("\n").filter((line) => line.trim() !== "" && !kept.has(line.trim()));
}

function shortened(diff: string): string {
  if (diff.length <= maxDiffChars) return diff;
  const end = diff.lastIndexOf("\n", maxDiffChars) + 1;
  return `${diff.slice(0, end)}(${diff.slice(end).split("\n").length - 1} more lines)\n`;
}

function quoteFacts({ says: inWords, happens, tokens, price, breakEven }: Quote) {
  return { says: inWords, happens, tokens, price, breakEven };
}

/** Newest revisions that tools have shown to turns, by turn and section. Old turns are forgotten, oldest first. */
const toldRevisions = new WeakMap<Store, BoundedMap<string, number>>();
const maxRevisions = 10_000;

type SeenContext = Pick<ToolContext, "turn" | "scope" | "store" | "prompt" | "standing">;

/** Notes that the model has read a section's words of this revision, or written them itself. */
export function noteSeen(context: SeenContext, section: string, revision: number): void {
  const revisions = toldRevisions.get(context.store) ?? createBoundedMap<string, number>(maxRevisions);
  toldRevisions.set(context.store, revisions);
  revisions.set(keyOf(context, section), revision);
}

/**
 * Returns the revision a model has seen of a section: the one in its prompt, or a later one that a tool showed it in the same
 * turn. Its proposals are made against that one, so a change by someone else meanwhile makes them stale and is never lost.
 *
 * A section that shows no standing words counts as seen only while there are none.
 */
async function revisionSeen(context: SeenContext, section: string): Promise<number> {
  const shown = context.prompt.spans.filter((span) => span.section === section).map(({ revision }) => revision ?? -1);
  const seen = Math.max(-1, toldRevisions.get(context.store)?.get(keyOf(context, section)) ?? -1, ...shown);
  if (seen >= 0) return seen;
  const { text, revision } = await context.standing(section);
  return text.trim() === "" ? revision : 0;
}

function keyOf({ turn, scope }: SeenContext, section: string): string {
  return JSON.stringify([scope.agent, scope.user ?? null, turn, section]);
}

/** Reads the section a tool is for. Without one it would fail only once a model calls it. */
function sectionOption(tool: string, options: { readonly section: string }): string {
  const { section } = Object(options) as { readonly section?: unknown };
  if (isText(section)) {
    checkNames<{ section: string }>(tool, options, ["section"]);
    return section;
  }
  throw badArgument(`The section that ${tool} was given is ${kindOf(section)}.`, `Give ${tool}({ section: "goals" }).`);
}
