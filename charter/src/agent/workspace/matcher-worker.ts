import { parentPort } from "node:worker_threads";

/**
 * A matcher's question to its thread: which of these texts match, or which lines of each, with a maximum number of lines in all.
 */
export type MatchRequest = {
  readonly source: string;
  readonly flags: string;
  readonly texts: readonly string[];
  readonly lines?: number;
};
/** The matching lines of each text, counted from 0; for whole texts, [0] or nothing. */
export type MatchReply = { readonly found: readonly (readonly number[])[] } | { readonly fault: string };

parentPort?.on("message", (question: MatchRequest) => {
  let answer: MatchReply;
  try {
    answer = { found: matches(question) };
  } catch (error) {
    answer = { fault: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(answer);
});

function matches({ source, flags, texts, lines }: MatchRequest): number[][] {
  const regex = new RegExp(source, flags);
  if (lines === undefined) return texts.map((text) => (regex.test(text) ? [0] : []));
  let left = lines;
  return texts.map((text) => {
    const matching: number[] = [];
    if (left === 0) return matching;
    for (const [index, line] of linesOf(text).entries()) {
      if (!regex.test(line)) continue;
      matching.push(index);
      if (--left === 0) break;
    }
    return matching;
  });
}

/** Splits a text into lines; a newline at its end adds no line. */
function linesOf(text: string): string[] {
  return text.replace(/\r?\n$/, "").split(/\r?\n/);
}
