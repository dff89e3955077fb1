import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { identityWords, noteWords } from "../src/charters/coder/coder.ts";
import { openWorkbench, type Workbench, type WorkbenchOptions } from "../src/host/index.ts";
import { assemble, gather, type Prompt } from "../src/index.ts";
import type { Files } from "./cli.ts";
import { standFor } from "./stand-for.ts";

/** A coding agent's directory on a real disk: `project/` is worked in, `home/` is the global agent directory. */
export type Tree = {
  readonly root: string;
  readonly cwd: string;
  readonly home: string;
  readonly write: (name: string, content: string | Uint8Array) => void;
  readonly remove: (name?: string) => void;
  /** What a coding agent would be given there; trusted, unless said otherwise. */
  readonly workbench: (options?: Partial<WorkbenchOptions>) => Workbench;
};

export function createTree(files: Files = {}): Tree {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "charter-coder-")));
  const [cwd, home] = [join(root, "project"), join(root, "home")];
  const write = (name: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  };
  mkdirSync(cwd);
  for (const [name, content] of Object.entries(files)) write(name, content);
  return {
    root,
    cwd,
    home,
    write,
    remove: (name = "") => rmSync(join(root, name), { recursive: true, force: true }),
    workbench: (options = {}) => openWorkbench({ cwd, home, config: ".charter", trusted: () => true, ...options }),
  };
}

/** One for each test of a file. */
export function treeForEach(): Tree {
  let tree: Tree;
  beforeEach(() => {
    tree = createTree();
  });
  afterEach(() => tree.remove());
  return standFor(() => tree);
}

export const now = "2026-03-07T14:55:05Z";

/** The prompt of that moment, as `charter show` makes it. */
export async function promptAt(workbench: Workbench): Promise<Prompt> {
  const turn = { now, zone: "America/Chicago", tools: await workbench.lines(), standing: {} };
  const { charter } = workbench.base;
  return assemble(charter, await gather(charter, turn));
}

export async function textAt(workbench: Workbench): Promise<string> {
  return (await promptAt(workbench)).text;
}

export const toolLines: Readonly<Record<string, string>> = {
  read: "- read: Read file contents",
  bash: "- bash: Execute bash commands (ls, grep, find, etc.)",
  edit: "- edit: Make surgical edits to files (find exact text and replace)",
  write: "- write: Create or overwrite files",
  grep: "- grep: Search file contents for patterns (respects .gitignore)",
  find: "- find: Find files by glob pattern (respects .gitignore)",
  ls: "- ls: List directory contents",
};
export const usualToolLines = ["read", "bash", "edit", "write"].map((name) => toolLines[name]).join("\n");
export const usualGuidelines = [
  "- Use bash for file operations like ls, rg, find",
  "- Use read to examine files before editing",
  "- Use edit for precise changes (old text must match exactly)",
  "- Use write only for new files or complete rewrites",
  "- When summarizing your actions, output plain text directly",
].join("\n");
export const always = "- Be concise in your responses\n- Show file paths clearly when working with files";
export const documentation = `Charter documentation (read only when the user asks about Charter itself, its prompts, extensions or skills):
- Main documentation: node_modules/charter/README.md
- Additional docs: node_modules/charter/docs
- Examples: node_modules/charter/examples`;

/** The default base, with what the tools make of it. */
export function base(tools = usualToolLines, guidelines = `${usualGuidelines}\n${always}`): string {
  return `${identityWords}

Available tools:
${tools}

${noteWords}

Guidelines:
${guidelines}

${documentation}`;
}

/** The whole text: what is given, in the order of the prompt, and the environment last. */
export function whole({ cwd }: Pick<Tree, "cwd">, ...sections: readonly string[]): string {
  const environment = `Current date and time: Saturday, March 7, 2026 at 08:55:05 AM CST\nCurrent working directory: ${cwd}`;
  return [...sections, environment].join("\n\n");
}

export function project(...files: readonly (readonly [path: string, content: string])[]): string {
  const parts = files.map(([path, content]) => `## ${path}\n\n${content}`);
  return `# Project Context\n\nProject-specific instructions and guidelines:\n\n${parts.join("\n\n")}`;
}

export function skillsListing(
  ...skills: readonly (readonly [name: string, description: string, location: string])[]
): string {
  const parts = skills.map(
    ([name, description, location]) =>
      `  <skill>\n    <name>${name}</name>\n    <description>${description}</description>\n    <location>${location}</location>\n  </skill>`,
  );
  return `The following skills provide specialized instructions for specific tasks.
Use the read tool to load a skill's file when the task matches its description.
When a skill file references a relative path, resolve it against the skill directory.

<available_skills>
${parts.join("\n")}
</available_skills>`;
}

export function skill(name: string, description: string, more = ""): string {
  return `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n# ${name}\n`;
}

/** An extension of the project; its lines are given `pi`. */
export function writeExtension(tree: Pick<Tree, "write">, name: string, ...lines: readonly string[]): void {
  tree.write(`project/.charter/extensions/${name}`, `export default (pi) => {\n${lines.join("\n")}\n};\n`);
}

/** The state of every request, by the clock a loopback agent begins with. */
export function environmentIn({ cwd }: Pick<Tree, "cwd">): string {
  return `Current date and time: Wednesday, February 18, 2026 at 12:00:00 PM UTC\nCurrent working directory: ${cwd}`;
}
