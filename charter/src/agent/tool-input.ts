import { reasonOf } from "../prompt/problem.ts";
import { withoutNothing } from "./nothing.ts";
import type { Tool } from "./tool.ts";

/** What a tool is given, and what was written for it: a schema may make something else of the words. */
export type Arguments = { readonly input: unknown; readonly written: unknown };
export type Parsed = Arguments | { readonly fault: string };

export function inputOf(tool: Tool, written: string): Parsed {
  let value: unknown;
  try {
    value = written.trim() === "" ? {} : (JSON.parse(written) ?? {});
  } catch (error) {
    return { fault: `Not run: the arguments are no JSON (${reasonOf(error)}). Write them again, whole.` };
  }
  return checkedInput(tool, value);
}

/** A schema may have code of its own, which what a model wrote can make throw. */
export function checkedInput(tool: Tool, value: unknown): Parsed {
  try {
    const parsed = withoutNothing(tool.input, value);
    if (parsed.success) return { input: parsed.data, written: value };
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "arguments"}: ${message}`);
    return { fault: `Not run: the arguments do not fit “${tool.name}”. ${faults.join("; ")}.` };
  } catch (error) {
    return { fault: `Not run: the arguments do not fit “${tool.name}”. ${reasonOf(error)}` };
  }
}
