import { wrapped } from "../terminal/wrap.ts";

/**
 * A page of help for a terminal that is narrower than the page: what stands behind a name goes on under itself. A line
 * to be typed is left whole, so that it can be copied.
 */
export function fitted(page: string, width: number): string {
  return page
    .split("\n")
    .flatMap((line) => (line.length <= width ? [line] : fittedLine(line, width)))
    .join("\n");
}

function fittedLine(line: string, width: number): string[] {
  const [, indent = "", name = "", rest = ""] = /^( *)(?:(\S+(?: \S+)* {2,}))?(.*)$/.exec(line) ?? [];
  if (name === "") return indent === "" || indent.length >= 20 ? wrapped(rest, width, indent) : [line];
  const room = indent.length + name.length;
  if (room + 20 <= width) {
    const [first = "", ...others] = wrapped(rest, width, " ".repeat(room));
    return [indent + name + first.slice(room), ...others];
  }
  return [`${indent}${name}`.trimEnd(), ...wrapped(rest, width, `${indent}    `)];
}
