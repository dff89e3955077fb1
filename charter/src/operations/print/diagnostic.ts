import type { Diagnostic } from "../../sources/disk/findings.ts";
import { colours } from "./colour.ts";
import { type OutputSize, oneLine } from "./columns.ts";

/** A diagnostic a line: how bad, its word, and what to do; the message names the file. */
export function diagnosticLines(diagnostics: readonly Diagnostic[], output: OutputSize): string[] {
  const paint = colours(output);
  return diagnostics.map(({ severity, code, message }) => {
    const word = severity === "error" ? paint.red(`error ${code}`) : paint.yellow(`warning ${code}`);
    return `${word}: ${oneLine(message)}`;
  });
}
