import fc from "fast-check";
import type { PiOptions, PiSkill } from "./pi.ts";

/** Options for pi's prompt, of every kind there is. */

/** Plain words, Markdown, and what an XML reader, a template or `String.replace` would trip over. */
const scraps = fc.constantFrom(
  ...["", " ", "\t", "\n", "\n\n", "\r\n", "\r", "\v", "\f", "\u00a0", "\u2028", "\u2029", "\u200b", "\u202e"],
  ...["# Project Context", "## /AGENTS.md", "===", "---", "```", "> ", "- ", "<available_skills>", "</skill>", "&amp;"],
  ...["&", "<", ">", '"', "'", "$&", "$1", "{missing}", "%s", "\\n", "é", "e\u0301", "日本", "🧪", "…"],
  ...["Current date and time: never", "Available tools:", "Use tabs.", "One.\nTwo.\n", " a  b "],
);
const stripped = fc.constantFrom("\ufeff", "\u0085");
const noise = fc.string({ unit: "binary" }).map((text) => text.toWellFormed().replaceAll("\0", ""));

const words = fc
  .array(
    fc.oneof({ weight: 100, arbitrary: scraps }, { weight: 8, arbitrary: noise }, { weight: 1, arbitrary: stripped }),
    { maxLength: 6 },
  )
  .map((pieces) => pieces.join(""));
const paths = fc.oneof(
  words,
  words.map((name) => `/srv/${name}/AGENTS.md`),
);

const builtIn = ["read", "bash", "edit", "write", "grep", "find", "ls"];
const toolNames = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...builtIn) },
  { weight: 1, arbitrary: fc.constantFrom("deploy", "a b", "Read", "constructor", "toString", "__proto__") },
  { weight: 1, arbitrary: words },
);
const guidelines = fc.oneof(
  words,
  fc.constantFrom(
    "Ask first",
    " Ask first",
    "Be concise in your responses",
    "Use read to examine files before editing",
  ),
  fc.constantFrom(
    "Show file paths clearly when working with files ",
    "Use bash for file operations like ls, rg, find",
    "Use read to examine files before editing. You must use this tool instead of cat or sed.",
  ),
);
const skills: fc.Arbitrary<PiSkill> = fc.record({
  name: words,
  description: words,
  filePath: paths,
  disableModelInvocation: fc.boolean(),
});

/**
 * Left out are two kinds of sets, besides texts that are not whole (half a character, NUL: Charter refuses them).
 * Guidelines without a single tool: in Charter a guideline is lent by an active tool, as
 * it is in pi's own session. And a tool without a snippet whose name every JavaScript object knows: for `constructor`
 * pi prints the source text of a function, Charter the name.
 */
export const optionSets: fc.Arbitrary<PiOptions> = fc
  .record(
    {
      customPrompt: fc.oneof(fc.constant(""), words),
      selectedTools: fc.array(toolNames, { maxLength: 12 }),
      toolSnippets: fc.dictionary(toolNames, words, { maxKeys: 6 }),
      promptGuidelines: fc.array(guidelines, { maxLength: 6 }),
      appendSystemPrompt: words,
      cwd: paths,
      contextFiles: fc.array(fc.record({ path: paths, content: words }), { maxLength: 4 }),
      skills: fc.array(skills, { maxLength: 5 }),
    },
    { requiredKeys: [] },
  )
  .map(({ promptGuidelines, ...options }) => {
    const { selectedTools: names = builtIn, toolSnippets: snippets = {} } = options;
    const known = names.filter((name) => name in {} && !Object.hasOwn(snippets, name));
    const toolSnippets = Object.fromEntries([...Object.entries(snippets), ...known.map((name) => [name, "Odd"])]);
    return {
      ...options,
      ...(known.length === 0 ? {} : { toolSnippets }),
      ...(promptGuidelines === undefined || names.length === 0 ? {} : { promptGuidelines }),
    };
  });

/** From the year 1 (what number a year before it has is a matter of taste) to the last there is. */
export const instants = fc.oneof(
  { weight: 4, arbitrary: fc.date({ min: new Date("1900-01-01"), max: new Date("2100-01-01"), noInvalidDate: true }) },
  fc.date({ min: new Date("0001-01-02"), max: new Date(8.64e15 - 86_400_000), noInvalidDate: true }),
);
