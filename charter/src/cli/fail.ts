import { Problem, reasonOf } from "../prompt/problem.ts";

/**
 * How every error ends: `code: message` and a hint on standard error, exit code 2, never a stack trace.
 *
 * With `--json` the answer is one JSON document, on standard output where scripts read it, and on standard error too.
 */
export function fail(error: unknown, json: boolean): number {
  const problem = error instanceof Problem ? error : unexpected(error);
  const { code, message, hint } = problem;
  if (json) {
    const answer = `${JSON.stringify({ problem: { code, message, hint } })}\n`;
    process.stdout.write(answer);
    process.stderr.write(answer);
  } else process.stderr.write(`${code}: ${message}\n  ${hint}\n`);
  return 2;
}

function unexpected(error: unknown): Problem {
  const message = reasonOf(error);
  return new Problem("internal", message, "This is a fault in Charter, not in your input; please report it.");
}
