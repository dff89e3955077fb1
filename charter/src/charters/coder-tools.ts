import type { Part } from "../prompt/part.ts";
import { present } from "../prompt/reading.ts";
import type { Source, ToolLine } from "../prompt/source.ts";

const toolDescriptions: Readonly<Record<string, string>> = {
  read: "Read file contents",
  bash: "Execute bash commands (ls, grep, find, etc.)",
  edit: "Make surgical edits to files (find exact text and replace)",
  write: "Create or overwrite files",
  grep: "Search file contents for patterns (respects .gitignore)",
  find: "Find files by glob pattern (respects .gitignore)",
  ls: "List directory contents",
};

/** A line for each active tool: what it says of itself, else what is known of it, else its name. */
export const toolLines: Source = ({ tools }) =>
  present(
    tools.map(({ name, summary }): Part => {
      const built = Object.hasOwn(toolDescriptions, name) ? toolDescriptions[name] : undefined;
      return {
        text: `- ${name}: ${oneLine(summary) || built || name}`,
        kind: "tool",
        id: `tool:${name}`,
        source: `tool ${name}`,
      };
    }),
  );

/** By the table: what the active tools call for, then what they say themselves, then what always holds; each once. */
export const guidelineLines: Source = ({ tools }) => {
  const own = tools.flatMap(({ name, guidelines }) =>
    (guidelines ?? []).map((words) => ({ words, source: `tool ${name}` })),
  );
  const built = [...toolGuidelines(tools)].map((words) => ({ words, source: "charter" }));
  const always = ["Be concise in your responses", "Show file paths clearly when working with files"];
  const seen = new Set<string>(always);
  const lines: Part[] = [];
  for (const { words, source } of [...built, ...own]) {
    const bullet = oneLine(words);
    if (bullet === "" || seen.has(bullet)) continue;
    seen.add(bullet);
    lines.push({ text: `- ${bullet}`, source });
  }
  return present([...lines, ...always.map((words) => ({ text: `- ${words}`, source: "charter" }))]);
};

function* toolGuidelines(tools: readonly ToolLine[]): Generator<string> {
  const active = new Set(tools.map(({ name }) => name));
  const exploring = active.has("grep") || active.has("find") || active.has("ls");
  if (active.has("bash") && !exploring) yield "Use bash for file operations like ls, rg, find";
  if (active.has("bash") && exploring) yield "Prefer grep/find/ls tools over bash for file exploration";
  if (active.has("read") && active.has("edit")) yield "Use read to examine files before editing";
  if (active.has("edit")) yield "Use edit for precise changes (old text must match exactly)";
  if (active.has("write")) yield "Use write only for new files or complete rewrites";
  if (active.has("edit") || active.has("write")) yield "When summarizing your actions, output plain text directly";
}

function oneLine(words: string | undefined): string {
  return (words ?? "").replace(/[\s\u0085]+/g, " ").trim();
}
