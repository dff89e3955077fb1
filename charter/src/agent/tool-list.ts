import { isPromise } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import { type AiTool, isAiTool, toolOf } from "./ai/ai-tool.ts";
import type { Tool } from "./tool.ts";

/**
 * Tools in a list, or in an object by name. The object may also contain tools of the AI SDK, which have no name of
 * their own.
 */
export type Tools = readonly Tool[] | Readonly<Record<string, Tool | AiTool>>;

/** Tools as they were given, as ours. Whatever is none of them is named. */
export function toolList(given: Tools = []): readonly Tool[] {
  if (isPromise(given)) throw bad("The tools are a promise.", "Await them first.");
  if (Array.isArray(given)) {
    for (const [index, tool] of given.entries()) if (!isTool(tool)) throw notInList(tool, index);
    return given;
  }
  if (typeof given === "object" && given !== null && !isTool(given))
    return Object.entries(given).map(([name, tool]) => toolNamed(name, tool));
  throw bad("The tools are no list.", "Give tools as [tool] or { name: tool }.");
}

function toolNamed(name: string, tool: Tool | AiTool): Tool {
  if (isAiTool(tool)) return toolOf(name, tool);
  if (!isTool(tool))
    throw bad(`“${name}” among the tools is no tool.`, "Write it with defineTool, or with tool() of the AI SDK.");
  if (tool.name === name) return tool;
  throw bad(`The tool “${tool.name}” is listed among the tools as “${name}”.`, "Give it one name in both places.");
}

function isTool(given: unknown): given is Tool {
  const { name, run, input } = Object(given) as Partial<Tool>;
  return typeof name === "string" && typeof run === "function" && input !== undefined;
}

function notInList(given: unknown, index: number): Problem {
  if (isAiTool(given))
    return bad(
      `Tool ${index + 1} of the list is the AI SDK's, and has no name of its own.`,
      'Give the tools by name, { weather: tool(…) }, or this one as toolOf("weather", tool(…)).',
    );
  const { name } = Object(given) as { readonly name?: unknown };
  const called = typeof name === "string" ? ` (“${name}”)` : "";
  return bad(`Tool ${index + 1} of the list${called} is no tool.`, "Write it with defineTool.");
}

function bad(message: string, hint: string): Problem {
  return new Problem("bad-tool", message, hint);
}
