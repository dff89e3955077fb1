import { firstCharacters, preview } from "../prompt/character.ts";
import type { ToolResult } from "./model.ts";

/** What became of its calls, in sentences that say no more than the results do. */
export function reportOf(results: readonly ToolResult[]): string[] {
  return results.flatMap((result) => amendmentReport(result.output) ?? [plainReport(result)]);
}

function plainReport({ name, output, failed }: ToolResult): string {
  const said = failed ? output.replace(/^It failed: /, "") : output;
  const told = fileTools.has(name) ? shortened(said, failed ? 1000 : 200) : said;
  if (failed) return `${name} failed:${told.includes("\n") ? "\n" : " "}${told}`;
  if (["save_memory", "write", "edit"].includes(name)) return told;
  return (name === "read_prompt" && promptReport(output)) || `${name} answered:\n${told}`;
}

const fileTools = new Set(["read", "bash", "edit", "write", "grep", "find", "ls"]);

/** Nobody reads a whole file in a reply: its first lines are told, and how many more there were. */
function shortened(output: string, lineChars: number): string {
  const lines = output.split("\n");
  const shown = lines.slice(0, 20).map((line) => {
    const first = firstCharacters(line, lineChars);
    return first.length === line.length ? line : `${first}…`;
  });
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`(and ${more} more ${more === 1 ? "line" : "lines"})`] : [])].join("\n");
}

function promptReport(output: string): string | undefined {
  const { sections, section, text, revision } = parsed(output) ?? {};
  if (section !== undefined && text !== undefined)
    return `“${section}”${revision === undefined ? "" : ` (revision ${revision})`} says:\n${text}`;
  const lines = sections?.map((one) => {
    const stands = one.revision === undefined ? "" : `, revision ${one.revision}`;
    return `- ${one.section}: changed by ${one.changedBy}${stands}`;
  });
  return (
    lines && [`My prompt has ${lines.length === 1 ? "one section" : `${lines.length} sections`}:`, ...lines].join("\n")
  );
}

type ToldOutcome = {
  readonly verdict?: unknown;
  readonly section?: string;
  readonly says?: string;
  readonly because?: string;
  readonly held?: string;
  readonly refusals?: readonly { readonly guard: string; readonly because: string }[];
  readonly dropped?: readonly string[];
  readonly diff?: string;
  readonly text?: string;
  readonly revision?: number;
  readonly sections?: readonly { readonly section: string; readonly changedBy: string; readonly revision?: number }[];
};

function amendmentReport(output: string): string[] | undefined {
  const told = parsed(output);
  const reasons = told?.refusals?.map(({ guard, because }) => `${guard}: ${because}`).join(" ") ?? told?.because ?? "";
  const what = told?.section === undefined ? "The call" : `The change of “${told.section}”`;
  switch (told?.verdict) {
    case "accepted":
      return [
        `Done: ${told.says ?? `“${told.section}” was changed.`}`,
        ...few("It says now", added(told.diff)),
        ...few("It says no longer", told.dropped ?? []),
      ];
    case "unchanged":
      return [told.says ?? `“${told.section}” says exactly this already: nothing was changed.`];
    case "refused":
      return [`${what} was refused, and nothing was changed. ${reasons}`];
    case "held":
      return [`${what} waits for a person's approval as ${told.held}, and nothing has changed yet. ${reasons}`];
    default:
      return undefined;
  }
}

function added(diff = ""): string[] {
  const lines = diff.split("\n").filter((line) => line.startsWith("+") && !line.startsWith("+++ "));
  return lines.map((line) => line.slice(1)).filter((line) => line.trim() !== "");
}

function few(opening: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const shown = lines.slice(0, 3).map((line) => `“${preview(line, 120)}”`);
  const more = lines.length - shown.length;
  return [`${opening}: ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`];
}

function parsed(output: string): ToldOutcome | undefined {
  if (!output.startsWith("{")) return undefined;
  try {
    return JSON.parse(output) as ToldOutcome;
  } catch {
    return undefined;
  }
}

/** The name of a prompt's section, where it has only one. */
export function onlySection(results: readonly ToolResult[]): string | undefined {
  const { sections = [] } = parsed(results.find(({ name }) => name === "read_prompt")?.output ?? "") ?? {};
  return sections.length === 1 ? sections[0]?.section : undefined;
}

/** Notes of what was said so far, in few words: what a long history is compacted to. */
export function notesOf(before: readonly { readonly user: string; readonly reply: string }[]): string {
  const lines = before.map(({ user, reply }) => `- The user: “${preview(user, 160)}” I: “${preview(reply, 160)}”`);
  return ["Notes of what was said so far:", ...lines.slice(-40)].join("\n");
}
