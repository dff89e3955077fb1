/** The line of what a program printed on standard error that says most: the last that speaks of an error, or the last. */
export function errorLine(tail: string): string {
  const lines = tail.split("\n").map((line) => line.trim());
  const said = lines.filter((line) => line !== "");
  const line = said.findLast((one) => /error|cannot|not found|failed/i.test(one)) ?? said.at(-1);
  return line === undefined ? "" : ` Its error output: ${line}`;
}
