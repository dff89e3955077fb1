import { oneLine } from "../../../prompt/character.ts";

/** A line that says by which channel a message came, where one session has them all. */
const line = /^[ \t]*\(by [^()\r\n]*\)[ \t]*$/gim;

/**
 * The user's message, behind the line that says by which channel it came. Only the first line says so: one of the same
 * form in somebody's words is put in quotes.
 */
export function saidBy(channel: string | undefined, input: string): string {
  if (channel === undefined || channel === "") return input;
  return `(by ${oneLine(channel).replace(/[()]/g, "")})\n${input.replace(line, (found) => `“${found.trim()}”`)}`;
}
