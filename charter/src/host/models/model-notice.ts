import type { Notice } from "../../prompt/notice.ts";
import type { Problem } from "../../prompt/problem.ts";

/** Told with the prompt of an agent whose model cannot be asked: that stops its turns, not the sight of the prompt. */
export function modelNotice({ code, message, hint }: Pick<Problem, "code" | "message" | "hint">): Notice {
  const why = code === "unknown-model" ? "while its model cannot be found" : "while its model cannot be asked";
  return { code, message: `It takes no turns ${why}. ${message} ${hint}` };
}
