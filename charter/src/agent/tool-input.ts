import { reasonOf } from "../prompt/problem.ts";
import { issuePath, parseWithoutNulls } from "./output/parse-without-nulls.ts";
import type { Tool } from "./tool.ts";

/** What a tool is given, and what was written for it: a schema may make something else of the words. */
export type ToolArguments = { readonly input: unknown; readonly raw: unknown };
export type ParsedArguments = ToolArguments | { readonly fault: string };

export async function parseToolInput(tool: Tool, written: string): Promise<ParsedArguments> {
  let value: unknown;
  try {
    value = written.trim() === "" ? {} : (JSON.parse(written) ?? {});
  } catch (error) {
    return { fault: `Not run: the arguments are no JSON (${reasonOf(error)}). Write them again, whole.` };
  }
  return checkToolInput(tool, value);
}

/** A schema may have code of its own, which what a model wrote can make throw. */
export async function checkToolInput(tool: Tool, value: unknown): Promise<ParsedArguments> {
  try {
    const parsed = await parseWithoutNulls(tool.input, value);
    if (!parsed.issues) return { input: parsed.value, raw: value };
    const faults = parsed.issues.map(
      (issue) => `${issuePath(issue).map(String).join(".") || "arguments"}: ${issue.message}`,
    );
    return { fault: `Not run: the arguments do not fit “${tool.name}”. ${faults.join("; ").replace(/\.$/, "")}.` };
  } catch (error) {
    return { fault: `Not run: the arguments do not fit “${tool.name}”. ${reasonOf(error)}` };
  }
}
