import type { AskMode } from "../../agent/turn/ask-reason.ts";

/**
 * The mode where none was named. An agent that works in files asks before it runs commands and changes files; what others
 * change can be undone. Where nobody can answer, nothing more is held than untrusted text holds.
 */
export function usualAskMode({
  mayAsk,
  worksInFiles,
}: {
  readonly mayAsk: boolean;
  readonly worksInFiles: boolean;
}): AskMode {
  return mayAsk && worksInFiles ? "writes" : "never";
}
