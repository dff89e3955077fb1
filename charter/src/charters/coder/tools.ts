import { oneLine } from "../../prompt/character.ts";
import type { Part } from "../../prompt/part.ts";
import { present } from "../../prompt/reading.ts";
import type { Source, ToolLine } from "../../prompt/source.ts";
import type { Wording } from "../../sources/disk/wording.ts";
import { wordings } from "./wording.ts";

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
 * A line for each active tool: what it says of itself, else what is known of it, else its name. In pi's wording as the
 * tool says it, be it nothing or several lines.
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
 * By the table: what the active tools call for, then what they say themselves, then what always holds; each once. In
 * pi's wording what always holds stands where it was first said, be it by a tool.
 */
export function guidelineLines(wording: Wording): Source {
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
