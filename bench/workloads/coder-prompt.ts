import { markdown, prose, rng, sentence, skillName, toolName } from "./rng.ts";
import type { Section } from "./section.ts";

/** coder-prompt “coding agent”: 25 tools, their guidelines, five context files of 4 KB, 100 skills. 55 KB. */
export type Inputs = {
  readonly selectedTools: readonly string[];
  readonly toolSnippets: Readonly<Record<string, string>>;
  readonly promptGuidelines: readonly string[];
  readonly appendSystemPrompt: string;
  readonly contextFiles: readonly ContextFile[];
  readonly skills: readonly Skill[];
  readonly cwd: string;
  readonly date: string;
};
export type ContextFile = { readonly path: string; readonly content: string };
export type Skill = { readonly name: string; readonly description: string; readonly filePath: string };

export function coderPromptInputs(): Inputs {
  const cwd = "/home/dev/a/b/c/d/e/f/g/h/i/j/k/l";
  const random = rng(4);
  const selectedTools = ["read", "bash", "edit", "write", "grep", "find", "ls"];
  for (let index = 0; selectedTools.length < 25; index++) selectedTools.push(`x_${toolName(index)}`);
  const toolSnippets = Object.fromEntries(selectedTools.map((name) => [name, sentence(random)]));
  const promptGuidelines = selectedTools.flatMap(() => [sentence(random), "Prefer small, reviewable steps."]);
  const appendSystemPrompt = prose(random, 600);
  const folders = cwd.split("/").map((_, index, names) => names.slice(0, index + 1).join("/") || "/");
  const contextFiles = Array.from({ length: 5 }, (_, index) => ({
    path: `${folders[Math.min(folders.length - 1, (index + 1) * 3)]}/AGENTS.md`,
    content: markdown(random, 4096),
  }));
  return {
    selectedTools,
    toolSnippets,
    promptGuidelines,
    appendSystemPrompt,
    contextFiles,
    skills: coderPromptSkills(100),
    cwd,
    date: "2026-03-07",
  };
}

function coderPromptSkills(count: number): Skill[] {
  const random = rng(3);
  return Array.from({ length: count }, (_, index) => {
    const name = skillName(index);
    const description = `${sentence(random)} Use when the task mentions ${name.replaceAll("-", " ")} & related work.`;
    return { name, description, filePath: `/home/dev/.agent/skills/${name}/SKILL.md` };
  });
}

/** Turn after turn: the time is new; every so many turns one context file has a line more. */
export function coderPromptTurns(turns: number, fileEvery: number): Inputs[] {
  let inputs = coderPromptInputs();
  const random = rng(33);
  const began = Date.parse("2026-03-07T09:00:00Z");
  return Array.from({ length: turns }, (_, turn) => {
    const date = new Date(began + turn * 90_000).toISOString();
    const changed = turn > 0 && turn % fileEvery === 0 ? (turn / fileEvery) % inputs.contextFiles.length : -1;
    const contextFiles = inputs.contextFiles.map((file, index) =>
      index === changed ? { ...file, content: `${file.content}\n- ${sentence(random)}` } : file,
    );
    inputs = { ...inputs, contextFiles, date };
    return inputs;
  });
}

/** Turn after turn: the time is new, and one line of one context file reads otherwise. */
export function coderEditedTurns(turns: number): Inputs[] {
  let inputs = coderPromptInputs();
  const random = rng(34);
  const began = Date.parse("2026-03-07T09:00:00Z");
  return Array.from({ length: turns }, (_, turn) => {
    const date = new Date(began + turn * 90_000).toISOString();
    const contextFiles = inputs.contextFiles.map((file, index) =>
      index === 2 && turn > 0 ? { ...file, content: withOtherLine(file.content, random) } : file,
    );
    inputs = { ...inputs, contextFiles, date };
    return inputs;
  });
}

function withOtherLine(content: string, random: ReturnType<typeof rng>): string {
  const lines = content.split("\n");
  const spoken = lines.flatMap((line, at) => (line.startsWith("- ") || /^[A-Z]/.test(line) ? [at] : []));
  return lines.with(random.pick(spoken), `- ${sentence(random)}`).join("\n");
}

/** The same with the context files as parts of one section, as a coding agent has them. */
export function coderProjectSections(inputs: Inputs): Section[] {
  const parts = inputs.contextFiles.map(({ path, content }) => ({ name: path, text: `## ${path}\n\n${content}` }));
  const project: Section = {
    name: "project",
    separator: "\n\n",
    heading: "# Project Context\n\nProject-specific instructions and guidelines:\n",
    text: parts.map(({ text }) => text).join("\n\n"),
    stability: "stable",
    parts,
  };
  const sections = coderPromptSections(inputs).filter(({ name }) => !name.startsWith("file-"));
  return sections.map((section) => (section.name === "project" ? project : section));
}

export function escaped(text: string): string {
  if (!/[&<>"']/.test(text)) return text;
  return text
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;")
    .replace(/'/g, "&apos;");
}

/** The floor: the template string a careful person writes by hand. */
export function coderPromptFloor(inputs: Inputs): string {
  let tools = "";
  for (const name of inputs.selectedTools) tools += `- ${name}: ${inputs.toolSnippets[name]}\n`;
  const seen = new Set<string>();
  let rules = "";
  for (const guideline of inputs.promptGuidelines)
    if (!seen.has(guideline)) {
      seen.add(guideline);
      rules += `- ${guideline}\n`;
    }
  let text = `You are an expert coding assistant. You help users by reading files, executing commands, editing code, and writing new files.

Available tools:
${tools}
In addition to the tools above, you may have access to other custom tools depending on the project.

Guidelines:
${rules}- Be concise in your responses
- Show file paths clearly when working with files

${inputs.appendSystemPrompt}

# Project Context

Project-specific instructions and guidelines:

`;
  for (const { path, content } of inputs.contextFiles) text += `## ${path}\n\n${content}\n\n`;
  text +=
    "The following skills provide specialized instructions for specific tasks.\nUse the read tool to load a skill's file when the task matches its description.\n\n<available_skills>\n";
  for (const skill of inputs.skills) text += skillBlock(skill);
  return `${text}</available_skills>\nCurrent date: ${inputs.date}\nCurrent working directory: ${inputs.cwd}`;
}

/** The same prompt as a template with slots, for libraries that fill templates… */
export const coderPromptTemplate = coderPromptFloor({
  selectedTools: [],
  toolSnippets: {},
  promptGuidelines: [],
  appendSystemPrompt: "{append}",
  contextFiles: [],
  skills: [],
  date: "{date}",
  cwd: "{cwd}",
})
  .replace("Available tools:\n", "Available tools:\n{tools}")
  .replace("Guidelines:\n", "Guidelines:\n{guidelines}")
  .replace("guidelines:\n\n", "guidelines:\n\n{files}")
  .replace("<available_skills>\n", "<available_skills>\n{skills}");

/** …and what goes into them. */
export function coderPromptSlots(inputs: Inputs): Record<string, string> {
  const { selectedTools, toolSnippets, promptGuidelines, contextFiles, skills, appendSystemPrompt, date, cwd } = inputs;
  return {
    tools: selectedTools.map((name) => `- ${name}: ${toolSnippets[name]}\n`).join(""),
    guidelines: [...new Set(promptGuidelines)].map((guideline) => `- ${guideline}\n`).join(""),
    append: appendSystemPrompt,
    files: contextFiles.map(({ path, content }) => `## ${path}\n\n${content}\n\n`).join(""),
    skills: skills.map(skillBlock).join(""),
    date,
    cwd,
  };
}

/** Put together they are the floor's text. */
export function coderPromptSections(inputs: Inputs): Section[] {
  const { tools = "", guidelines = "", skills = "" } = coderPromptSlots(inputs);
  const stable = (name: string, heading: string, text: string): Section => ({
    name,
    separator: "\n\n",
    heading,
    text,
    stability: "stable",
  });
  const environment = (date: string) => `Current date: ${date}\nCurrent working directory: ${inputs.cwd}`;
  return [
    stable(
      "identity",
      "",
      "You are an expert coding assistant. You help users by reading files, executing commands, editing code, and writing new files.",
    ),
    stable("tools", "Available tools:", tools.trimEnd()),
    stable(
      "note",
      "",
      "In addition to the tools above, you may have access to other custom tools depending on the project.",
    ),
    stable(
      "guidelines",
      "Guidelines:",
      `${guidelines}- Be concise in your responses\n- Show file paths clearly when working with files`,
    ),
    stable("append", "", inputs.appendSystemPrompt),
    stable("project", "# Project Context\n", "Project-specific instructions and guidelines:"),
    ...inputs.contextFiles.map(({ path, content }, index) => stable(`file-${index}`, `## ${path}\n`, content)),
    stable(
      "skills",
      "The following skills provide specialized instructions for specific tasks.\nUse the read tool to load a skill's file when the task matches its description.\n",
      `<available_skills>\n${skills}</available_skills>`,
    ),
    {
      name: "environment",
      separator: "\n",
      heading: "",
      text: environment(inputs.date),
      stability: "state",
      byDay: environment(inputs.date.slice(0, 10)),
    },
  ];
}

function skillBlock({ name, description, filePath }: Skill): string {
  return `  <skill>\n    <name>${escaped(name)}</name>\n    <description>${escaped(description)}</description>\n    <location>${escaped(filePath)}</location>\n  </skill>\n`;
}
