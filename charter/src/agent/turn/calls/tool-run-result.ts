import type { Notice } from "../../../prompt/notice.ts";
import type { ToolOutput } from "../../tool.ts";

/** What a tool came to. `own`: the words are the tool's, also of a tool that brings other people's. */
export type ToolRunResult = {
  readonly text: string;
  readonly foreign: boolean;
  readonly own?: true;
  readonly failed: boolean;
  readonly notice?: Notice;
};

export function failure(text: string): ToolRunResult {
  return { text, foreign: false, failed: true };
}

export function toolRunResultOf(output: ToolOutput): ToolRunResult {
  if (typeof output === "string") return { text: output, foreign: false, failed: false };
  if (isText(output)) {
    const { text, foreign, failed, notice } = output;
    return {
      ...{ text, foreign: foreign === true, failed: failed === true },
      ...(foreign === false ? { own: true } : {}),
      ...(isNotice(notice) ? { notice } : {}),
    };
  }
  return { text: JSON.stringify(output) ?? "", foreign: false, failed: false };
}

function isText(
  output: ToolOutput,
): output is Exclude<ToolOutput, string> & { text: string; foreign?: boolean; failed?: true; notice?: unknown } {
  return typeof output === "object" && output !== null && typeof (output as { text?: unknown }).text === "string";
}

function isNotice(value: unknown): value is Notice {
  const { code, message } = Object(value) as Partial<Notice>;
  return typeof code === "string" && typeof message === "string";
}
