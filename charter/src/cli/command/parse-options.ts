import type { ParseArgsOptionsConfig } from "node:util";
import { Problem, reasonOf } from "../../prompt/problem.ts";

const { parseArgs } = process.getBuiltinModule("node:util");

/** Parses a command's words; what it does not know is a Problem that says where to look. */
export function parseOptions<Options extends ParseArgsOptionsConfig>(
  command: string,
  args: readonly string[],
  options: Options,
) {
  const hint = `See charter ${command} --help.`;
  try {
    return parseArgs({ args: withDashes(args, options), options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = reasonOf(error).split(". To specify")[0] as string;
    throw new Problem("usage", message.endsWith(".") ? message : `${message}.`, hint);
  }
}

/**
 * A value may begin with a dash (`--content "- a list"`), and so may words (`why "- a list"`, `-2.00`): an option's next
 * word is its value, and no option has a space in it or begins with a digit.
 */
function withDashes(args: readonly string[], options: ParseArgsOptionsConfig): string[] {
  const out: string[] = [];
  const words: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] as string;
    const next = args[index + 1];
    if (arg.startsWith("--") && options[arg.slice(2)]?.type === "string" && next !== undefined) {
      out.push(`${arg}=${next}`);
      index++;
    } else if (/^-(?:.*\s|\$?\d)/s.test(arg) && !arg.includes("=")) words.push(arg);
    else out.push(arg);
  }
  return words.length === 0 ? out : [...out, "--", ...words];
}
