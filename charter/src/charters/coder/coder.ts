import { readyMade } from "../../agent/bare-declaration.ts";
import type { Declaration, DirectoryFiles, DocumentationPaths } from "../../agent/declaration.ts";
import { checkNames } from "../../prompt/argument.ts";
import { oneLine } from "../../prompt/character.ts";
import { type Charter, defineCharter } from "../../prompt/charter.ts";
import { empty, fromText, type Part, present, type Source, type ToolLine } from "../../prompt/reading.ts";
import type { Section } from "../../prompt/section.ts";
import { contextReading } from "../../sources/context-files.ts";
import { pathLine } from "../../sources/disk/disk.ts";
import type { Wording } from "../../sources/disk/findings.ts";
import type { Project } from "../../sources/project.ts";
import { skillsReading } from "../../sources/skills/skills.ts";
import { clockText, dateText, moment } from "../clock.ts";
import { type DeclaredTurn, declaredTurnOf } from "../declared-turn.ts";
import { entries, type Fact, type FactFields, field, fields, flag, list, required, text } from "../facts.ts";

/** The files of a directory, and the wording of the coding agent's prompt. */
export type CoderSources = Partial<DirectoryFiles> & {
  /** The agent's identity in the default prompt. Blank: nothing is said. */
  readonly identity?: string;
  /** "pi": the bytes of pi's `buildSystemPrompt`. Context files and skills come in the same wording, from their sources. */
  readonly wording?: Wording;
};

export const identityWords =
  "You are a purpose-driven software compiler. You take bounded intent, produce a falsifiable purpose contract (the PDD/TDD gate), then write failing tests before implementation. You help users by reading files, executing commands, editing code, and writing new files.";
export const noteWords =
  "In addition to the tools above, you may have access to other custom tools depending on the project.";

const packageDocumentation = {
  main: "node_modules/charter/README.md",
  additional: "node_modules/charter/docs",
  examples: "node_modules/charter/examples",
};

const fileSources = ["system", "append", "context", "skills"] as const;
const emptySource: Source = () => empty;

/**
 * Ready-made charter: a coding agent whose prompt consists of files, skills and tools. Without files it takes those of
 * a directory (`openWorkbench` in `charter/host`).
 */
export function coder(sources: CoderSources = {}): Declaration {
  // A project of charter/sources has these as well, and may be given as it is.
  const besides = ["look", "forget", "watch"] as const;
  const names = [...fileSources, "wording", "identity", "documentation", "cwd"] as const;
  checkNames<CoderSources & Partial<Project>>("coder", sources, [...names, ...besides]);
  const { wording = "charter", identity = identityWords, documentation = packageDocumentation } = sources;
  const {
    system = emptySource,
    append = emptySource,
    context = emptySource,
    skills = emptySource,
    cwd = ".",
  } = sources;
  const { separator, lead, relativePaths, afterContext } = wordings[wording];
  const charter: Charter = defineCharter({
    name: "coder",
    separator,
    layers: [
      {
        name: "base",
        owner: "operator",
        mutability: "live",
        separator: "\n\n",
        sections: [{ name: "base", trust: "own", sources: [system], replaced: true }],
        fallback: [
          ...fixedSection({ name: "identity", words: identity }),
          {
            name: "tools",
            heading: "Available tools:",
            trust: "own",
            sources: [toolLines(wording)],
            fallback: "(none)",
          },
          { name: "note", words: noteWords },
          { name: "guidelines", heading: "Guidelines:", trust: "own", sources: [guidelineLines(wording)] },
          ...fixedSection({ name: "documentation", compact: "omit", words: documentationWords(documentation) }),
        ],
      },
      {
        name: "append",
        owner: "operator",
        mutability: "live",
        sections: [{ name: "append", trust: "own", sources: [withLead(append, wording)], replaced: true }],
      },
      {
        name: "project",
        owner: "project",
        mutability: "live",
        sections: [
          {
            name: "project",
            ...lead,
            heading: "# Project Context\n\nProject-specific instructions and guidelines:\n",
            trust: "own",
            sources: [context],
            separator: "\n\n",
            ...afterContext,
          },
        ],
      },
      {
        name: "skills",
        owner: "project",
        mutability: "live",
        sections: [
          {
            name: "skills",
            ...lead,
            heading: `The following skills provide specialized instructions for specific tasks.
Use the read tool to load a skill's file when the task matches its description.
${relativePaths}

<available_skills>`,
            trust: "own",
            sources: [(turn) => (turn.tools.some(({ name }) => name === "read") ? skills(turn) : empty)],
            closing: "</available_skills>",
          },
        ],
      },
      {
        name: "environment",
        mutability: "live",
        sections: [
          {
            name: "environment",
            trust: "own",
            sources: [environmentLines(wording === "pi" ? cwd : pathLine(cwd))],
            stability: "state",
            reserve: { chars: 400, tokens: 120 },
          },
        ],
      },
    ],
    givesWay: [
      { section: "skills", parts: "skill", from: "end", told: "  <!-- {missing} more skills were left out to fit -->" },
      {
        section: "project",
        from: "start",
        keep: 1,
        told: "(Left out to fit: {missing} context files. Read them when they matter.)",
      },
    ],
  });
  return readyMade({
    charter,
    rules: async () => (await import("../../agent/usual-rules.ts")).usualRules(charter),
    served: false,
    needs: fileSources.some((name) => sources[name] !== undefined) ? [] : ["files"],
    withFiles: (files) => coder({ ...sources, ...files }),
  });
}

/** Makes a section of literal words, if there are any. */
function fixedSection(section: Section & { readonly words: string }): Section[] {
  return section.words.trim() === "" ? [] : [section];
}

function documentationWords(documentation: string | DocumentationPaths): string {
  if (typeof documentation === "string") return documentation;
  const { main, additional, examples } = documentation;
  return `Charter documentation (read only when the user asks about Charter itself, its prompts, extensions or skills):
- Main documentation: ${main}
- Additional docs: ${additional}
- Examples: ${examples}`;
}

function environmentLines(cwd: string): Source {
  return ({ now, zone }) => {
    const at = moment(now, zone);
    const time = `Current date and time: ${dateText(at)} at ${clockText(at, true)} ${at.abbreviation}`;
    const words = `${time}\nCurrent working directory: ${cwd}`;
    return { ...fromText(words, { source: "clock" }), ...(at.notices.length > 0 ? { notices: at.notices } : {}) };
  };
}

/** Facts this charter reads. */
export const coderFacts: FactFields = {
  ...fields("cwd home config system append"),
  context: [fields("path content")],
  skills: [fields("name description location hidden")],
};

export function coderFromFacts(facts: Fact, clock: () => Date): DeclaredTurn {
  const system = fromText(text(field(facts, "system")), { source: "SYSTEM.md" });
  const append = fromText(text(field(facts, "append")), { source: "APPEND_SYSTEM.md" });
  const context = contextReading(
    list(field(facts, "context")).map((file) => ({
      path: required(field(file, "path"), text(field(file, "path"))),
      content: required(field(file, "content"), text(field(file, "content"))),
    })),
  );
  const skills = skillsReading(
    list(field(facts, "skills")).map((skill) => ({
      name: required(field(skill, "name"), text(field(skill, "name"))),
      description: required(field(skill, "description"), text(field(skill, "description"))),
      location: required(field(skill, "location"), text(field(skill, "location"))),
      hidden: flag(field(skill, "hidden")) ?? false,
    })),
  );
  text(field(facts, "home"));
  const cwd = text(field(facts, "cwd")) ?? ".";
  const hasFiles = entries(facts).some(([name]) => fileSources.some((source) => source === name));
  const files = { system: () => system, append: () => append, context: () => context, skills: () => skills };
  return declaredTurnOf(coder({ ...(hasFiles ? files : {}), cwd }), facts, clock);
}

const toolDescriptions: Readonly<Record<string, string>> = {
  read: "Read file contents",
  bash: "Execute bash commands (ls, grep, find, etc.)",
  edit: "Make surgical edits to files (find exact text and replace)",
  write: "Create or overwrite files",
  grep: "Search file contents for patterns (respects .gitignore)",
  find: "Find files by glob pattern (respects .gitignore)",
  ls: "List directory contents",
};

/**
 * Makes a line for each active tool: its summary, else the built-in one, else its name. In pi's wording the tool's own, even if
 * that is nothing or several lines.
 */
export function toolLines(wording: Wording): Source {
  return ({ tools }) =>
    present(
      tools.map(({ name, summary }): Part => {
        const own = wording === "pi" ? summary : oneLine(summary ?? "") || undefined;
        const built = Object.hasOwn(toolDescriptions, name) ? toolDescriptions[name] : undefined;
        return { text: `- ${name}: ${own ?? built ?? name}`, kind: "tool", id: `tool:${name}`, source: `tool ${name}` };
      }),
    );
}

const alwaysHolds = ["Be concise in your responses", "Show file paths clearly when working with files"];

/**
 * Makes the guidelines, each once: those the active tools call for, then the tools' own, then those that always hold. In pi's
 * wording a guideline that always holds stands where it first occurred, even in a tool's own.
 */
function guidelineLines(wording: Wording): Source {
  const bulletOf = wording === "pi" ? (words: string) => words.trim() : oneLine;
  return ({ tools }) => {
    const built = [...toolGuidelines(tools, wording)].map((words) => ({ words, source: "charter" }));
    const own = tools.flatMap(({ name, guidelines }) =>
      (guidelines ?? []).map((words) => ({ words: bulletOf(words), source: `tool ${name}` })),
    );
    const seen = new Set(["", ...(wording === "pi" ? [] : alwaysHolds)]);
    const first = [...built, ...own].filter(({ words }) => !seen.has(words) && seen.add(words));
    const last = alwaysHolds
      .filter((words) => wording !== "pi" || !seen.has(words))
      .map((words) => ({ words, source: "charter" }));
    return present([...first, ...last].map(({ words, source }): Part => ({ text: `- ${words}`, source })));
  };
}

function* toolGuidelines(tools: readonly ToolLine[], wording: Wording): Generator<string> {
  const { explore, readFirst, plainText } = wordings[wording];
  const active = new Set(tools.map(({ name }) => name));
  const exploring = active.has("grep") || active.has("find") || active.has("ls");
  if (active.has("bash") && !exploring) yield "Use bash for file operations like ls, rg, find";
  if (active.has("bash") && exploring) yield explore;
  if (active.has("read") && active.has("edit")) yield readFirst;
  if (active.has("edit")) yield "Use edit for precise changes (old text must match exactly)";
  if (active.has("write")) yield "Use write only for new files or complete rewrites";
  if (active.has("edit") || active.has("write")) yield plainText;
}

/** The differences between two ways to word the coding agent's prompt: sentences, and the white space around sections. */
type Words = {
  readonly explore: string;
  readonly readFirst: string;
  readonly plainText: string;
  readonly relativePaths: string;
  /** The text between sections; further distance comes from a section's own lead and closing. */
  readonly separator: string;
  readonly lead: { readonly lead?: string };
  readonly afterContext: { readonly closing?: string };
};

export const wordings: Readonly<Record<Wording, Words>> = {
  charter: {
    explore: "Prefer grep/find/ls tools over bash for file exploration",
    readFirst: "Use read to examine files before editing",
    plainText: "When summarizing your actions, output plain text directly",
    relativePaths: "When a skill file references a relative path, resolve it against the skill directory.",
    separator: "\n\n",
    lead: {},
    afterContext: {},
  },
  // pi puts the date on the next line, everything else after a blank one; context files are followed by one more.
  pi: {
    explore: "Prefer grep/find/ls tools over bash for file exploration (faster, respects .gitignore)",
    readFirst: "Use read to examine files before editing. You must use this tool instead of cat or sed.",
    plainText:
      "When summarizing your actions, output plain text directly - do NOT use cat or bash to display what you did",
    relativePaths:
      "When a skill file references a relative path, resolve it against the skill directory (parent of SKILL.md / dirname of the path) and use that absolute path in tool commands.",
    separator: "\n",
    lead: { lead: "\n" },
    afterContext: { closing: "\n" },
  },
};

const emptyPart: Part = Object.freeze({ text: "", source: "charter" });

/** Adds the `lead` of a section that has no heading: an empty line before its first part. */
function withLead(source: Source, wording: Wording): Source {
  if (wordings[wording].lead.lead === undefined) return source;
  return async (turn) => {
    const reading = await source(turn);
    return reading.status === "present" ? { ...reading, ...present([emptyPart, ...reading.parts]) } : reading;
  };
}

const { statSync } = process.getBuiltinModule("node:fs");
const { join, resolve } = process.getBuiltinModule("node:path");

/** Finds the pages of this Charter on the machine; empty where it came without them. */
export function documentationHere(): { readonly documentation?: DocumentationPaths } {
  const folder = resolve(import.meta.dirname, "../../..");
  const root = [folder, resolve(folder, "..")].find((one) => isDirectory(join(one, "docs")));
  if (root === undefined) return {};
  return {
    documentation: { main: join(root, "README.md"), additional: join(root, "docs"), examples: join(root, "examples") },
  };
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
