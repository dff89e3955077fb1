import { type AskMode, askModes } from "../../agent/turn/asking/ask-mode.ts";
import { listed, Problem } from "../../prompt/problem.ts";

/** The mode that was named with `--ask`. */
export function askModeIn({ ask }: { readonly ask?: string | undefined }): AskMode | undefined {
  if (ask === undefined) return undefined;
  const mode = askModes.find((one) => one === ask);
  if (mode) return mode;
  throw new Problem("usage", `There is no “--ask ${ask}”.`, `It is ${listed(askModes)}.`);
}

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
