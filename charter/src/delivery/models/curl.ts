import type { ReplayedBody } from "./replay-body.ts";

/**
 * The command that sends a body once more, for a POSIX shell. The key is the variable it is in, which the shell puts in.
 * The body goes through a pipe: it may be longer than an argument.
 */
export function curlOf({ text, address, headers }: Pick<ReplayedBody, "text" | "address" | "headers">): string {
  const lines = [
    `printf %s ${quoted(text)}`,
    `curl --silent --show-error --no-buffer ${quoted(address)}`,
    ...Object.entries(headers).map(([name, value]) => `--header ${header(name, value)}`),
    "--data-binary @-",
  ];
  return `${lines[0]} |\n  ${lines.slice(1).join(" \\\n    ")}`;
}

/** Nothing in single quotes means anything to a shell but their end. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function header(name: string, value: string): string {
  const [, before = value, variable] = /^([^$]*)\$([A-Z_]+)$/.exec(value) ?? [];
  return variable === undefined ? quoted(`${name}: ${value}`) : `${quoted(`${name}: ${before}`)}"$${variable}"`;
}
