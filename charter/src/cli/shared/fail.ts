import { hintsHere } from "../../operations/print/command-name.ts";
import { visible, wrapText } from "../../operations/print/plain-text.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";

/**
 * Prints an error as `code: message` with a hint on standard error, never a stack trace, and returns exit code 2.
 *
 * With `--json` the error is one JSON document, on standard output where scripts read it, and on standard error too.
 */
export function fail(error: unknown, json: boolean): number {
  const problem = error instanceof Problem ? error : unexpected(error);
  const { code } = problem;
  const [message, hint] = [problem.message, problem.hint].map((text) => hintsHere(withoutKeys(text))) as [
    string,
    string,
  ];
  if (json) {
    const answer = `${JSON.stringify({ problem: { code, message, hint } })}\n`;
    process.stdout.write(answer);
    process.stderr.write(answer);
  } else {
    const width = (process.stderr.isTTY && process.stderr.columns) || Number.POSITIVE_INFINITY;
    const lines = [...wrapText(inert(`${code}: ${message}`), width), ...wrapText(inert(hint), width, "  ")];
    process.stderr.write(`${lines.join("\n")}\n`);
  }
  return 2;
}

/** Hides secret keys of Nostr that were typed in the wrong place, because output may be logged. */
function withoutKeys(text: string): string {
  return text.replace(/nsec1\w*/gi, "nsec1…");
}

/**
 * Removes control characters: names in a message may be anyone's, such as those in a database that came with a folder, and none
 * may draw on the terminal.
 */
function inert(text: string): string {
  return visible(text, new Set());
}

function unexpected(error: unknown): Problem {
  const message = reasonOf(error);
  return new Problem("internal", message, "This is a bug in Charter, not in your input; please report it.");
}
