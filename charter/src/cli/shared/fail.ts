import { hintsHere } from "../../operations/print/command-name.ts";
import { visible, wrapText } from "../../operations/print/plain-text.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";

/**
 * How every error ends: `code: message` and a hint on standard error, exit code 2, never a stack trace.
 *
 * With `--json` the answer is one JSON document, on standard output where scripts read it, and on standard error too.
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

/** A secret key of Nostr that was typed at the wrong place is not repeated: what is printed may be kept in a log. */
function withoutKeys(text: string): string {
  return text.replace(/nsec1\w*/gi, "nsec1…");
}

/** Names in a message may be anyone's, such as those in a database that came with a folder: none draws on a terminal. */
function inert(text: string): string {
  return visible(text, new Set());
}

function unexpected(error: unknown): Problem {
  const message = reasonOf(error);
  return new Problem("internal", message, "This is a bug in Charter, not in your input; please report it.");
}
