import fc from "fast-check";
import { afterEach, beforeAll, beforeEach, describe, expect, type TestContext, test, vi } from "vitest";
import { coder } from "../../../src/charters/coder/coder.ts";
import { assemble, empty, gather, type Prompt, type Reading, type ToolLine } from "../../../src/index.ts";
import { contextReading } from "../../../src/sources/context-files.ts";
import { skillsReading } from "../../../src/sources/skills/skills.ts";
import { loadPi, type Pi, type PiOptions } from "../../pi.ts";
import { instants, optionSets } from "../../pi-options.ts";
import { runs } from "../../tiers/search.ts";

/**
 * The coding agent's prompt in pi's wording against pi itself: the same options at the same instant are the same bytes.
 *
 * pi's identity sentence and documentation are not Charter's; they are taken out of a prompt of pi's and handed to
 * `coder` as options. What no comparison can hold is said where the options are made.
 */

type Words = { readonly identity?: string; readonly documentation?: string };

/** The zone and the instant of a prompt. */
type When = { readonly now: Date; readonly zone: string };

async function ours(options: PiOptions, { now, zone }: When, words: Words): Promise<Prompt> {
  const { customPrompt, appendSystemPrompt, contextFiles = [], skills = [], cwd = process.cwd() } = options;
  const listed = skills.map(({ filePath: location, disableModelInvocation: hidden, ...skill }) => ({
    ...skill,
    location,
    hidden,
  }));
  const { charter } = coder({
    system: () => wordsOf(customPrompt),
    append: () => wordsOf(appendSystemPrompt),
    context: () => contextReading(contextFiles, "pi"),
    skills: () => skillsReading(listed, "pi"),
    cwd,
    wording: "pi",
    ...words,
  });
  const turn = { now: now.toISOString(), zone, tools: toolsOf(options), standing: {} };
  return assemble(charter, await gather(charter, turn));
}

/** To pi only the empty text is no text: a blank one replaces its base. */
function wordsOf(text: string | undefined): Reading {
  return text === undefined || text === "" ? empty : { status: "present", parts: [{ text }] };
}

/** pi is told of guidelines in one list; here each belongs to a tool, in the same order. */
function toolsOf({ selectedTools, toolSnippets = {}, promptGuidelines = [] }: PiOptions): ToolLine[] {
  const names = selectedTools ?? ["read", "bash", "edit", "write"];
  const owner = (index: number) => Math.floor((index * names.length) / promptGuidelines.length);
  return names.map((name, place) => {
    const summary = Object.hasOwn(toolSnippets, name) ? toolSnippets[name] : undefined;
    const guidelines = promptGuidelines.filter((_, index) => owner(index) === place);
    return { name, guidelines, ...(summary === undefined ? {} : { summary }) };
  });
}

describe("against pi", () => {
  let found: Awaited<ReturnType<typeof loadPi>>;
  let words: Words;
  const zoneBefore = process.env.TZ;
  beforeAll(async () => {
    found = await loadPi();
    if ("absent" in found) return console.warn(`Not compared with pi. ${found.absent}`);
    const [, identity, documentation] =
      /^(.*)\n\nAvailable tools:.*\n\n(Pi documentation .*)\nCurrent date/s.exec(found.buildSystemPrompt({})) ?? [];
    words = { identity: identity as string, documentation: documentation as string };
  });
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => {
    vi.useRealTimers();
    if (zoneBefore === undefined) delete process.env.TZ;
    else process.env.TZ = zoneBefore;
  });

  function piOr(context: TestContext): Pi {
    return "absent" in found ? context.skip(found.absent) : found;
  }

  function theirs(pi: Pi, options: PiOptions, { now, zone }: When): string {
    if (process.env.TZ !== zone) process.env.TZ = zone;
    vi.setSystemTime(now);
    return pi.buildSystemPrompt(options);
  }

  /** One guarantee stands above pi's bytes: U+FEFF and U+0085, which tokenizers disagree on, are in no prompt. */
  async function compare(pi: Pi, options: PiOptions, when: When): Promise<void> {
    const expected = theirs(pi, options, when);
    expect((await ours(options, when, words)).text).toBe(expected.replace(/[\uFEFF\u0085]/g, ""));
  }

  const skill = { name: "a", description: "b", filePath: "/c", disableModelInvocation: false };
  const rows: [what: string, options: PiOptions][] = [
    ["nothing at all", {}],
    ["no tools", { selectedTools: [] }],
    ["an empty SYSTEM.md, an empty append, no files, no skills", emptiness()],
    ["a blank SYSTEM.md and a blank append", { customPrompt: " \n", appendSystemPrompt: "\n" }],
    ["SYSTEM.md with everything", { ...everything(), customPrompt: "You are a poet.\n\n" }],
    ["SYSTEM.md without read: no skills", { ...everything(), customPrompt: "Poet.", selectedTools: ["bash"] }],
    ["everything", everything()],
    ["without read: no skills", { ...everything(), selectedTools: ["bash", "ls"] }],
    ["skills and no files", { skills: [skill] }],
    ["skills, all of them hidden", { skills: [{ ...skill, disableModelInvocation: true }] }],
    ["two skills of a name, not sorted", { skills: [{ ...skill, name: "z" }, skill, skill] }],
    ["files whose words end in new lines", { contextFiles: [{ path: "/a", content: "\n\nOne.\n\n\n" }] }],
    ["a file without words", { contextFiles: [{ path: "/a", content: "" }] }],
    ["names that break their line", { cwd: "/a\n# b", contextFiles: [{ path: "/a\n# b\u200b", content: "One." }] }],
    ["a snippet of nothing, and one of two lines", { toolSnippets: { read: "", bash: " a\n  b " } }],
    ["a guideline of two lines", { promptGuidelines: [" One\n  two ", "", " ", "One\n  two"] }],
    ["a tool says what always holds", { promptGuidelines: ["Show file paths clearly when working with files"] }],
  ];
  for (const [what, options] of rows)
    test(what, (context) => compare(piOr(context), options, { now: new Date("2026-03-07T14:55:05Z"), zone: "UTC" }));

  const zones = ["UTC", "America/Chicago", "Asia/Kolkata", "Europe/Berlin", "Pacific/Apia", "Australia/Lord_Howe"];
  for (const zone of zones)
    test(`generated options, in ${zone}`, async (context) => {
      const pi = piOr(context);
      const property = fc.asyncProperty(optionSets, instants, (options, now) => compare(pi, options, { now, zone }));
      await fc.assert(property, { numRuns: Math.ceil(runs(120, 10_000) / zones.length) });
    });
});

test("the whole text, where pi is not at hand", async () => {
  const when = { now: new Date("2026-03-07T14:55:05Z"), zone: "America/Chicago" };
  const prompt = await ours(everything(), when, { identity: "You are it.", documentation: "Docs: /docs" });
  expect(prompt.text).toBe(`You are it.

Available tools:
- read: Read file contents
- grep: Search file contents for patterns (respects .gitignore)
- bash: Run it
- edit: Make surgical edits to files (find exact text and replace)
- write: Create or overwrite files
- deploy: deploy

In addition to the tools above, you may have access to other custom tools depending on the project.

Guidelines:
- Prefer grep/find/ls tools over bash for file exploration (faster, respects .gitignore)
- Use read to examine files before editing. You must use this tool instead of cat or sed.
- Use edit for precise changes (old text must match exactly)
- Use write only for new files or complete rewrites
- When summarizing your actions, output plain text directly - do NOT use cat or bash to display what you did
- Be concise in your responses
- Ask first
- Show file paths clearly when working with files

Docs: /docs

Prefer small commits.

# Project Context

Project-specific instructions and guidelines:

## /home/AGENTS.md

Use tabs.

## /srv/AGENTS.md

# App



The following skills provide specialized instructions for specific tasks.
Use the read tool to load a skill's file when the task matches its description.
When a skill file references a relative path, resolve it against the skill directory (parent of SKILL.md / dirname of the path) and use that absolute path in tool commands.

<available_skills>
  <skill>
    <name>zip</name>
    <description>Pack &amp; unpack</description>
    <location>/s/zip</location>
  </skill>
  <skill>
    <name>audit</name>
    <description>Look</description>
    <location>/s/audit</location>
  </skill>
</available_skills>
Current date and time: Saturday, March 7, 2026 at 08:55:05 AM CST
Current working directory: /srv`);
  expect(prompt.spans.map(({ start, end }) => prompt.text.slice(start, end)).join("")).toBe(prompt.text);
});

describe("what is no whole text is mended, where pi would send it as it is", () => {
  const rows: [where: string, options: (text: string) => PiOptions][] = [
    ["SYSTEM.md", (customPrompt) => ({ customPrompt })],
    ["the append", (appendSystemPrompt) => ({ appendSystemPrompt })],
    ["a context file", (content) => ({ contextFiles: [{ path: "/a", content }] })],
    ["a skill", (name) => ({ skills: [{ name, description: "b", filePath: "/c", disableModelInvocation: false }] })],
    ["a snippet", (read) => ({ toolSnippets: { read } })],
    ["a guideline", (guideline) => ({ promptGuidelines: [guideline] })],
    ["the working directory", (cwd) => ({ cwd })],
  ];
  for (const [where, options] of rows)
    test(where, async () => {
      for (const text of ["a\0b", "a\ud83d", "\udca9b"]) {
        const { text: sent, notices } = await ours(options(text), { now: new Date(0), zone: "UTC" }, {});
        expect(sent).toContain(text.toWellFormed().replace("\0", "\ufffd"));
        expect(notices.map(({ code }) => code)).toEqual(["text-mended"]);
      }
    });
});

test("without an identity and documentation neither stands there", async () => {
  const when = { now: new Date("2026-03-07T14:55:05Z"), zone: "UTC" };
  const { text, sections } = await ours({ selectedTools: [] }, when, { identity: "", documentation: " " });
  expect(sections.map(({ name }) => name)).toEqual(["tools", "note", "guidelines", "environment"]);
  expect(text.startsWith("Available tools:\n(none)\n\nIn addition")).toBe(true);
});

function emptiness(): PiOptions {
  return {
    customPrompt: "",
    appendSystemPrompt: "",
    toolSnippets: {},
    promptGuidelines: [],
    contextFiles: [],
    skills: [],
    cwd: "",
  };
}

function everything(): PiOptions {
  return {
    selectedTools: ["read", "grep", "bash", "edit", "write", "deploy"],
    toolSnippets: { bash: "Run it" },
    promptGuidelines: [" Be concise in your responses", "Ask first", "Ask first "],
    appendSystemPrompt: "Prefer small commits.",
    contextFiles: [
      { path: "/home/AGENTS.md", content: "Use tabs." },
      { path: "/srv/AGENTS.md", content: "# App" },
    ],
    skills: [
      { name: "zip", description: "Pack & unpack", filePath: "/s/zip", disableModelInvocation: false },
      { name: "ghost", description: "Hidden", filePath: "/s/ghost", disableModelInvocation: true },
      { name: "audit", description: "Look", filePath: "/s/audit", disableModelInvocation: false },
    ],
    cwd: "/srv",
  };
}
