import { wrapText } from "../../operations/print/plain-text.ts";

/**
 * A page of help for a terminal that is narrower than the page: what stands behind a name goes on under itself. A line
 * to be typed is left whole, so that it can be copied.
 */
export function wrapHelp(page: string, width: number): string {
  return page
    .split("\n")
    .flatMap((line) => (line.length <= width ? [line] : wrapHelpLine(line, width)))
    .join("\n");
}

function wrapHelpLine(line: string, width: number): string[] {
  const [, indent = "", name = "", rest = ""] = /^( *)(?:(\S+(?: \S+)* {2,}))?(.*)$/.exec(line) ?? [];
  if (name === "") return indent === "" || indent.length >= 20 ? wrapText(rest, width, indent) : [line];
  const room = indent.length + name.length;
  if (room + 20 <= width) {
    const [first = "", ...others] = wrapText(rest, width, " ".repeat(room));
    return [indent + name + first.slice(room), ...others];
  }
  return [`${indent}${name}`.trimEnd(), ...wrapText(rest, width, `${indent}    `)];
}
