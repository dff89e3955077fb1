import { readyMade } from "../../agent/bare-declaration.ts";
import type { Declaration, DirectoryFiles, DocumentationPaths } from "../../agent/declaration.ts";
import { checkNames } from "../../prompt/argument.ts";
import { type Charter, defineCharter } from "../../prompt/charter.ts";
import { empty, fromText } from "../../prompt/reading.ts";
import type { Section } from "../../prompt/section.ts";
import type { Source } from "../../prompt/source.ts";
import { contextReading } from "../../sources/context-reading.ts";
import { pathLine } from "../../sources/disk/path-line.ts";
import type { Wording } from "../../sources/disk/wording.ts";
import type { Project } from "../../sources/project.ts";
import { skillsReading } from "../../sources/skills/skills-reading.ts";
import { clockText, dateText, moment } from "../clock.ts";
import { type DeclaredTurn, declaredTurnOf } from "../declared-turn.ts";
import { entries, type Fact, field, flag, list, required, text } from "../facts.ts";
import { type FactFields, fields } from "../known-facts.ts";
import { guidelineLines, toolLines } from "./tools.ts";
import { withLead, wordings } from "./wording.ts";

/** The files of a directory, and how the coding agent's prompt is worded. */
export type CoderSources = Partial<DirectoryFiles> & {
  /** Who the agent is, in the default prompt. Blank: nothing is said. */
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
const none: Source = () => empty;

/**
 * Ready-made charter: a coding agent whose prompt consists of files, skills and tools. Without files it takes those of
 * a directory (`openWorkbench` in `charter/host`).
 */
export function coder(sources: CoderSources = {}): Declaration {
  // A project of charter/sources has these as well: it may be given as it is.
  const besides = ["look", "forget", "watch"] as const;
  const names = [...fileSources, "wording", "identity", "documentation", "cwd"] as const;
  checkNames<CoderSources & Partial<Project>>("coder", sources, [...names, ...besides]);
  const { wording = "charter", identity = identityWords, documentation = packageDocumentation } = sources;
  const { system = none, append = none, context = none, skills = none, cwd = "." } = sources;
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
        sections: [{ name: "base", sources: [system] }],
        fallback: [
          ...fixedSection({ name: "identity", words: identity }),
          { name: "tools", heading: "Available tools:", sources: [toolLines(wording)], fallback: "(none)" },
          { name: "note", words: noteWords },
          { name: "guidelines", heading: "Guidelines:", sources: [guidelineLines(wording)] },
          ...fixedSection({ name: "documentation", compact: "omit", words: documentationWords(documentation) }),
        ],
      },
      {
        name: "append",
        owner: "operator",
        mutability: "live",
        sections: [{ name: "append", sources: [withLead(append, wording)] }],
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

/** A section of literal words, where there are any. */
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

/** What it is told. */
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
  const told = entries(facts).some(([name]) => fileSources.some((source) => source === name));
  const files = { system: () => system, append: () => append, context: () => context, skills: () => skills };
  return declaredTurnOf(coder({ ...(told ? files : {}), cwd }), facts, clock);
}
